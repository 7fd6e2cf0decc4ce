/** Decides how each column of a table is written, as it is or as text, and what is noted about it. */
import type { DatabaseSync } from "node:sqlite";
import type { Notes } from "../exchange.ts";
import { tooComplex } from "../failure.ts";
import { type Column, quoted } from "./columns.ts";
import { digits15, type Limits, type Texting } from "./limits.ts";
import { addNote, named } from "./notes.ts";
import { pointColumn } from "./tracks.ts";

export type Planned = Column & {
  /** SQL. */
  readonly value: string;
};

/** Characters that XML cannot contain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finds exactly these
const control = /[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** SQL functions for the statements below. */
export function addFunctions(database: DatabaseSync, { reals }: Limits): void {
  database.function("real_text", (value) => (value === null ? null : String(value)));
  database.function("base64", (value) => (value instanceof Uint8Array ? Buffer.from(value).toString("base64") : null));
  database.function("real_fate", (value) => (typeof value === "number" ? (reals?.fate(value) ?? "exact") : "exact"));
  database.function("is_long", (value) => (typeof value === "number" && digits15(value) === "lost" ? 1 : 0));
  database.function("has_control", (value) => (typeof value === "string" && (value.includes("\r") || value.search(control) >= 0) ? 1 : 0));
  // XML readers drop carriage returns.
  database.function("without_control", (value) =>
    typeof value === "string" ? value.replace(/\r\n?/g, "\n").replace(control, "\uFFFD") : value,
  );
}

/** The columns of `table` for a target. Throws INPUT_TOO_COMPLEX if a text is too long. */
export function planColumns(
  database: DatabaseSync,
  table: string,
  columns: readonly Column[],
  limits: Limits,
  notes: Notes,
): readonly Planned[] {
  const found = (name: string, expression: string) =>
    database.prepare(`SELECT count(*) AS number FROM ${quoted(table)} WHERE ${expression.replaceAll("?", () => quoted(name))}`).get()?.[
      "number"
    ] !== 0;
  const told = {
    texts: [] as string[],
    rounded: [] as string[],
    times: [] as string[],
    controls: [] as string[],
    marked: [] as string[],
    empty: [] as string[],
    blanks: [] as string[],
    dropped: [] as string[],
  };
  const planned = columns.flatMap((column): Planned[] => {
    const { name, type } = column;
    if (isTooLong(limits, column, (expression) => found(name, expression))) {
      told.dropped.push(name);
      return [];
    }
    if (limits.takesPointValues === true && name === "time" && found(name, "? GLOB '*.[0-9][0-9][0-9][0-9]*'")) told.times.push(name);
    if (type === "text" && limits.losesEmptyTexts === true && found(name, "? = ''")) told.empty.push(name);
    if (type === "text" && limits.losesBlanks !== undefined && found(name, limits.losesBlanks)) told.blanks.push(name);
    const texting = textingOf(limits, column, (expression) => found(name, expression));
    if (texting === "noted") told.texts.push(name);
    if (texting === undefined && type === "real" && found(name, "real_fate(?) = 'rounded'")) told.rounded.push(name);
    if (texting !== undefined) return [{ name, type: "text", value: textOf(column) }];
    if (type !== "text") return [{ ...column, value: quoted(name) }];
    const misread = limits.misread?.replaceAll("?", () => quoted(name));
    if (misread !== undefined && found(name, misread)) told.marked.push(name);
    if (limits.isXml === true && found(name, "has_control(?)")) told.controls.push(name);
    return [{ ...column, value: xmlTextOf(quoted(name), told.marked.includes(name) ? misread : undefined, told.controls.includes(name)) }];
  });
  tell(notes, "TYPES_AS_TEXT", "Values of unsupported types became text", told.texts);
  tell(notes, "NUMBERS_ROUNDED", "Numbers were rounded to 15 decimals", told.rounded);
  tell(notes, "NUMBERS_ROUNDED", "Times were truncated to milliseconds", told.times);
  tell(notes, "CHARACTERS_REPLACED", "Control characters were replaced", told.controls);
  tell(notes, "CHARACTERS_REPLACED", "A space was added before texts that look like elements, lists or objects", told.marked);
  tell(notes, "CHARACTERS_REPLACED", "Spaces around texts were left out", told.blanks);
  tell(notes, "EMPTY_VALUES_DROPPED", "Empty texts became missing values", told.empty);
  tell(
    notes,
    "METADATA_DROPPED",
    "Times and other values of individual track points were left out; GeoJSON and GPKG keep them",
    told.dropped,
  );
  return planned;
}

function xmlTextOf(column: string, misread: string | undefined, hasControls: boolean): string {
  const value = misread !== undefined ? `CASE WHEN ${misread} THEN ' ' || ${column} ELSE ${column} END` : column;
  return hasControls ? `without_control(${value})` : value;
}

type Test = (expression: string) => boolean;

/** Throws for a value from the file; a value composed here is left out instead. */
function isTooLong({ textBytes }: Limits, { name, type }: Column, holds: Test): boolean {
  if (textBytes === undefined || (type !== "text" && type !== "json")) return false;
  if (!holds(`length(CAST(? AS BLOB)) > ${textBytes}`)) return false;
  if (name === pointColumn) return true;
  throw tooComplex(`A text in ${named([name])} is longer than the limit of ${textBytes} bytes; GPKG and GeoJSON have no such limit.`);
}

function textingOf({ texts, integers, reals }: Limits, { type }: Column, holds: Test): Texting | undefined {
  if (type === "integer" && integers !== undefined) {
    return holds(`? > ${integers.most} OR ? < -${integers.most}`) ? integers.texting : undefined;
  }
  if (type === "real" && reals !== undefined) return holds("real_fate(?) = 'lost'") ? reals.texting : undefined;
  const texting = texts?.[type];
  return texting !== undefined && holds("? IS NOT NULL") ? texting : undefined;
}

function textOf({ name, type }: Column): string {
  const column = quoted(name);
  if (type === "boolean") return `CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`;
  if (type === "real") return `real_text(${column})`;
  return type === "bytes" ? `base64(${column})` : `CAST(${column} AS TEXT)`;
}

function tell(notes: Notes, code: string, message: string, names: readonly string[]): void {
  if (names.length > 0) addNote(notes, code, `${message}: ${named(names)}.`);
}
