import { expect, it } from "vitest";
import { pagesKept, rangesOf } from "#services/conversion/engines/pdf/pdf-change-pages.ts";

it("keeps pages in the given order, without the removed ones", () => {
  expect(pagesKept("3,1,5-", "6", 7)).toEqual([3, 1, 5, 7]);
  expect(rangesOf([3, 1, 5, 6, 7])).toBe("3,1,5-7");
});

it("rejects an excessive number of pages", () => {
  for (const [pages, remove] of [
    [undefined, "1"],
    ["1-", undefined],
  ])
    expect(() => pagesKept(pages, remove, 3_000_000_000)).toThrow(expect.objectContaining({ code: "INPUT_TOO_COMPLEX" }));
});
