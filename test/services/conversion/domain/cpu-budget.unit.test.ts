import { expect, test } from "vitest";
import { cpuSecondsOf } from "#services/conversion/domain/cpu-budget.ts";
import { lanes } from "#services/conversion/domain/engine.ts";

test("a small file gets less processor time than a large one, and at least what the smallest may need", () => {
  for (const lane of ["image", "document", "office"] as const) {
    expect(cpuSecondsOf(lane, 2000)).toBeGreaterThanOrEqual(20);
    expect(cpuSecondsOf(lane, 2000)).toBeLessThanOrEqual(121);
    expect(cpuSecondsOf(lane, 50_000_000)).toBeGreaterThan(600);
  }
});

test("every lane has whole seconds or none", () => {
  for (const lane of lanes) expect([Infinity, Math.round(cpuSecondsOf(lane, 1234))]).toContain(cpuSecondsOf(lane, 1234));
});
