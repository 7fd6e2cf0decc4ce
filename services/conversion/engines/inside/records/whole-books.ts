/** Workbooks made of others. */
import * as workbooks from "@e965/xlsx";
import { decodeEntities, escapeMarkup } from "../entities.ts";
import { type Notes, noteAlso, noteOnce } from "../exchange.ts";
import { tooComplex } from "../failure.ts";
import { noteNumbers } from "./numbers.ts";
import { cellOf, errorOf } from "./sheet-cells.ts";
import { asksToCompute, bytesOfBook, escapedIn, read, readerOfMissing, sheetCellOf, textOf } from "./sheets.ts";
import { firstOf } from "./values.ts";

/** The library visits every place up to the last cell. */
const mostPlaces = 50_000_000;
const withoutFormula = { f: undefined, F: undefined, D: undefined } as const;

/** All tables of a workbook, each cell in its place. */
export function rewrittenBook(bytes: Uint8Array, to: string, notes: Notes): Uint8Array {
  const source = read(bytes, notes);
  const { SheetNames, Sheets, Workbook, bookType } = source;
  const is1904 = Workbook?.WBProps?.date1904 === true;
  const [withoutResult, isStale] = [readerOfMissing(bytes, /^f?ods$/.test(bookType ?? "")), asksToCompute(bytes, source)];
  const book = workbooks.utils.book_new();
  const used = new Set<string>();
  const [texts, remarks]: [string[], string[]] = [[], []];
  const shown: { readonly Hidden: 0 | 1 | 2 }[] = [];
  for (const [place, name] of SheetNames.entries()) {
    const sheet = Sheets[name];
    if (sheet === undefined) continue;
    shown.push({ Hidden: Workbook?.Sheets?.[place]?.Hidden ?? 0 });
    noteNumbers(sheet, notes);
    const rows: (workbooks.CellObject | undefined)[][] = sheet["!data"] ?? [];
    const last = { r: 0, c: 0 };
    for (const [row, line] of rows.entries()) {
      for (const [column, cell] of (line ?? []).entries()) {
        if (cell === undefined) continue;
        const address = () => `${name} ${workbooks.utils.encode_cell({ r: row, c: column })}`;
        if (cell.v === undefined && cell.f === undefined) {
          if ((cell.c?.length ?? 0) > 0) remarks.push(address());
          continue;
        }
        Object.assign(last, { r: row, c: Math.max(column, last.c) });
        if (to === "xlsx2003") plainComments(cell, notes);
        const error = errorOf(cell);
        if (error !== undefined) Object.assign(cell, withoutFormula, { t: "e", v: error });
        if (cell.t === "e") continue;
        const isKept = cell.t === "n" && !is1904;
        const value = cell.f !== undefined && isStale ? withoutResult() : isKept ? Number(cell.v) : cellOf(cell, is1904, withoutResult);
        if (value === null) continue;
        const place = (how: "texts" | "zones" | "local") => void (how !== "local" && texts.push(address()));
        Object.assign(cell, withoutFormula, objectOf(escapedIn(to, sheetCellOf(value, to, notes, place))));
      }
    }
    if ((last.r + 1) * (last.c + 1) > mostPlaces) throw tooComplex("A sheet has cells too far from each other; csv allows more.");
    const range = workbooks.utils.encode_range({ s: { r: 0, c: 0 }, e: last });
    const kept = Object.assign(workbooks.utils.aoa_to_sheet([], { dense: true }), { "!data": rows, "!ref": range });
    workbooks.utils.book_append_sheet(book, kept, validName(name, used, notes));
  }
  book.Workbook = { Sheets: shown };
  if (remarks.length > 0) noteOnce(notes, "TEXT_LEFT_OUT", `Comments of empty cells were left out: ${firstOf(remarks)}.`);
  if (texts.length > 0) noteOnce(notes, "TYPES_AS_TEXT", `Values that a cell cannot store were written as text: ${firstOf(texts)}.`);
  noteAlso(
    notes,
    "STYLING_DROPPED",
    "Fonts, colours, column widths, merged cells, pictures and charts were left out; formulas became their results.",
  );
  return bytesOfBook(book, to);
}

/** The library writes the text of a comment into XML as it is, and the names of authors as some files spell them. */
function plainComments(cell: workbooks.CellObject, notes: Notes): void {
  const plain = (text: string): string => escapeMarkup(textOf(text, "xlsx2003", notes)).replaceAll('"', "&quot;");
  for (const comment of cell.c ?? [])
    Object.assign(comment, { t: plain(comment.t ?? ""), a: comment.a && plain(decodeEntities(comment.a)) });
}

const objectOf = (cell: unknown): object =>
  typeof cell === "object" && cell !== null ? cell : { t: typeof cell === "string" ? "s" : typeof cell === "number" ? "n" : "b", v: cell };

/** Joins workbooks with one sheet each. */
export function joinedBook(sheets: ReadonlyMap<string, Uint8Array>, to: string, notes: Notes): Uint8Array {
  const book = workbooks.utils.book_new();
  const used = new Set<string>();
  for (const [name, bytes] of sheets) {
    const [only] = Object.values(read(bytes, notes).Sheets);
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
