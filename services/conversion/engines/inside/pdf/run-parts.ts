/** Splits runs that a library joined across a separator, assuming characters of equal width. */
import type { Run } from "./content.ts";
import { isIdeographic } from "./inlines.ts";

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

/** Whether a word or a number goes on after the first character. Ideographs need no space between words. */
const isWithinWord = (pair: string) => /^(?:[\p{L}\p{M}]{2}|\p{N}[\p{N}.,:/%]|[-−+.,:/]\p{N})$/u.test(pair) && !isIdeographic(pair);

/** In characters, because their widths differ. */
const farthestEnd = 8;

/** Index near `letter` where no word is cut, or undefined. */
function wordEndAt(text: string, letter: number): number | undefined {
  for (let off = 0; off <= farthestEnd; off++) {
    const found = [letter + off, letter - off].find((at) => at > 0 && at < text.length && !isWithinWord(text.slice(at - 1, at + 1)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Splits the run at these positions, which are sorted, but within no word: lines may cross a text. */
export function partedAt(run: Run, places: readonly number[]): Run[] {
  const slack = run.size * 0.3;
  const within = places.filter((place) => place > run.x + slack && place < run.x + run.width - slack);
  const letters = [0, ...within.flatMap((place) => wordEndAt(run.text, letterAt(run, place)) ?? []), run.text.length];
  return letters.slice(1).flatMap((end, index) => ((letters[index] ?? 0) < end ? [partOf(run, letters[index] ?? 0, end)] : []));
}
