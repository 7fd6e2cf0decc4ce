import { expect, test } from "vitest";
import { sampled } from "./sampled.ts";

const rows = Array.from({ length: 20 }, (_, at) => at);

test("three days take every row once", () => {
  const taken = [7, 8, 9].flatMap((day) => sampled(rows, day, false));
  expect(taken.toSorted((a, b) => a - b)).toEqual(rows);
});

test("a day takes a third, the same each time", () => {
  expect(sampled(rows, 7, false).length).toBeLessThan(8);
  expect(sampled(rows, 7, false)).toEqual(sampled(rows, 7, false));
});

test("short tables are taken whole, and everything is with --all", () => {
  expect(sampled([1, 2, 3], 7, false)).toEqual([1, 2, 3]);
  expect(sampled(rows, 7, true)).toEqual(rows);
});
