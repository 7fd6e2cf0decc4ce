/** Workbooks as tables, by SheetJS: cell values without formatting. */
import * as workbooks from "@e965/xlsx";
import { type Notes, noteAlso, noteOnce, noteWithin, type Options, textOption } from "../exchange.ts";
import { Failure, inexpressible, invalid, tooComplex } from "../failure.ts";
import { decodeText } from "../text-decoding.ts";
import { noting } from "./drawings.ts";
import { hiddenTablesOf } from "./hidden-tables.ts";
import { noteNumbers, readNumbers } from "./numbers.ts";
import { lacksResults } from "./old-workbooks.ts";
import { isComputed } from "./open-document.ts";
import { serialOf } from "./serial-dates.ts";
import { noteAttached } from "./sheet-attachments.ts";
import { cellOf } from "./sheet-cells.ts";
import { type Cell, cellText, columnNamesOf, maxCells, type Table, tableOf } from "./tables.ts";
import { firstOf, Stamp, type Value } from "./values.ts";
import { withWholeTexts } from "./whole-texts.ts";

export function parseSheet(bytes: Uint8Array, options: Options, notes: Notes, book = read(bytes, notes)): Table {
  const lines = linesOfSheet(bytes, options, notes, book);
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  const hasHeader = options.header !== false;
  const header = hasHeader ? (lines[0] ?? []).map(cellText) : [];
  const columns = columnNamesOf(header, width, notes);
  return { columns, rows: (hasHeader ? lines.slice(1) : lines).map((line) => columns.map((_, place) => line[place] ?? null)) };
}

/** The rows of the requested sheet, otherwise of the first visible one that is not empty; empty rows are left out. */
export function linesOfSheet(bytes: Uint8Array, options: Options, notes: Notes, book = read(bytes, notes)): readonly (readonly Cell[])[] {
  const names = shownSheetsOf(book, bytes);
  const wanted = textOption(options, "sheet") ?? "1";
  const place = (wanted === "1" ? names.find((name) => !isEmpty(book, name)) : undefined) ?? placeOf(book, names, wanted);
  const sheet = book.Sheets[place];
  if (sheet === undefined) {
    throw new Failure("INVALID_OPTION", names.length === 1 ? "The file has one sheet." : `The file has ${names.length} sheets.`);
  }
  const number = names.indexOf(place) + 1;
  if (number === 0) noteOnce(notes, "SHEETS_LEFT_OUT", `Only the hidden sheet ${place.slice(0, 60)} was converted.`);
  else if (names.length > 1) noteOnce(notes, "SHEETS_LEFT_OUT", `Only sheet ${number} of ${names.length} was converted.`);
  else if (book.SheetNames.length > 1) noteOnce(notes, "SHEETS_LEFT_OUT", "Hidden sheets were left out.");
  const is1904 = book.Workbook?.WBProps?.date1904 === true;
  const isOpen = /^f?ods$/.test(book.bookType ?? "");
  const rows: (workbooks.CellObject | undefined)[][] = sheet["!data"] ?? [];
  noteAttached(rows, notes);
  noteNumbers(sheet, notes);
  const empty: string[] = [];
  let last = -1;
  const withoutResult = readerOfMissing(bytes, isOpen);
  const isStale = asksToCompute(bytes, book);
  const lines = rows.flatMap((row, place) => {
    const line = Array.from(row ?? [], (cell) => {
      if (cell === undefined) return null;
      return isStale && cell.f !== undefined ? withoutResult() : cellOf(cell, is1904, withoutResult);
    });
    if (!line.some((cell) => cell !== null)) return [];
    if (place > last + 1 && last >= 0) empty.push(`row ${last + 2}`);
    last = place;
    return [line];
  });
  if (empty.length > 0) noteOnce(notes, "ENTRIES_LEFT_OUT", `Rows without a value were left out, from ${firstOf(empty)}.`);
  if (lines.length === 0) throw new Failure("CONVERSION_FAILED", emptySheet);
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  if (width * lines.length > maxCells) throw tooComplex("The sheet has too many cells to convert.");
  return lines;
}

