/** Workbooks made of others. */
import * as workbooks from "@e965/xlsx";
import { type Notes, noteAlso, noteOnce } from "../exchange.ts";
import { noteNumbers } from "./numbers.ts";
import { cellOf } from "./sheet-cells.ts";
import { asksToCompute, bytesOfBook, escapedIn, read, readerOfMissing, sheetCellOf } from "./sheets.ts";
import { firstOf } from "./values.ts";

/** All tables of a workbook, each cell in its place. */
export function rewrittenBook(bytes: Uint8Array, to: string, notes: Notes): Uint8Array {
  const source = read(bytes);
  const { SheetNames, Sheets, Workbook, bookType } = source;
  const is1904 = Workbook?.WBProps?.date1904 === true;
  const [withoutResult, isStale] = [readerOfMissing(bytes, /^f?ods$/.test(bookType ?? "")), asksToCompute(source)];
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
        if (cell === undefined || cell.t === "e") continue;
        const isKept = cell.t === "n" && !is1904;
        const value = cell.f !== undefined && isStale ? withoutResult() : isKept ? Number(cell.v) : cellOf(cell, is1904, withoutResult);
        if (value === null) continue;
        const place = () => texts.push(`${name} ${workbooks.utils.encode_cell({ r: row, c: column })}`);
        Object.assign(cell, { f: undefined }, objectOf(escapedIn(to, sheetCellOf(value, to, notes, place))));
      }
    }
    const kept = Object.assign(workbooks.utils.aoa_to_sheet([], { dense: true }), { "!data": rows, "!ref": sheet["!ref"] });
    workbooks.utils.book_append_sheet(book, kept, validName(name, used, notes));
  }
  book.Workbook = { Sheets: SheetNames.map((_, place) => ({ Hidden: Workbook?.Sheets?.[place]?.Hidden ?? 0 })) };
  if (texts.length > 0) noteOnce(notes, "TYPES_AS_TEXT", `Values that a cell cannot store were written as text: ${firstOf(texts)}.`);
  noteAlso(
    notes,
    "STYLING_DROPPED",
    "Fonts, colours, column widths, merged cells, pictures and charts were left out; formulas became their results.",
  );
  return bytesOfBook(book, to);
}

const objectOf = (cell: unknown): object =>
  typeof cell === "object" && cell !== null ? cell : { t: typeof cell === "string" ? "s" : typeof cell === "number" ? "n" : "b", v: cell };

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
