import { createRequire } from "node:module";
import { type CellObject, CFB, set_cptable, type WorkBook } from "@e965/xlsx";

/** Excel before version 97 wrote in a code page. Loading the tables takes a tenth of a second, which no other workbook should wait. */
export function loadCodePages(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isPlain = file[0] === 0x09;
  // A compound file [MS-CFB] without the stream of newer workbooks.
  const isWrapped = isCompound(file) && !file.includes("Workbook", 0, "utf16le");
  if (isPlain || isWrapped) set_cptable(createRequire(import.meta.url)("@e965/xlsx/dist/cpexcel"));
}

/** @see [MS-CFB] 2.2 */
const isCompound = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 4)).toString("hex") === "d0cf11e0";

/**
 * Whether no formula of an Excel 97 workbook has a result. Some programs write an empty text for
 * each, as xlwt does, others a zero and a flag that asks for computing, as Apache POI does.
 */
export function lacksResults(bytes: Uint8Array, { SheetNames, Sheets }: WorkBook): boolean {
  if (!isCompound(bytes)) return false;
  let count = 0;
  for (const name of SheetNames) {
    const rows: (CellObject | undefined)[][] = Sheets[name]?.["!data"] ?? [];
    for (const row of rows) {
      for (const cell of row ?? []) {
        if (cell?.f === undefined) continue;
        if (cell.v !== undefined && cell.v !== "" && cell.v !== 0) return false;
        count += 1;
      }
    }
  }
  if (count === 0) return false;
  const stream = CFB.find(CFB.read(bytes, { type: "buffer" }), "/Workbook");
  return stream !== null && everyFormula(Buffer.from(stream.content), lacksResult);
}

const formulaRecord = 6;
const blankText = 3;
const notNumber = 0xffff;
const zero = Buffer.alloc(8);
const asksOnLoad = 2;

/** @see [MS-XLS] 2.4.127 */
function lacksResult(record: Buffer): boolean {
  const value = record.subarray(6, 14);
  const isBlank = value[0] === blankText && value.readUInt16LE(6) === notNumber;
  return isBlank || (value.equals(zero) && (record.readUInt16LE(14) & asksOnLoad) !== 0);
}

function everyFormula(stream: Buffer, holds: (record: Buffer) => boolean): boolean {
  for (let at = 0; at + 4 <= stream.length; at += 4 + stream.readUInt16LE(at + 2)) {
    const record = stream.subarray(at + 4, at + 4 + stream.readUInt16LE(at + 2));
    if (stream.readUInt16LE(at) === formulaRecord && record.length >= 16 && !holds(record)) return false;
  }
  return true;
}
