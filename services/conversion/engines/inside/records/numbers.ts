/** Documents of Apple Numbers since 2013: each table is a sheet of a workbook. Formulas are their results. */
import * as workbooks from "@e965/xlsx";
import { type Notes, noteOnce } from "../exchange.ts";
import { Failure, invalid, tooComplex } from "../failure.ts";
import { withoutZeros } from "../trailing.ts";
import { type FindObject, incomplete, type Message, openIWork } from "./iwork-archive.ts";
import { maxCells } from "./tables.ts";
import { firstOf } from "./values.ts";
import { markedDate } from "./whole-texts.ts";

/** `isRounded`: the document has more digits than a double. */
type Cell = workbooks.CellObject & { readonly isRounded?: true };
type Sheet = workbooks.WorkSheet & { "!data": Cell[][] };

const types = { document: 1, sheet: 2, group: 3008, tableInfo: 6000, link: 2032 };
/** Far more than people make. */
const mostTables = 5000;
/** A workbook's limits, which are larger than those of Numbers. */
const most = { rows: 1_048_576, columns: 16_384 };

/** Undefined if it is not a document of Numbers. */
export function readNumbers(bytes: Uint8Array): workbooks.WorkBook | undefined {
  const find = openIWork(bytes);
  if (find === undefined) return undefined;
  const root = find(1);
  if (root?.type !== types.document) throw invalid("The document is not of Numbers.");
  const book = { ...workbooks.utils.book_new(), bookType: "numbers" as const };
  let cells = 0;
  for (const identifier of root.message.references(1)) {
    const sheet = find(identifier)?.message;
    if (sheet === undefined) throw incomplete();
    const { tables, others } = contentsOf(sheet, find);
    const name = sheet.text(1) ?? "";
    for (const table of tables) {
      const size = sizeOf(table);
      cells += Math.max(size.rows, 1) * Math.max(size.columns, 1);
      if (cells > maxCells || book.SheetNames.length >= mostTables)
        throw tooComplex("The document has more cells than a conversion may read.");
      const read = tableOf(table, size, find);
      read["!others"] = others;
      const wanted = tables.length > 1 ? `${name} - ${table.text(8) ?? ""}` : name;
      let given = wanted;
      for (let count = 2; Object.hasOwn(book.Sheets, given); count++) given = `${wanted}_${count}`;
      book.SheetNames.push(given);
      book.Sheets[given] = read;
    }
  }
  if (book.SheetNames.length === 0) throw new Failure("CONVERSION_FAILED", "The document has no tables.");
  return book;
}

/** Notes what of a table of Numbers is not read, or not exactly. */
export function noteNumbers(sheet: workbooks.WorkSheet, notes: Notes): void {
  const others: unknown = sheet["!others"];
  if (others === undefined) return;
  if (others === true) noteOnce(notes, "DRAWINGS_LEFT_OUT", "Charts, pictures and text beside the tables were left out.");
  const rows: (Cell | undefined)[][] = sheet["!data"] ?? [];
  const rounded = rows.flatMap((row, r) => row.flatMap((cell, c) => (cell?.isRounded ? [workbooks.utils.encode_cell({ r, c })] : [])));
  if (rounded.length > 0) noteOnce(notes, "NUMBERS_ROUNDED", `Numbers were rounded to 17 digits: ${firstOf(rounded)}.`);
}

/** The models of the tables on a sheet, and whether it shows anything else. */
function contentsOf(sheet: Message, find: FindObject): { readonly tables: readonly Message[]; readonly others: boolean } {
  const open = [...sheet.references(2)];
  const tables: Message[] = [];
  const seen = new Set<number>();
  let others = false;
  for (const id of open) {
    const object = seen.has(id) ? undefined : find(id);
    seen.add(id);
    if (object === undefined) continue;
    if (object.type === types.group) {
      for (const child of object.message.references(2)) open.push(child);
    } else if (object.type === types.tableInfo) {
      const model = find(object.message.references(2)[0])?.message;
      if (model === undefined) throw incomplete();
      tables.push(model);
    } else others = true;
  }
  return { tables, others };
}

type Lists = { readonly [name in "strings" | "texts" | "comments" | "formats"]: ReadonlyMap<number, Message> };

