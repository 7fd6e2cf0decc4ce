import { expect, it } from "vitest";
import { allowedNames, columnNamesOf } from "#services/conversion/engines/inside/records/tables.ts";

it("columns of one name are numbered, past names that a column has already", () => {
  expect(columnNamesOf(["a", "a_2", "a", "a", "a_2"], 5, new Map())).toEqual(["a", "a_2", "a_3", "a_4", "a_2_2"]);
  expect(allowedNames(["a", "A", "a_3", "a"], String, new Map(), (name) => name.toLowerCase())).toEqual(["a", "A_2", "a_3", "a_4"]);
});

it("takes a great many columns of one name", { timeout: 5000 }, () => {
  const names = columnNamesOf(Array<string>(100_000).fill("a"), 100_000, new Map());
  expect(names.at(-1)).toBe("a_100000");
});
