import { expect, it } from "vitest";
import { mergedById } from "#client/parts/merged.ts";

it("lists a row that is on two pages once, as on the first page", () => {
  const rows = mergedById(
    [
      { id: "a", n: 1 },
      { id: "b", n: 1 },
    ],
    [
      { id: "b", n: 2 },
      { id: "c", n: 2 },
    ],
  );
  expect(rows).toEqual([
    { id: "a", n: 1 },
    { id: "b", n: 1 },
    { id: "c", n: 2 },
  ]);
});