/** The result of `parse` for each visible sheet, by name; no note about other sheets is needed then. An empty sheet is undefined. */
export function everySheet<T>(bytes: Uint8Array, notes: Notes, parse: (sheet: string, notes: Notes, book: workbooks.WorkBook) => T) {
  const book = read(bytes, notes);
  const names = shownSheetsOf(book, bytes);
  if (names.length < book.SheetNames.length) noteOnce(notes, "SHEETS_LEFT_OUT", "Hidden sheets were left out.");
  // A number is tried as a sheet position first.
  return names.map((name, place) => {
    if (isEmpty(book, name)) return [name, undefined] as const;
    const raised: Notes = new Map();
    const made = unlessEmpty(() => parse(String(place + 1), raised, book));
    raised.delete("SHEETS_LEFT_OUT");
    noteWithin(notes, names.length > 1 ? name : "", raised);
    return [name, made] as const;
  });
}

function unlessEmpty<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Failure && error.message === emptySheet) return undefined;
    throw error;
  }
}

const emptySheet = "The sheet is empty.";
const shownBefore = new WeakMap<workbooks.WorkBook, readonly string[]>();

/** The names of the visible sheets, in order; null for an empty one. */
export function sheetNamesOf(bytes: Uint8Array, notes: Notes): readonly (string | null)[] {
  const book = read(bytes, notes);
  const shown = shownSheetsOf(book, bytes);
  const charts = shown.filter((name) => isChart(book, name));
  const empty = shown.filter((name) => isEmpty(book, name) && !charts.includes(name));
  const hidden = book.SheetNames.filter((name) => !shown.includes(name));
  const said = [
    ...(hidden.length > 0 ? [`Hidden sheets were left out: ${firstOf(hidden)}.`] : []),
    ...(charts.length > 0 ? [`Charts that are sheets were left out: ${firstOf(charts)}.`] : []),
    ...(empty.length > 0 ? [`Empty sheets were left out: ${firstOf(empty)}.`] : []),
  ];
  if (said.length > 0) noteOnce(notes, "SHEETS_LEFT_OUT", said.join(" "));
  return shown.map((name) => (isEmpty(book, name) ? null : name));
}

const isChart = (book: workbooks.WorkBook, name: string): boolean => book.Sheets[name]?.["!type"] === "chart";

function isEmpty(book: workbooks.WorkBook, name: string): boolean {
  // A chart that is a sheet repeats the values of others.
  if (isChart(book, name)) return true;
  const rows: (workbooks.CellObject | undefined)[][] = book.Sheets[name]?.["!data"] ?? [];
  return !rows.some((row) => row?.some((cell) => cell !== undefined && (cell.t !== "z" || cell.f !== undefined)));
}

function shownSheetsOf(book: workbooks.WorkBook, bytes: Uint8Array): readonly string[] {
  const names = shownBefore.get(book) ?? findShown(book, bytes);
  shownBefore.set(book, names);
  return names;
}

function findShown({ SheetNames, Workbook }: workbooks.WorkBook, bytes: Uint8Array): readonly string[] {
  const hidden = SheetNames.length === 1 ? [] : hiddenTablesOf(bytes);
  const shown = SheetNames.filter((_, index) => (Workbook?.Sheets?.[index]?.Hidden ?? 0) === 0 && hidden[index] !== true);
  return shown.length === 0 ? SheetNames : shown;
}

/** By position among the visible sheets, otherwise by case-insensitive name, including hidden ones. Empty if there is none. */
function placeOf(book: workbooks.WorkBook, shown: readonly string[], wanted: string): string {
  const numbered = /^\d+$/.test(wanted) ? shown[Number(wanted) - 1] : undefined;
  return numbered ?? book.SheetNames.find((name) => name.toLowerCase() === wanted.toLowerCase()) ?? "";
}

const reading: workbooks.ParsingOptions = {
  type: "buffer",
  dense: true,
  cellFormula: true,
  cellNF: true,
  cellHTML: false,
  cellText: false,
  sheetStubs: true,
  UTC: true,
};

