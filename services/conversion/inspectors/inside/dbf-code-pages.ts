/** Finds the code page of a dBase table: a byte of its header states it, or nothing does. */
import { encodingOf } from "#formats/sniff/encoding.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { codePageOf, guessCodePage } from "#services/conversion/engines/inside/dbase-code-pages.ts";
import { contentOf } from "./remote-file.ts";

/** Enough of a table to recognise its letters. */
const headBytes = 256 * 1024;
const codePageAt = 29;

/** @see LibreOffice's rtl_TextEncoding, which its filters take as numbers */
const officeNumbers: Readonly<Record<string, number>> = {
  "windows-1252": 1,
  macintosh: 2,
  ibm437: 3,
  ibm850: 4,
  ibm860: 5,
  ibm861: 6,
  ibm863: 7,
  ibm865: 8,
  ibm737: 23,
  ibm852: 25,
  ibm857: 27,
  ibm866: 30,
  "windows-874": 32,
  "windows-1250": 33,
  "windows-1251": 34,
  "windows-1253": 35,
  "windows-1254": 36,
  "windows-1255": 37,
  "windows-1256": 38,
  "windows-1257": 39,
  shift_jis: 64,
  gbk: 67,
  big5: 68,
  "koi8-r": 74,
  "utf-8": 76,
  "euc-kr": 79,
};

type TableEncoding = {
  /** For LibreOffice's filter. */
  readonly number: string;
  /** The label, if nothing in the table states it. */
  readonly guess?: string;
};

/** Undefined: there are no letters that could show it. */
export async function tableEncodingOf(file: ByteSource): Promise<TableEncoding | undefined> {
  const head = await contentOf(file, headBytes);
  if (head.length < 32) return undefined;
  const declared = officeNumbers[codePageOf(head[codePageAt] ?? 0) ?? ""];
  if (declared !== undefined) return { number: String(declared) };
  // The header contains lengths, not letters.
  const records = head.subarray(Math.min(head.readUInt16LE(8), head.length));
  if (!records.some((byte) => byte >= 0x80)) return undefined;
  // Valid UTF-8 is practically never anything else.
  if (encodingOf(records) === "utf-8") return { number: String(officeNumbers["utf-8"]) };
  const guess = guessCodePage(records);
  return { number: String(officeNumbers[guess]), guess };
}
