import { expect, it } from "vitest";
import { expectLinearTime, processorMsOf } from "#test/harness/linear-growth.ts";

function spin(ms: number): void {
  for (let spentMs = 0; spentMs < ms; ) spentMs += processorMsOf(() => Math.hypot(...Array.from({ length: 1000 }, Math.random)));
}

it("tells quadratic time from linear time", () => {
  expectLinearTime((size) => spin(size), 200);
  expect(() => expectLinearTime((size) => spin(size ** 2 / 100), 200)).toThrow("in proportion");
});
