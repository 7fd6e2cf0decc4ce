/** Text painted several times in one place: bold, outlines and shadows of programs without such fonts. */
import type { Run } from "./content.ts";
import { isIdeographic } from "./inlines.ts";
import { partOf } from "./run-parts.ts";

/** In font sizes. Letters are never closer, except over themselves. */
const near = { across: 0.1, down: 0.2 };
/** Copies are painted soon after each other. */
const lookAhead = 8;
const mostShared = 100;
/** In font sizes: how imprecise the place of a character within a run is. */
const imprecise = 0.3;

const isLevel = (one: Run, other: Run) =>
  Math.abs(one.baseline - other.baseline) < near.down * one.size && Math.abs(one.size - other.size) < near.across * one.size;

const isOver = (one: Run, other: Run) => Math.abs(one.x - other.x) < near.across * one.size && isLevel(one, other);

/** Ideographs are about twice as wide as others. */
const spanOf = (text: string) => [...text].reduce((sum, letter) => sum + (letter.trim() !== "" && isIdeographic(letter) ? 2 : 1), 0);

const endOf = ({ x, width }: Run) => x + width;

/** How many characters the end of one run shares with the start of another that is painted over it. */
function shared(one: Run, other: Run): number {
  const overlap = endOf(one) - other.x;
  if (overlap < imprecise * one.size || other.x < one.x - near.across * one.size) return 0;
  const widths = [one, other].map(({ width, text }) => width / spanOf(text));
  const isAsWide = (part: string) => widths.some((width) => Math.abs(width * spanOf(part) - overlap) < imprecise * one.size);
  for (let count = Math.min(one.text.length, other.text.length, mostShared); count > 0; count--) {
    const part = other.text.slice(0, count);
    if (one.text.endsWith(part) && isAsWide(part)) return count;
  }
  return 0;
}

/** Without the copy of one end that a run has if a library joined it with what follows or precedes. */
function withoutShared(run: Run, above: readonly Run[]): Run {
  for (const other of above) {
    if (run.turn !== undefined || other.turn !== undefined || !isLevel(run, other)) continue;
    const [end, start] = [shared(run, other), shared(other, run)];
    if (end > 0) return partOf(run, 0, run.text.length - end);
    if (start > 0) return partOf(run, start, run.text.length);
  }
  return run;
}

const inkOf = (text: string) => text.replaceAll(" ", "").length;

/** Whether a run with more letters paints all of its own too: some copies lack the point of a number, or have only some digits. */
function isPartOf(run: Run, other: Run): boolean {
  const [letters, whole] = [run.text, other.text];
  if (letters.length > whole.length || inkOf(letters) >= inkOf(whole) || !isLevel(run, other)) return false;
  const placeOf = (index: number) => other.x + (other.width * index) / whole.length;
  const first = Math.round(((run.x - other.x) / other.width) * whole.length);
  const isThere = (index: number, x: number) => Math.abs(placeOf(index) - x) < imprecise * run.size;
  if (!isThere(first, run.x) || !isThere(first + letters.length, endOf(run))) return false;
  return [...letters].every((letter, index) => letter === " " || letter === whole[first + index]);
}

/** Rows of a table are painted as a whole before their copies. */
const rowLength = 16;

function withoutParts(runs: readonly Run[]): readonly Run[] {
  const inked = runs.filter(({ text, width, mark }) => text.trim() !== "" && text.length <= mostShared && width > 0 && mark !== "artifact");
  const parts = new Set(
    inked.filter((run, at) => inked.slice(Math.max(0, at - rowLength), at + rowLength).some((other) => isPartOf(run, other))),
  );
  return runs.map((run) => (parts.has(run) ? { ...run, text: "", width: 0 } : run));
}

/** The topmost of each; the others only end their lines. */
export function withoutCopies(runs: readonly Run[]): readonly Run[] {
  const above = new Map<string, Run[]>();
  let last: readonly Run[] = [];
  return withoutParts(runs)
    .toReversed()
    .map((run) => {
      if (run.text.trim() === "" || run.mark === "artifact") return run;
      const same = above.get(run.text) ?? [];
      if (same.some((other) => isOver(run, other))) return { ...run, text: "", width: 0 };
      const rest = withoutShared(run, last);
      if (rest.text.trim() === "") return { ...run, text: "", width: 0 };
      above.set(run.text, [...same.slice(1 - lookAhead), run]);
      last = [...last.slice(1 - lookAhead), rest];
      return { ...rest, endsLine: run.endsLine };
    })
    .toReversed();
}