type Size = { readonly rows: number; readonly columns: number };

function sizeOf(model: Message): Size {
  const size = { rows: model.number(6) ?? 0, columns: model.number(7) ?? 0 };
  if (!(size.rows <= most.rows && size.columns <= most.columns)) throw invalid("The document has tables larger than Numbers makes.");
  return size;
}

function tableOf(model: Message, { rows: height, columns: width }: Size, find: FindObject): Sheet {
  const store = model.message(4);
  if (store === undefined) throw incomplete();
  const list = (field: number) => listOf(store.references(field)[0], find);
  const lists: Lists = { strings: list(4), texts: list(17), comments: list(19), formats: list(22) };
  const tiles = new Map((store.message(3)?.messages(1) ?? []).map((tile) => [tile.number(1), tile.references(2)[0]]));
  const rows = Array.from({ length: height }, (): Cell[] => []);
  for (const node of store.message(9)?.messages(1) ?? []) {
    const tile = find(tiles.get(node.number(2)))?.message;
    if (tile === undefined) throw incomplete();
    const infos = tile.messages(5);
    // An older program saved it last, so that the newer cells may be out of date.
    if (tile.number(7) === 0 && infos.some((info) => (info.bytes(3)?.length ?? 0) > 4)) throw savedBefore2017();
    for (const info of infos) {
      const row = (node.number(1) ?? 0) + (info.number(1) ?? 0);
      if (row >= height) throw invalid("The document has cells outside of its tables.");
      rows[row] = cellsOf(info, width, lists, find);
    }
  }
  return { "!data": rows, "!ref": `A1:${workbooks.utils.encode_cell({ r: Math.max(height, 1) - 1, c: Math.max(width, 1) - 1 })}` };
}

/** By key. Long lists are divided into segments. */
function listOf(identifier: number | undefined, find: FindObject): ReadonlyMap<number, Message> {
  const list = find(identifier)?.message;
  const segments = list?.references(4).map((id) => find(id)?.message) ?? [];
  if (segments.includes(undefined)) throw incomplete();
  return new Map([list, ...segments].flatMap((part) => part?.messages(3) ?? []).map((entry) => [entry.number(1) ?? 0, entry]));
}

/** The office reads these. */
const savedBefore2017 = () => new Failure("CONVERSION_FAILED", "The document was last saved by a version of Numbers before 2017.", true);

/** Two bytes for each column tell where its cell starts. */
function cellsOf(info: Message, width: number, lists: Lists, find: FindObject): Cell[] {
  const [storage, offsets] = [info.bytes(6), info.bytes(7)];
  if (storage === undefined || offsets === undefined) throw savedBefore2017();
  const view = new DataView(offsets.buffer, offsets.byteOffset, offsets.byteLength);
  const unit = (info.number(8) ?? 0) > 0 ? 4 : 1;
  const cells: Cell[] = [];
  for (let column = 0; column < Math.min(width, offsets.length >> 1); column += 1) {
    const offset = view.getUint16(column * 2, true);
    const cell = offset === 0xffff ? undefined : cellOf(storage.subarray(offset * unit), lists, find);
    if (cell !== undefined) cells[column] = cell;
  }
  return cells;
}

/** Fields of a cell in order, as bits of its flags, and their lengths. */
const fields = [16, 8, 8, ...Array<number>(18).fill(4)];
const bit = { decimal: 0, double: 1, seconds: 2, string: 3, text: 4, formats: [13, 14, 15, 16], comment: 19 } as const;

function cellOf(bytes: Uint8Array, lists: Lists, find: FindObject): Cell | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint8(0) !== 5) throw new Failure("CONVERSION_FAILED", "The document was made by another version of Numbers.", true);
  const flags = view.getUint32(8, true);
  const places: number[] = [];
  let at = 12;
  for (const [place, length] of fields.entries()) {
    if (((flags >> place) & 1) === 0) continue;
    places[place] = at;
    at += length;
  }
  const key = (place: number) => (places[place] === undefined ? -1 : view.getUint32(places[place], true));
  const double = (place: number) => view.getFloat64(places[place] ?? bytes.length, true);
  const format = lists.formats.get(bit.formats.map(key).find((found) => found >= 0) ?? -1)?.message(6);
  const number = () => (places[bit.decimal] === undefined ? { v: double(bit.double) } : decimalOf(bytes.subarray(places[bit.decimal])));
  const cell = contentOf(view.getUint8(1), { number, double, key, format, lists, find });
  const comment = lists.comments.get(key(bit.comment));
  if (comment !== undefined) return { ...(cell ?? { t: "z" }), c: [{ t: find(comment.references(10)[0])?.message.text(1) ?? "" }] };
  return cell;
}

