/** Interprets cells of a text table as numbers, booleans, dates or text: per column, but with one decimal mark for the whole table. */
import { type Notes, noteOnce, type Options, textOption } from "../exchange.ts";
import { canonicalNumber } from "./delimited.ts";
import { type Exact, firstOf, numberOf, Stamp } from "./values.ts";

type Cell = null | boolean | number | bigint | string | Exact | Stamp;
type Read = (text: string) => Cell;
type Lines = readonly (readonly string[])[];

/** As JSON would write the number, but with a decimal comma. */
const canonicalComma = /^(0|-?[1-9]\d*|-?(0(?!,0{29})|[1-9]\d*),\d*[1-9])$/;
/** Numbers as people write them, with thousands separators. A leading zero makes it an identifier, which stays text. */
const written: Readonly<Record<string, RegExp>> = {
  point: /^[-+]?(0|[1-9]\d*|[1-9]\d{0,2}([,'’ \u00a0\u202f]\d{3})+)(\.\d+)?$/,
  comma: /^[-+]?(0|[1-9]\d*|[1-9]\d{0,2}([.'’ \u00a0\u202f]\d{3})+)(,\d+)?$/,
};

/** One reader per column. A column has a type only if every non-empty cell fits it. */
export function readersOf(rows: Lines, columns: readonly string[], options: Options, notes: Notes): readonly Read[] {
  if (options.types === "text") return columns.map(() => (text) => text);
  const wanted = textOption(options, "decimal") ?? "auto";
  const order = textOption(options, "dateOrder") ?? "text";
  const marks = wanted === "auto" ? marksIn(rows) : wanted;
  const taken: string[] = [];
  const readers = columns.map((name, place): Read => {
    const are = (is: (text: string) => boolean) => areAll(rows, place, is);
    // If the comma is the decimal mark, the point is not.
    const isPlain = (text: string) => canonicalNumber.test(text) && !(marks === "comma" && text.includes("."));
    if (are(isPlain)) return numberIn;
    if (are((text) => text === "true" || text === "false")) return (text) => (text === "" ? null : text === "true");
    if (wanted === "auto" && marks === "comma" && are((text) => canonicalComma.test(text))) {
      taken.push(name);
      return (text) => numberIn(text.replace(",", "."));
    }
    const pattern = wanted === "auto" ? undefined : written[wanted];
    if (pattern !== undefined && are((text) => pattern.test(text))) return (text) => numberIn(withoutMarks(text, wanted));
    return are((text) => dateIn(text, order) !== undefined) ? (text) => dateIn(text, order) ?? null : (text) => text;
  });
  if (taken.length > 0) noteOnce(notes, "DIALECT_GUESSED", `Commas were read as decimal marks in ${firstOf(taken)}.`);
  return readers;
}

function areAll(rows: Lines, place: number, is: (text: string) => boolean): boolean {
  let some = false;
  for (const row of rows) {
    const text = row[place] ?? "";
    if (text === "") continue;
    if (!is(text)) return false;
    some = true;
  }
  return some;
}

/**
 * Three digits after a mark may be thousands, so only other counts decide.
 * The comma is the decimal mark if some cells use it and none use a point.
 */
function marksIn(rows: Lines): string {
  let hasCommas = false;
  for (const row of rows) {
    for (const text of row) {
      const [, mark, digits = ""] = /^-?\d+([.,])(\d+)$/.exec(text) ?? [];
      if (mark === undefined || digits.length === 3) continue;
      if (mark === ".") return "point";
      hasCommas = true;
    }
  }
  return hasCommas ? "comma" : "point";
}

function numberIn(text: string): Cell {
  const value = text === "" ? null : numberOf(text);
  return Array.isArray(value) || value instanceof Map || value instanceof Uint8Array ? text : value;
}

function withoutMarks(text: string, decimal: string): string {
  return decimal === "comma" ? text.replace(/[.'’ \u00a0\u202f]/g, "").replace(",", ".") : text.replace(/[,'’ \u00a0\u202f]/g, "");
}

const dates: Readonly<Record<string, RegExp>> = {
  dmy: /^(?<day>\d{1,2})[./-](?<month>\d{1,2})[./-](?<year>\d{4})(?:[ T](?<clock>\d\d:\d\d(:\d\d)?))?$/,
  mdy: /^(?<month>\d{1,2})[./-](?<day>\d{1,2})[./-](?<year>\d{4})(?:[ T](?<clock>\d\d:\d\d(:\d\d)?))?$/,
  ymd: /^(?<year>\d{4})[./-](?<month>\d{1,2})[./-](?<day>\d{1,2})(?:[ T](?<clock>\d\d:\d\d(:\d\d)?))?$/,
};

/** A calendar date, with its time if present. */
function dateIn(text: string, order: string): Stamp | undefined {
  const { day = "", month = "", year = "", clock } = dates[order]?.exec(text)?.groups ?? {};
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const time = clock === undefined ? "" : `T${clock}${clock.length === 5 ? ":00" : ""}`;
  const moment = new Date(`${date}${time === "" ? "T00:00:00" : time}Z`);
  const isReal = !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(date);
  return isReal ? new Stamp(`${date}${time}`, false) : undefined;
}
