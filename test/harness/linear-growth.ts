/** CPU time, which depends less on how busy the machine is, in proportion to the input's size. */
import process from "node:process";
import { expect } from "vitest";

/** In ms. */
export function processorMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const tries = 3;

/** Fails if `work` on four times the size takes far more than four times as long: quadratic code takes 16 times. */
export function expectLinearTime(work: (size: number) => unknown, size: number): void {
  let [whole, quarter] = [Infinity, Infinity];
  for (let left = tries; left > 0; left--) {
    // The least of several runs: garbage collection and compilation come in between.
    for (let run = 0; run < 3; run++)
      quarter = Math.min(
        quarter,
        processorMsOf(() => work(Math.round(size / 4))),
      );
    whole = Math.min(
      whole,
      processorMsOf(() => work(size)),
    );
    // A very short time means nothing.
    if (whole <= 100 + 10 * quarter) return;
  }
  expect({ whole, quarter }).toBe("in proportion");
}
