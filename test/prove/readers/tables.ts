/** Cells of a table, by readers independent of its writer. */
import { readFile } from "node:fs/promises";
import { read, utils } from "@e965/xlsx";
import avro from "avsc";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import type { KnownFile } from "#test/prove/samples.ts";
import { leaves, leavesOf } from "#test/services/conversion/engines/data/foreign-data.ts";
import { textOf, withoutTags, xmlLeaves } from "./words.ts";

export type Cells = { readonly reader: string; readonly cells: readonly string[] };

/** The engine that uses SheetJS. */
const sheetJsWriter = "data";
const books = new Set("xlsx xlsm xltx xls xlt xlsb ods ots fods uos dif slk dbf xlsx2003 csv tsv html wk1".split(" "));

export async function cellsOf(file: KnownFile, writer?: string): Promise<Cells> {
  const foreign = await leavesOf(file.path, file.format).catch(() => undefined);
  if (foreign !== undefined) return { reader: "python", cells: foreign };
  if (file.format === "bson") return { reader: "bytes", cells: bsonDocuments(await readFile(file.path)) };
  if (file.format === "avro") return { reader: "self", cells: await avroLeaves(file.path) };
  if (file.format === "parquet")
    return { reader: "self", cells: leaves(await parquetReadObjects({ file: await asyncBufferFromFile(file.path), compressors })) };
  if (file.format === "xlsb" && writer === sheetJsWriter) return { reader: "self", cells: await sheetJsCells(file.path) };
  if (file.format === "uos") return { reader: "xml", cells: xmlLeaves(await readFile(file.path, "utf8")) };
  if (books.has(file.format) && writer !== sheetJsWriter) return { reader: "sheetjs", cells: await sheetJsCells(file.path) };
  const { reader, text } = await textOf(file, writer);
  return { reader, cells: [text, withoutTags(text)] };
}

/** Workbooks that only the library that wrote them can read: another engine converts them to a table. */
export const throughOffice = new Set(["xls"]);

function avroLeaves(path: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const found: string[] = [];
    avro
      .createFileDecoder(path)
      .on("data", (record: unknown) => found.push(...leaves(JSON.parse(JSON.stringify(record)))))
      .on("error", reject)
      .on("end", () => resolve(found));
  });
}

/** Concatenated documents, as in a database dump. */
function bsonDocuments(bytes: Buffer): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at + 5 <= bytes.length; at += bytes.readInt32LE(at)) found.push(...bsonLeaves(bytes.subarray(at)));
  return found;
}

/** Names and values, element by element. @see https://bsonspec.org/spec.html */
function bsonLeaves(bytes: Buffer): readonly string[] {
  const found: string[] = [];
  const end = bytes.readInt32LE(0) - 1;
  for (let at = 4; at < end; ) {
    const type = bytes[at] ?? 0;
    const nameEnd = bytes.indexOf(0, at + 1);
    const value = bytes.subarray(nameEnd + 1, end);
    found.push(bytes.toString("utf8", at + 1, nameEnd));
    const isNested = type === 3 || type === 4;
    if (isNested) found.push(...bsonLeaves(value));
    const length = isNested || type === 2 ? value.readInt32LE(0) : 0;
    const sizes: Readonly<Record<number, number>> = { 1: 8, 2: 4 + length, 3: length, 4: length, 8: 1, 9: 8, 10: 0, 16: 4, 18: 8 };
    const size = sizes[type];
    if (size === undefined) throw new Error(`an element of type ${type}`);
    if (type === 1) found.push(String(value.readDoubleLE(0)));
    if (type === 2) found.push(value.toString("utf8", 4, 3 + length));
    if (type === 8) found.push(String(value[0] === 1));
    if (type === 9 || type === 18) found.push(String(value.readBigInt64LE(0)));
    if (type === 16) found.push(String(value.readInt32LE(0)));
    at = nameEnd + 1 + size;
  }
  return found;
}

async function sheetJsCells(path: string): Promise<readonly string[]> {
  const book = read(await readFile(path), { cellDates: false });
  const cells = book.SheetNames.flatMap((name) => {
    const sheet = book.Sheets[name];
    if (sheet === undefined) return [];
    const [values, shown] = [
      utils.sheet_to_json<unknown[]>(sheet, { header: 1 }),
      utils.sheet_to_json<unknown[]>(sheet, { header: 1, raw: false }),
    ];
    return [...values, ...shown].flat();
  });
  return cells.filter((cell) => cell !== undefined && cell !== null).map(String);
}

/** The share of cells found in any order: numbers by value, text by characters. */
export function cellRecallOf(wanted: readonly string[], found: readonly string[]): number {
  if (wanted.length === 0) throw new Error("nothing is known to be in the sample");
  const numbers = new Set(
    found
      .filter((cell) => cell.trim() !== "")
      .map(Number)
      .filter((value) => !Number.isNaN(value)),
  );
  const texts = found.map(plain);
  const whole = texts.join("\n");
  const has = (cell: string) => (cell !== "" && !Number.isNaN(Number(cell)) && numbers.has(Number(cell))) || whole.includes(plain(cell));
  return wanted.filter(has).length / wanted.length;
}

function plain(cell: string): string {
  return cell
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\s"\\]+/g, "");
}