type Parts = {
  number(): Pick<Cell, "v" | "isRounded">;
  double(place: number): number;
  key(place: number): number;
  readonly format: Message | undefined;
  readonly lists: Lists;
  readonly find: FindObject;
};

/** A number of decimals that stands for as many as needed. */
const automatic = 253;
const formatTypes = { currency: 257, percent: 258 };

function contentOf(type: number, { number, double, key, format, lists, find }: Parts): Cell | undefined {
  switch (type) {
    case 0:
      return undefined;
    case 2:
    case 10:
      return { t: "n", ...number(), ...formatOf(format) };
    case 3:
      // Numbers leaves references to texts that were removed.
      return { t: "s", v: lists.strings.get(key(bit.string))?.text(3) ?? "" };
    case 5:
      return { t: "s", v: markedDate(momentOf(double(bit.seconds))) };
    case 6:
      return { t: "b", v: double(bit.double) > 0 };
    case 7:
      return { t: "n", v: double(bit.double) / 86_400, z: "[h]:mm:ss.000" };
    case 8:
      // Numbers has errors without names.
      return { t: "e", v: 15 };
    case 9:
      return richText(lists.texts.get(key(bit.text)), find);
    default:
      throw new Failure("CONVERSION_FAILED", "The document has cells of an unknown type.", true);
  }
}

function formatOf(format: Message | undefined): Pick<Cell, "z"> {
  const places = format?.number(2) ?? automatic;
  const digits = `0${places === 0 ? "" : `.${"0".repeat(places > 30 ? 2 : places)}`}`;
  if (format?.number(1) === formatTypes.percent) return { z: `${digits}%` };
  const currency = format?.number(1) === formatTypes.currency ? (format.text(3) ?? "") : "";
  return /^[A-Z]{3}$/.test(currency) ? { z: `[$${currency}] #,##${digits}` } : {};
}

/** A paragraph's storage has its text, and its links. */
function richText(entry: Message | undefined, find: FindObject): Cell {
  const storage = find(find(entry?.references(9)[0])?.message.references(1)[0])?.message;
  if (storage === undefined) throw incomplete();
  const marks = (storage.message(11)?.messages(1) ?? []).map((mark) => find(mark.references(2)[0]));
  const link = marks.find((mark) => mark?.type === types.link)?.message.text(2);
  const text = storage.every(3).map((part) => Buffer.from(part).toString());
  return { t: "s", v: text.join(""), ...(link !== undefined && { l: { Target: link } }) };
}

const start = Date.UTC(2001, 0, 1);

/** Seconds since 2001, without a zone, as ISO 8601. */
function momentOf(seconds: number): string {
  const moment = new Date(start + Math.round(seconds * 1000));
  if (Number.isNaN(moment.getTime())) throw invalid("The document has a date that does not exist.");
  return moment.toISOString().replace(/(T00:00:00)?(\.000)?Z$/, "");
}

/** A decimal of 128 bits in the binary encoding of IEEE 754-2008, and whether a double holds fewer digits. */
function decimalOf(bytes: Uint8Array): Pick<Cell, "v" | "isRounded"> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const high = view.getBigUint64(8, true);
  const digits = ((high & 0x1_ffff_ffff_ffffn) << 64n) | view.getBigUint64(0, true);
  const v = Number(`${high >> 63n === 1n ? "-" : ""}${digits}e${Number((high >> 49n) & 0x3fffn) - 6176}`);
  const isExact = digits < 10n ** 15n || withoutZeros(String(digits)) === withoutZeros(v.toExponential().replace(/^-|\.|e.*/g, ""));
  return isExact ? { v } : { v, isRounded: true };
}
