/**
 * One rule for files that have several of what the target holds only one of: pages, sheets, tracks.
 *
 * - By default, the part that a person would expect is converted (the first; of tracks, the default one). A note says what was left out.
 * - `page=3`, `sheet=Prices`, `track=2` choose another one.
 * - `pages=all` or `pages=1-3,7`, and likewise `sheets` and `tracks`, result in a ZIP archive with one file per part.
 */
import { FilemillError, invalidOption } from "#contract/errors.ts";
import type { HopTask, OptionDefinition, Part } from "./engine.ts";

const numbers = "[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?){0,20}";
/** Pattern of numbers and ranges, such as `1-3,7`. */
export const numberList = `^${numbers}$`;
/** The same, or `all`. */
export const severalPattern = `^(all|${numbers})$`;
const notes = { page: "PAGES_LEFT_OUT", sheet: "SHEETS_LEFT_OUT", track: "TRACKS_LEFT_OUT" } as const;
const whole = { page: "page, picture or frame", sheet: "sheet", track: "sound track" } as const;
/** Enough for a book. Each part is a separate run of an engine. */
const maxParts = 500;
/** No engine returns a longer label. */
const maxLabel = 300;

/** The name of the option that requests several parts. */
export function manyOptionOf(part: Part): `${Part}s` {
  return `${part}s`;
}

/** Options that a hop with a part lists before its own. */
export function partOptions(part: Part): readonly OptionDefinition[] {
  const several: OptionDefinition = {
    name: manyOptionOf(part),
    type: "string",
    pattern: severalPattern,
    description: "`all`, or several such as `1-3,7`: a ZIP archive with one file each",
  };
  return [oneOption(part), several];
}

function oneOption(part: Part): OptionDefinition {
  if (part === "sheet") {
    return { name: part, type: "string", pattern: "^[^\\x00-\\x1f]{1,64}$", default: "1", description: "Which sheet, by number or name" };
  }
  const of = part === "track" ? "; default: the file's default" : "";
  const rest = { name: part, type: "integer", min: 1, max: 100_000, description: `Which ${whole[part]}${of}` } as const;
  return part === "track" ? { ...rest, max: 999 } : { ...rest, default: 1 };
}

/** Raises a note that the others were left out, if there are any. `chosen` is the number of the converted part. */
export function noteLeftOut(task: Pick<HopTask, "note">, part: Part, chosen: number, total: number): void {
  if (total > 1) task.note(notes[part], `Only ${part} ${chosen} of ${total} was converted.`);
}

/** The note that an engine raises for this. */
export function leftOutNoteOf(part: Part) {
  return notes[part];
}

/** @throws FilemillError INVALID_OPTION if the file has no such part. */
export function assertPart(part: Part, chosen: number, total: number): void {
  if (chosen <= total) return;
  throw noSuch(part, part, total, `1 to ${total}`);
}

function noSuch(option: string, part: Part, total: number, allowed: string): FilemillError {
  return invalidOption(option, `The file has ${total === 1 ? `one ${part}` : `${total} ${part}s`}.`, allowed);
}

/**
 * The numbers that `all` or `1-3,7` chooses, each once, in the order of the file.
 *
 * @throws FilemillError INVALID_OPTION for a number that the file does not have, INPUT_TOO_COMPLEX for more than 500 parts.
 */
export function chosenParts(part: Part, text: string, total: number): readonly number[] {
  const ranges = text === "all" ? [[1, total]] : text.split(",").map((range) => range.split("-").map(Number));
  const chosen = new Set<number>();
  for (const [first = 0, last = first] of ranges) {
    if (first < 1 || last < first || last > total) {
      throw noSuch(manyOptionOf(part), part, total, `all, or numbers from 1 to ${total}`);
    }
    if (last - first >= maxParts) throw tooMany(part);
    for (let number = first; number <= last; number += 1) chosen.add(number);
  }
  if (chosen.size > maxParts) throw tooMany(part);
  return [...chosen].sort((a, b) => a - b);
}

function tooMany(part: Part): FilemillError {
  const option = manyOptionOf(part);
  return new FilemillError(
    "INPUT_TOO_COMPLEX",
    `Up to ${maxParts} ${part}s can be converted at once; choose some with \`${option}=1-${maxParts}\`.`,
  );
}

/** Name of a part's file in the archive, such as `page-03.png` or `sheet-2-Prices.csv`. Sorts by number, and is safe on every system. */
export function partFileName(part: Part, number: number, total: number, label: string, extension: string): string {
  const digits = String(number).padStart(String(total).length, "0");
  const safe = label
    .slice(0, maxLabel)
    .normalize("NFC")
    .replace(/[^\p{L}\p{N} ._-]/gu, "_")
    .replace(/^[. ]{1,300}|[. ]{1,300}$/g, "")
    .slice(0, 60);
  return `${part}-${digits}${safe === "" ? "" : `-${safe.toWellFormed()}`}.${extension}`;
}
