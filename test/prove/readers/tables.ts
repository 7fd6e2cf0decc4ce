/** The cells of a table, by readers of another hand than its writer's. */
import { readFile } from "node:fs/promises";
import { read, utils } from "@e965/xlsx";
import type { KnownFile } from "#test/prove/samples.ts";
import { leavesOf } from "#test/services/conversion/engines/foreign-data.ts";
import { textOf, withoutTags, xmlLeaves } from "./words.ts";

export type Cells = { readonly reader: string; readonly cells: readonly string[] };

/** The engine whose library SheetJS is. */
const sheetJsWriter = "data";
const books = new Set("xlsx xlsm xltx xls xlt xlsb ods ots fods uos dif slk dbf xlsx2003 csv tsv html wk1".split(" "));

export async function cellsOf(file: KnownFile, writer?: string): Promise<Cells> {
  const leaves = await leavesOf(file.path, file.format).catch(() => undefined);
  if (leaves !== undefined) return { reader: "python", cells: leaves };
  if (file.format === "xls" && writer === sheetJsWriter) return { reader: "bytes", cells: [(await textOf(file)).text] };
  if (file.format === "uos") return { reader: "xml", cells: xmlLeaves(await readFile(file.path, "utf8")) };
  if (books.has(file.format) && writer !== sheetJsWriter) return { reader: "sheetjs", cells: await sheetJsCells(file.path) };
  const { reader, text } = await textOf(file, writer);
  return { reader, cells: [text, withoutTags(text)] };
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

/** The share of cells found, whatever their order: numbers by their value, texts by their characters. */
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
