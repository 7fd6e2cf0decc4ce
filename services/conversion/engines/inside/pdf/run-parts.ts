/** Splits runs that a library joined across a separator, assuming characters of equal width. */
import type { Run } from "./content.ts";

/** Index of the character that starts at a position; prefers a nearby space, where words were joined. */
export function letterAt({ text, x, width }: Run, place: number): number {
  const letter = Math.round(((place - x) / width) * text.length);
  const near = [0, 1, -1, 2, -2].find((off) => text[letter + off] === " " || text[letter + off - 1] === " ");
  return Math.min(text.length, Math.max(0, letter + (near ?? 0)));
}

export function partOf(run: Run, start: number, end: number): Run {
  const letter = run.width / run.text.length;
  const isEnd = end === run.text.length;
  return {
    ...run,
    text: run.text.slice(start, end),
    x: run.x + letter * start,
    width: letter * (end - start),
    endsLine: run.endsLine && isEnd,
  };
}

/** Splits the run at these positions, which are sorted. */
export function partedAt(run: Run, places: readonly number[]): Run[] {
  const slack = run.size * 0.3;
  const within = places.filter((place) => place > run.x + slack && place < run.x + run.width - slack);
  const letters = [0, ...within.map((place) => letterAt(run, place)), run.text.length];
  return letters.slice(1).flatMap((end, index) => ((letters[index] ?? 0) < end ? [partOf(run, letters[index] ?? 0, end)] : []));
}