export function read(bytes: Uint8Array, notes: Notes): workbooks.WorkBook {
  try {
    // SYLK, of which the library takes each byte for a character.
    if (Buffer.from(bytes.subarray(0, 4)).toString() === "ID;P")
      return workbooks.read(decodeText(bytes, "auto", notes), { ...reading, type: "binary" });
    return readNumbers(bytes) ?? withWholeTexts(bytes, (whole) => workbooks.read(whole, reading), noting(notes));
  } catch (error) {
    if (error instanceof Error && /password|encrypt/i.test(error.message)) {
      throw new Failure("PASSWORD_REQUIRED", "The file is protected by a password; remove the password and try again.");
    }
    if (error instanceof Failure || (error instanceof RangeError && /call stack/.test(error.message))) throw error;
    // Such parts are optional: an office opens the workbook without them.
    if (error instanceof Error && error.message.startsWith("Cannot find file")) {
      throw new Failure("CONVERSION_FAILED", "The workbook lacks a required part.", true);
    }
    throw invalid("The workbook is damaged or is not what it claims to be.");
  }
}

/** Whether an office must compute the formulas on opening: the writer put zeros in place of the results. @see ECMA-376 part 1, 18.2.2 */
export function asksToCompute(bytes: Uint8Array, book: workbooks.WorkBook): boolean {
  if (lacksResults(bytes, book)) return true;
  const { CalcPr }: Readonly<Record<string, unknown>> = { ...book.Workbook };
  return typeof CalcPr === "object" && CalcPr !== null && "fullCalcOnLoad" in CalcPr && /^(1|true)$/.test(String(CalcPr.fullCalcOnLoad));
}

/** The value of a formula without a result. Programs that write such formulas leave them to the office that opens the file. */
export function readerOfMissing(bytes: Uint8Array, isOpen: boolean): () => Cell {
  let isEmptyText: boolean | undefined;
  return () => {
    isEmptyText ??= isOpen && isComputed(bytes);
    if (isEmptyText) return "";
    throw new Failure("CONVERSION_FAILED", "The workbook has formulas without results.", true);
  };
}

/** Where a column also has local times, those stay as they are. */
function noteZones({ zones, local }: { readonly zones: ReadonlySet<string>; readonly local: ReadonlySet<string> }, notes: Notes): void {
  const [whole, mixed] = [zones.difference(local), zones.intersection(local)];
  if (whole.size > 0) noteAlso(notes, "METADATA_DROPPED", `Times are written in UTC, without a time zone: ${firstOf([...whole])}.`);
  if (mixed.size > 0) noteAlso(notes, "METADATA_DROPPED", `Some times are written in UTC, beside local ones: ${firstOf([...mixed])}.`);
}

const bookTypes: Readonly<Record<string, workbooks.BookType>> = { xlsx: "xlsx", xlsb: "xlsb", xls: "biff8", xlsx2003: "xlml" };
const maxRows = 1_048_576;
const maxColumns = 16_384;
const old = { rows: 65_536, columns: 256 };

export function writeSheet(value: Value, to: string, options: Options, notes: Notes): Uint8Array {
  const { columns, rows } = tableOf(value, notes);
  const lines: unknown[][] = options.header === false ? [] : [columns.map((name) => escapedIn(to, textOf(name, to, notes)))];
  const changed = { texts: new Set<string>(), zones: new Set<string>(), local: new Set<string>() };
  for (const row of rows) {
    lines.push(
      row.map((cell, place) =>
        escapedIn(
          to,
          sheetCellOf(cell, to, notes, (how) => changed[how].add(columns[place] ?? "")),
        ),
      ),
    );
  }
  if (changed.texts.size > 0)
    noteOnce(notes, "TYPES_AS_TEXT", `Values that a cell cannot store were written as text: ${firstOf([...changed.texts])}.`);
  noteZones(changed, notes);
  const bounds = to === "xls" ? old : { rows: maxRows, columns: maxColumns };
  if (lines.length > bounds.rows || columns.length > bounds.columns) {
    throw new Failure(
      "INPUT_TOO_COMPLEX",
      `A sheet in this format has at most ${bounds.rows} rows and ${bounds.columns} columns; ${to === "xls" ? "xlsx" : "csv or parquet"} allows more.`,
    );
  }
  const sheet = workbooks.utils.aoa_to_sheet(lines, { dense: true });
  const book = workbooks.utils.book_new();
  workbooks.utils.book_append_sheet(book, sheet, "Sheet1");
  return bytesOfBook(book, to);
}

