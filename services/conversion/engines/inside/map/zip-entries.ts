/** The files of a ZIP archive that are read here, besides what GDAL reads itself. */
import { inflateRawSync } from "node:zlib";

/** Limit for one unpacked file. */
const mostBytes = 256 * 2 ** 20;

type Entry = { readonly name: string; readonly content: () => Buffer };

/** @see APPNOTE.TXT of PKWARE, 4.3.12: the central directory, whose entries locate each file. */
export function entriesIn(zip: Buffer, wanted: RegExp): readonly Entry[] {
  const end = zip.lastIndexOf("PK\x05\x06", undefined, "latin1");
  if (end < 0 || end + 20 > zip.length) return [];
  const found: Entry[] = [];
  let at = zip.readUInt32LE(end + 16);
  while (at + 46 <= zip.length && zip.readUInt32LE(at) === 0x02014b50) {
    const [method, packed, nameLength] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)];
    const [header, name] = [zip.readUInt32LE(at + 42), zip.toString("utf8", at + 46, at + 46 + nameLength)];
    if (wanted.test(name) && header + 30 <= zip.length) {
      const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
      const content = zip.subarray(start, start + packed);
      found.push({ name, content: () => (method === 8 ? inflated(content) : content) });
    }
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return found;
}

function inflated(content: Buffer): Buffer {
  try {
    return inflateRawSync(content, { maxOutputLength: mostBytes });
  } catch (error) {
    // GDAL has read the file, so the damage is not in the map.
    if (error instanceof RangeError) throw error;
    return Buffer.alloc(0);
  }
}
