/** Counts the glyphs of a font. */
import { inflateSync } from "node:zlib";
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";

/** @see OpenType 1.9 (table directory, maxp), WOFF 1.0, 5 */
export async function glyphsOf(file: ByteSource, format: string): Promise<number | undefined> {
  const isWoff = format === "woff";
  if (!isWoff && format !== "ttf" && format !== "otf") return undefined;
  const { head } = file;
  const [from, step] = isWoff ? [44, 20] : [12, 16];
  const tables = head.readUInt16BE(isWoff ? 12 : 4);
  for (let table = 0; table < tables; table += 1) {
    const at = from + table * step;
    if (head.toString("latin1", at, at + 4) !== "maxp") continue;
    const offset = head.readUInt32BE(at + (isWoff ? 4 : 8));
    const packed = isWoff ? head.readUInt32BE(at + 8) : 6;
    const bytes = await bytesAt(file, offset, packed);
    const isPacked = isWoff && packed < head.readUInt32BE(at + 12);
    return (isPacked ? inflateSync(bytes, { maxOutputLength: 1024 }) : bytes).readUInt16BE(4);
  }
  return undefined;
}
