/** Microsoft Access databases, read by mdb-reader: user tables and their content. */
import MDBReader, { type Table as AccessTable, type Value as AccessValue, type Column } from "mdb-reader";
import { type Notes, noteOnce, type Options, textOption } from "../exchange.ts";
import { Failure, inexpressible, invalid, tooComplex } from "../failure.ts";
import { clockOf } from "./serial-dates.ts";
import { maxCells, type Table } from "./tables.ts";
import { integerOf, numberOf, Stamp, type Value } from "./values.ts";

/** The names of all tables in order, and a table by its name. */
export type Access = { readonly names: readonly string[]; table(name: string, notes: Notes): Table };

export function openAccess(bytes: Buffer): Access {
  const reader = reading(() => new MDBReader(bytes));
  const names = reading(() => reader.getTableNames());
  if (names.length === 0) throw inexpressible("The database has no tables of its own.");
  return { names, table: (name, notes) => reading(() => tableOf(reader.getTable(name), notes)) };
}

/** The requested table, otherwise the first. */
export function parseAccess(bytes: Buffer, options: Options, notes: Notes): Table {
  const { names, table } = openAccess(bytes);
  const wanted = textOption(options, "table") ?? names[0] ?? "";
  if (!names.includes(wanted)) throw new Failure("INVALID_OPTION", `The database has these tables: ${names.join(", ").slice(0, 200)}.`);
  if (names.length > 1) noteOnce(notes, "SHEETS_LEFT_OUT", `Only table ${wanted} of ${names.length} was converted.`);
  return table(wanted, notes);
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { message } = error instanceof Error ? error : new Error("");
    if (message === "Wrong password")
      throw new Failure("PASSWORD_REQUIRED", "The database is protected by a password; remove the password and try again.");
    if (/not supported/i.test(message)) throw inexpressible("The database was made by a version of Access that cannot be read.");
    throw invalid("The file is damaged or is not a database of Access.");
  }
}

function tableOf(table: AccessTable, notes: Notes): Table {
  const columns = table.getColumns();
  if (table.rowCount * columns.length > maxCells) throw tooComplex("The table has more cells than a conversion may read.");
  const rows = table.getData();
  const cells = columns.map((column) => cellsOf(column, rows, notes));
  return { columns: columns.map(({ name }) => name), rows: rows.map((_, row) => cells.map((column) => column[row] ?? null)) };
}

type Cell = Table["rows"][number][number];

function cellsOf({ name, type }: Column, rows: readonly Readonly<Record<string, AccessValue>>[], notes: Notes): readonly Cell[] {
  const values = rows.map((row) => row[name] ?? null);
  if (type === "datetime") return momentsOf(values);
  return values.map((value) => {
    // Files attached to a row.
    if (!Array.isArray(value)) return cellOf(value, type);
    if (value.length > 0) noteOnce(notes, "STRUCTURE_DROPPED", "Attached files were left out; their names stay.");
    return value.map((file) => file.name).join("; ") || null;
  });
}

function cellOf(value: Exclude<AccessValue, unknown[]>, type: Column["type"]): Cell {
  if (typeof value === "bigint") return integerOf(value);
  if (typeof value === "string" && (type === "currency" || type === "numeric")) return scalar(numberOf(value));
  if (typeof value === "string" && type === "datetimextended") return momentOfText(value);
  if (typeof value === "number" && type === "float") return shortest(value);
  return value instanceof Date ? null : value;
}

const scalar = (value: Value): Cell => (Array.isArray(value) || value instanceof Map ? null : value);

/** Writes a 32-bit float with the fewest digits that identify it, as Access does. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

/** Access counts days from here, and stores a time of day as a fraction of this one. */
const dayZero = Date.UTC(1899, 11, 30);
const dayMs = 86_400_000;

/** Only dates if no value of the column has a time, only times if none has a date. They have no time zone. */
function momentsOf(values: readonly AccessValue[]): readonly Cell[] {
  const dates = values.map((value) => (value instanceof Date && !Number.isNaN(value.getTime()) ? value : undefined));
  const moments = dates.flatMap((date) => (date === undefined ? [] : [date.getTime() - dayZero]));
  const areDates = moments.every((ms) => ms % dayMs === 0);
  const areTimes = !areDates && moments.every((ms) => ms >= 0 && ms < dayMs);
  return dates.map((date) => {
    if (date === undefined) return null;
    const text = date.toISOString().replace(/\.000Z$|Z$/, "");
    return new Stamp(areDates ? text.slice(0, 10) : areTimes ? clockOf(date.getTime() - dayZero) : text, false);
  });
}

/** The library's format: `2026.01.31 12:00:00.000000000`. */
function momentOfText(text: string): Cell {
  const [, year, month, day, time = "", fraction = ""] = /^(\d{4})\.(\d\d)\.(\d\d) (\d\d:\d\d:\d\d)\.(\d{9})$/.exec(text) ?? [];
  if (year === undefined) return text;
  const part = fraction.replace(/0{1,9}$/, "");
  return new Stamp(`${year}-${month}-${day}T${time}${part === "" ? "" : `.${part}`}`, false);
}
