/** Workbooks made of others. */
import * as workbooks from "@e965/xlsx";
import { type Notes, noteAlso, noteOnce } from "../exchange.ts";
import { noteNumbers } from "./numbers.ts";
import { stampOfWritten } from "./serial-dates.ts";
import { bytesOfBook, escapedIn, read, sheetCellOf } from "./sheets.ts";
import { firstOf } from "./values.ts";
import { writtenDateOf } from "./whole-texts.ts";

/** All tables of a workbook, each cell in its place. */
export function rewrittenBook(bytes: Uint8Array, to: string, notes: Notes): Uint8Array {
  const { SheetNames, Sheets } = read(bytes);
  const book = workbooks.utils.book_new();
  const used = new Set<string>();
  const texts: string[] = [];
  for (const name of SheetNames) {
    const sheet = Sheets[name];
    if (sheet === undefined) continue;
    noteNumbers(sheet, notes);
    const rows: (workbooks.CellObject | undefined)[][] = sheet["!data"] ?? [];
    for (const [row, line] of rows.entries()) {
      for (const [column, cell] of (line ?? []).entries()) {
        if (typeof cell?.v !== "string" && typeof cell?.v !== "number") continue;
        const written = typeof cell.v === "string" ? writtenDateOf(cell.v) : undefined;
        const value = written === undefined ? cell.v : stampOfWritten(written);
        const place = () => texts.push(`${name} ${workbooks.utils.encode_cell({ r: row, c: column })}`);
        if (cell.t !== "e") Object.assign(cell, objectOf(escapedIn(to, sheetCellOf(value, to, notes, place))));
      }
    }
    workbooks.utils.book_append_sheet(book, sheet, validName(name, used, notes));
  }
  if (texts.length > 0) noteOnce(notes, "TYPES_AS_TEXT", `Values that a cell cannot store were written as text: ${firstOf(texts)}.`);
  noteAlso(notes, "STYLING_DROPPED", "Fonts, colours, column widths and merged cells were left out; formulas became their results.");
  return bytesOfBook(book, to);
}

const objectOf = (cell: unknown): object =>
  typeof cell === "object" && cell !== null ? cell : { t: typeof cell === "number" ? "n" : "s", v: cell };

/** Joins workbooks with one sheet each. */
export function joinedBook(sheets: ReadonlyMap<string, Uint8Array>, to: string, notes: Notes): Uint8Array {
  const book = workbooks.utils.book_new();
  const used = new Set<string>();
  for (const [name, bytes] of sheets) {
    const [only] = Object.values(read(bytes).Sheets);
    if (only === undefined) continue;
    const rows: (workbooks.CellObject | undefined)[][] = only["!data"] ?? [];
    for (const cell of rows.flat()) if (cell?.t === "s") cell.v = String(escapedIn(to, cell.v));
    workbooks.utils.book_append_sheet(book, only, validName(name, used, notes));
  }
  return bytesOfBook(book, to);
}

/** The name, or the nearest that a sheet may have. */
function validName(name: string, used: Set<string>, notes: Notes): string {
  const wanted = name.replace(/[[\]:*?/\\]/g, "_").slice(0, 31);
  let given = wanted;
  for (let count = 2; used.has(given.toLowerCase()) || given === ""; count++) given = `${wanted.slice(0, 26)}_${count}`;
  used.add(given.toLowerCase());
  if (given !== name) noteOnce(notes, "NAMES_CHANGED", `Tables were renamed to valid sheet names: ${given}.`);
  return given;
}
