import { expect, test } from "vitest";
import { cpuSecondsOf } from "#services/conversion/domain/cpu-budget.ts";
import { lanes } from "#services/conversion/domain/engine.ts";

test("gives a small file less CPU time than a large one, but at least the minimum", () => {
  for (const lane of ["image", "document", "office"] as const) {
    expect(cpuSecondsOf(lane, 2000)).toBeGreaterThanOrEqual(20);
    expect(cpuSecondsOf(lane, 2000)).toBeLessThanOrEqual(121);
    expect(cpuSecondsOf(lane, 50_000_000)).toBeGreaterThan(600);
  }
});

test("returns whole seconds or no limit for every lane", () => {
  for (const lane of lanes) expect([Infinity, Math.round(cpuSecondsOf(lane, 1234))]).toContain(cpuSecondsOf(lane, 1234));
});
