/** Finds the code page of a dBase table: a byte of its header states it, or nothing does. */
import { encodingOf } from "#formats/sniff/encoding.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { guessEncoding } from "#services/conversion/engines/inside/guess-encoding.ts";
import { contentOf } from "./remote-file.ts";

/** Enough of a table to recognise its letters. */
const headBytes = 256 * 1024;
const codePageAt = 29;

/**
 * Labels as in the Encoding Standard if it has one. @see dBASE language driver id, in the specification of Esri's shapefiles and Visual
 * FoxPro
 */
const labelOfDriver: Readonly<Record<number, string>> = {
  ...drivers("ibm437", 0x01, 0x09, 0x0b, 0x0d, 0x0f, 0x11, 0x15, 0x18, 0x19, 0x1b),
  ...drivers("ibm850", 0x02, 0x0a, 0x0e, 0x10, 0x12, 0x14, 0x16, 0x1a, 0x1d, 0x25, 0x37),
  ...drivers("windows-1252", 0x03, 0x57, 0x58, 0x59),
  ...drivers("macintosh", 0x04),
  ...drivers("ibm865", 0x08, 0x17, 0x66),
  ...drivers("shift_jis", 0x13, 0x7b),
  ...drivers("ibm863", 0x1c, 0x6c),
  ...drivers("ibm852", 0x1f, 0x22, 0x23, 0x40, 0x64, 0x87),
  ...drivers("ibm860", 0x24),
  ...drivers("ibm866", 0x26, 0x65),
  ...drivers("gbk", 0x4d, 0x7a),
  ...drivers("euc-kr", 0x4e, 0x79),
  ...drivers("big5", 0x4f, 0x78),
  ...drivers("windows-874", 0x50, 0x7c),
  ...drivers("ibm861", 0x67),
  ...drivers("ibm737", 0x6a, 0x86),
  ...drivers("ibm857", 0x6b, 0x88),
  ...drivers("windows-1255", 0x7d),
  ...drivers("windows-1256", 0x7e),
  ...drivers("windows-1250", 0xc8),
  ...drivers("windows-1251", 0xc9),
  ...drivers("windows-1254", 0xca),
  ...drivers("windows-1253", 0xcb),
  ...drivers("windows-1257", 0xcc),
};

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

function drivers(label: string, ...ids: readonly number[]): Record<number, string> {
  return Object.fromEntries(ids.map((id) => [id, label]));
}

type TableEncoding = {
  /** For LibreOffice's filter. */
  readonly number: string;
  /** The label, if nothing in the table states it. */
  readonly guess?: string;
};

/** Bytes without a character in the Windows code page for Western Europe. In those of DOS they are letters. */
const dosOnly = Buffer.from([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/** Undefined: there are no letters that could show it. */
export async function tableEncodingOf(file: ByteSource): Promise<TableEncoding | undefined> {
  const head = await contentOf(file, headBytes);
  if (head.length < 32) return undefined;
  const declared = officeNumbers[labelOfDriver[head[codePageAt] ?? 0] ?? ""];
  if (declared !== undefined) return { number: String(declared) };
  // The header contains lengths, not letters.
  const records = head.subarray(Math.min(head.readUInt16LE(8), head.length));
  if (!records.some((byte) => byte >= 0x80)) return undefined;
  // Valid UTF-8 is practically never anything else.
  if (encodingOf(records) === "utf-8") return { number: String(officeNumbers["utf-8"]) };
  const guess = guessOf(records);
  return { number: String(officeNumbers[guess]), guess };
}

function guessOf(records: Buffer): string {
  const label = guessEncoding(records);
  if (label !== "windows-1252" && officeNumbers[label] !== undefined) return label;
  const count = (from: number, to: number) => records.filter((byte) => byte >= from && byte <= to).length;
  const isDos = dosOnly.some((byte) => records.includes(byte)) || count(0x80, 0xa5) > count(0xc0, 0xff);
  return isDos ? "ibm850" : "windows-1252";
}
