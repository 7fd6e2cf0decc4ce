/**
 * Puts the runs of a line in reading order. They are placed from left to right; Arabic and Hebrew are read the other
 * way, and embedded words of the other direction keep theirs. The characters within each run are already in order.
 */
import type { Run } from "./content.ts";

export const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const ofThatDirection = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g;
const ofTheOther = /[A-Za-z\u00c0-\u058f\u0900-\ufb1c]/g;

/** Whether most letters of a text are right-to-left. */
export function isRightToLeft(text: string): boolean {
  const count = text.match(ofThatDirection)?.length ?? 0;
  return count > 0 && count >= (text.match(ofTheOther)?.length ?? 0);
}

const strong = /[\p{L}\p{N}]/u;

export const holdsRightToLeft = (runs: readonly Run[]): boolean => runs.some(({ text }) => rightToLeft.test(text));

/** `runs` from left to right. */
export function inReadingOrder(runs: readonly Run[]): Run[] {
  if (!holdsRightToLeft(runs)) return [...runs];
  const lettersOf = (isWanted: (text: string) => boolean) => runs.reduce((sum, { text }) => sum + (isWanted(text) ? text.length : 0), 0);
  const isReversed = lettersOf((text) => rightToLeft.test(text)) >= lettersOf((text) => strong.test(text) && !rightToLeft.test(text));
  const isAgainst = (text: string) => strong.test(text) && rightToLeft.test(text) !== isReversed;
  const ordered = isReversed ? [...runs].reverse() : [...runs];
  for (let start = 0; start < ordered.length; start++) {
    if (!isAgainst(ordered[start]?.text ?? "")) continue;
    let end = start + 1;
    // What lies between two words of that direction belongs to them.
    for (let next = end; next < ordered.length && !isWith(ordered[next], isReversed); next++)
      if (isAgainst(ordered[next]?.text ?? "")) end = next + 1;
    ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
    start = end - 1;
  }
  return ordered;
}

const isWith = (run: Run | undefined, isReversed: boolean) =>
  strong.test(run?.text ?? "") && rightToLeft.test(run?.text ?? "") === isReversed;
