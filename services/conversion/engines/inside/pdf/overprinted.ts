/** Text painted several times in one place: bold, outlines and shadows of programs without such fonts. */
import type { Run } from "./content.ts";

/** In font sizes. Letters are never closer, except over themselves. */
const near = { across: 0.1, down: 0.2 };
/** Copies are painted soon after each other. */
const lookAhead = 8;

const isOver = (one: Run, other: Run) =>
  Math.abs(one.x - other.x) < near.across * one.size &&
  Math.abs(one.baseline - other.baseline) < near.down * one.size &&
  Math.abs(one.size - other.size) < near.across * one.size;

/** The topmost of each; the others only end their lines. */
export function withoutCopies(runs: readonly Run[]): readonly Run[] {
  const above = new Map<string, Run[]>();
  return runs
    .toReversed()
    .map((run) => {
      if (run.text.trim() === "" || run.mark === "artifact") return run;
      const same = above.get(run.text) ?? [];
      if (same.some((other) => isOver(run, other))) return { ...run, text: "", width: 0 };
      above.set(run.text, [...same.slice(1 - lookAhead), run]);
      return run;
    })
    .toReversed();
}