export function bytesOfBook(book: workbooks.WorkBook, to: string): Uint8Array {
  const bookType = bookTypes[to];
  if (bookType === undefined) throw new Failure("INTERNAL", "No such workbook.");
  // Inline, the library truncates text in XLS at 255 characters; in XLSX, offices do not read the escapes there. In a shared table they do.
  const bookSST = to === "xls" || to === "xlsx";
  const bytes = Buffer.from(workbooks.write(book, { type: "buffer", bookType, compression: true, bookSST }));
  // The library writes every row up to the last, although each has its number.
  return to === "xlsx2003" ? Buffer.from(bytes.toString().replace(/<Row ss:Index="\d{1,7}"><\/Row>/g, "")) : bytes;
}

const maxCellChars = 32_767;
/** What fits in one record at two bytes per character: the library cannot continue in the next. */
const maxRecordChars = 4110;

/** Escapes text that looks like an Open XML escape. @see ECMA-376 part 1, 22.9.2.19 */
export const escapedIn = (to: string, cell: unknown): unknown =>
  to === "xlsx" && typeof cell === "string" ? cell.replace(/_(?=x[\da-f]{4}_)/gi, "_x005F_") : cell;

/** Offices write smaller numbers as zero. */
const smallestNormal = 2 ** -1022;
/** For larger numbers their logarithm is off by one. */
const largestSure = 1.797693134862e308;

function isWritable(value: number, to: string): boolean {
  const size = Math.abs(value);
  if (value === 0) return !Object.is(value, -0);
  return size >= smallestNormal && size <= largestSure && (to === "xlsx" || to === "xlsx2003" || isSplitWell(size));
}

/** For binary formats the library derives the exponent from a logarithm, which is off near powers of two and for the smallest numbers. */
function isSplitWell(size: number): boolean {
  const mantissa = size * 2 ** (52 - Math.floor(Math.log(size) / Math.LN2));
  return mantissa >= 2 ** 52 && mantissa < 2 ** 53;
}

export function sheetCellOf(cell: Cell, to: string, notes: Notes, note: (how: "texts" | "zones" | "local") => void): unknown {
  if (cell === null || typeof cell === "boolean") return cell;
  if (typeof cell === "string") return textOf(cell, to, notes);
  if (typeof cell === "number" && isWritable(cell, to)) return cell;
  const day = cell instanceof Stamp ? serialOf(cell) : undefined;
  if (day !== undefined) {
    if (cell instanceof Stamp && (cell.isInstant || cell.text.includes("T"))) note(cell.isInstant ? "zones" : "local");
    return { t: "n", v: day.serial, z: day.format };
  }
  // Cells hold doubles: any other number is kept as text.
  note("texts");
  return cellText(cell);
}

const notInXml = /[^\t\n\x20-\ufffd]/g;
/** Other control characters are escaped, but offices read the escape of NUL as text. */
const notInCells = /[\0\ufffe\uffff]/g;

/** A line break in a cell is one character, and XML excludes some others. */
export function textOf(text: string, to: string, notes: Notes): string {
  if (text.length > maxCellChars)
    throw new Failure("INPUT_TOO_COMPLEX", `A workbook cell has at most ${maxCellChars} characters; csv allows more.`);
  if (to === "xls" && text.length > maxRecordChars)
    throw inexpressible(`A text has more than ${maxRecordChars} characters, the limit for this format.`);
  const clean = text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(to === "xlsx2003" ? notInXml : notInCells, "\ufffd");
  if (clean !== text)
    noteOnce(notes, "CHARACTERS_REPLACED", "Line breaks in cells were normalised, and characters that cells do not allow were replaced.");
  return clean;
}
