import { createRequire } from "node:module";
import { set_cptable } from "@e965/xlsx";

/** Excel before version 97 wrote in a code page. Loading the tables takes a tenth of a second, which no other workbook should wait. */
export function loadCodePages(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isPlain = file[0] === 0x09;
  // A compound file [MS-CFB] without the stream of newer workbooks.
  const isWrapped = file.length > 8 && file.readUInt32BE() === 0xd0cf11e0 && !file.includes("Workbook", 0, "utf16le");
  if (isPlain || isWrapped) set_cptable(createRequire(import.meta.url)("@e965/xlsx/dist/cpexcel"));
}
