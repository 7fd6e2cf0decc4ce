import { describe, expect, it } from "vitest";
import { createSpending } from "#services/job/domain/spending.ts";

const minute = 60_000;
const noon = Date.UTC(2026, 0, 1, 12);

describe("CPU time", () => {
  it("counts for an hour, per payer", () => {
    const spending = createSpending();
    spending.add("p", 1000, noon);
    spending.add("p", 500, noon + 10 * minute);
    spending.add("q", 7, noon);
    expect([spending.spentMs("p", noon + 59 * minute), spending.spentMs("q", noon)]).toEqual([1500, 7]);
    expect(spending.spentMs("p", noon + 60 * minute)).toBe(500);
    expect(spending.spentMs("p", noon + 70 * minute)).toBe(0);
  });

  it("tells how long until enough of it is an hour old", () => {
    const spending = createSpending();
    for (const [ms, at] of [
      [1000, 0],
      [2000, 5],
      [3000, 20],
    ] as const)
      spending.add("p", ms, noon + at * minute);
    const nowMs = noon + 30 * minute;
    expect(spending.untilBelowMs("p", 6000, nowMs)).toBe(30 * minute);
    expect(spending.untilBelowMs("p", 5000, nowMs)).toBe(35 * minute);
    expect(spending.untilBelowMs("p", 100, nowMs)).toBe(50 * minute);
    expect(spending.untilBelowMs("p", 6001, nowMs)).toBe(0);
  });

  it("is added in any order for jobs that ended before this process started", () => {
    const spending = createSpending();
    spending.add("p", 1000, noon);
    spending.add("p", 1000, noon - 50 * minute);
    spending.add("p", 1000, noon - 90 * minute);
    expect(spending.spentMs("p", noon)).toBe(2000);
  });
});
