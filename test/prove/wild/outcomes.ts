/** Recorded outcomes of converting real files: outcomes.json. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export type Outcome = {
  /** Name of the file in the folder. The file itself belongs to others and is not kept here. */
  readonly file: string;
  readonly to: string;
  /** `done`, or the code of the error. */
  readonly outcome: string;
  /** Codes of the notes, each once, in alphabetical order. */
  readonly notes: readonly string[];
  /** Words in a result that is text. */
  readonly words?: number;
};

const outcomeFile = join(import.meta.dirname, "outcomes.json");
/** Other versions of programs split a few words differently. */
const wordsApart = 0.02;

export async function readOutcomes(): Promise<readonly Outcome[]> {
  return JSON.parse(await readFile(outcomeFile, "utf8"));
}

export async function writeOutcomes(rows: readonly Outcome[]): Promise<void> {
  await writeFile(outcomeFile, `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
}

/** How a row differs from what was known; empty if it does not. */
export function differenceOf(known: Outcome, found: Outcome): string {
  const before = [known.outcome, ...known.notes].join(" ");
  const now = [found.outcome, ...found.notes].join(" ");
  if (before !== now) return `was ${before}, is ${now}`;
  const [wordsBefore, wordsNow] = [known.words ?? 0, found.words ?? 0];
  const isNear = Math.abs(wordsNow - wordsBefore) <= Math.max(2, wordsBefore * wordsApart);
  return isNear ? "" : `had ${wordsBefore} words, has ${wordsNow}`;
}

/** The number of words in a text, markup included. */
export function wordsIn(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}
