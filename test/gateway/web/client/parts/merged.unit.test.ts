import { expect, it } from "vitest";
import { mergedById } from "#client/parts/merged.ts";

it("lists a row of two pages once, as the first page shows it", () => {
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
