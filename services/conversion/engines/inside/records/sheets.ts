/** Workbooks as tables, by SheetJS: cell values, not their looks. */
import * as workbooks from "@e965/xlsx";
import { type Notes, type Options, textOption } from "../exchange.ts";
import { Failure, invalid } from "../failure.ts";
import { type Cell, cellText, columnNamesOf, type Table, tableOf } from "./tables.ts";
import { Stamp, type Value } from "./values.ts";

export function parseSheet(bytes: Uint8Array, options: Options, notes: Notes): Table {
  const book = read(bytes);
  const names = book.SheetNames;
  const place = placeOf(names, textOption(options, "sheet") ?? "1");
  const sheet = book.Sheets[names[place] ?? ""];
  if (sheet === undefined) {
    throw new Failure("INVALID_OPTION", names.length === 1 ? "The file has one sheet." : `The file has ${names.length} sheets.`);
  }
  if (names.length > 1) notes.set("SHEETS_LEFT_OUT", `Only sheet ${place + 1} of ${names.length} was converted.`);
  const raw: unknown[][] = workbooks.utils.sheet_to_json(sheet, { header: 1, raw: true, defval: null, blankrows: false, UTC: true });
  const lines = raw.map((line) => Array.from(line, cellOf));
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  if (width === 0) throw new Failure("CONVERSION_FAILED", "The sheet is empty.");
  const hasHeader = options.header !== false;
  const header = hasHeader ? (lines[0] ?? []).map(cellText) : [];
  const columns = columnNamesOf(header, width, notes);
  return { columns, rows: (hasHeader ? lines.slice(1) : lines).map((line) => columns.map((_, place) => line[place] ?? null)) };
}

/** The names of the sheets, in order. */
export function sheetNamesOf(bytes: Uint8Array): readonly string[] {
  return read(bytes).SheetNames;
}

/** By number where there is such a one, else by name, where case does not matter. */
function placeOf(names: readonly string[], wanted: string): number {
  const number = /^\d+$/.test(wanted) ? Number(wanted) : 0;
  if (number >= 1 && number <= names.length) return number - 1;
  return names.findIndex((name) => name.toLowerCase() === wanted.toLowerCase());
}

function read(bytes: Uint8Array): workbooks.WorkBook {
  try {
    return workbooks.read(bytes, { type: "buffer", cellDates: true, dense: true, cellFormula: false, cellHTML: false, UTC: true });
  } catch (error) {
    if (error instanceof Error && /password|encrypt/i.test(error.message)) {
      throw new Failure("PASSWORD_REQUIRED", "The file is protected by a password; remove it and try again.");
    }
    if (error instanceof RangeError && /call stack/.test(error.message)) throw error;
    throw invalid("The workbook is damaged or is not what it claims to be.");
  }
}

/** Dates of workbooks have no place in the world: they are what the calendar and clock show. */
function cellOf(value: unknown): Cell {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) return null;
    const text = value.toISOString().replace(/\.000Z$|Z$/, "");
    return new Stamp(text.replace(/T00:00:00$/, ""), false);
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return value === null || value === undefined ? null : String(value);
}

const bookTypes: Readonly<Record<string, workbooks.BookType>> = { xlsx: "xlsx", xlsb: "xlsb", xls: "biff8" };
const maxRows = 1_048_576;
const maxColumns = 16_384;
const old = { rows: 65_536, columns: 256 };

export function writeSheet(value: Value, to: string, options: Options, notes: Notes): Uint8Array {
  const { columns, rows } = tableOf(value, notes);
  const lines: unknown[][] = options.header === false ? [] : [[...columns]];
  for (const row of rows) lines.push(row.map((cell) => sheetCellOf(cell, notes)));
  const bounds = to === "xls" ? old : { rows: maxRows, columns: maxColumns };
  if (lines.length > bounds.rows || columns.length > bounds.columns) {
    throw new Failure("CONVERSION_FAILED", `A sheet of this format holds ${bounds.rows} rows and ${bounds.columns} columns at most.`);
  }
  const sheet = workbooks.utils.aoa_to_sheet(lines, { cellDates: true, dense: true, UTC: true });
  const book = workbooks.utils.book_new();
  workbooks.utils.book_append_sheet(book, sheet, "Sheet1");
  const bookType = bookTypes[to];
  if (bookType === undefined) throw new Failure("INTERNAL", "No such workbook.");
  const written: unknown = workbooks.write(book, { type: "buffer", bookType, compression: true, cellDates: to !== "xlsx" });
  return written instanceof Uint8Array ? written : Buffer.from(String(written), "utf8");
}

const maxCellChars = 32_767;

function sheetCellOf(cell: Cell, notes: Notes): unknown {
  if (typeof cell === "string" && cell.length > maxCellChars) {
    throw new Failure("CONVERSION_FAILED", `A cell of a workbook holds ${maxCellChars} characters at most.`);
  }
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : String(cell);
  if (cell instanceof Stamp) {
    const isDay = /^\d{4}-\d\d-\d\d($|T)/.test(cell.text) && cell.text >= "1900-03-01";
    return isDay ? new Date(cell.isInstant || cell.text.length === 10 ? cell.text : `${cell.text}Z`) : cell.text;
  }
  if (cell === null || typeof cell === "string" || typeof cell === "boolean") return cell;
  // Cells hold 15 digits: more are kept as text.
  notes.set("TYPES_AS_TEXT", undefined);
  return cellText(cell);
}
