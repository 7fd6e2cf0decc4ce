/** What GDAL does not read from a KML: styles, and the times of a track's single points. */
import { readFileSync, writeFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
import type { Notes } from "../exchange.ts";
import { textOfXml } from "./gpx.ts";
import { plainKml } from "./kml-source.ts";
import { addNote } from "./notes.ts";

/** Limit for one unpacked document. */
const mostBytes = 256 * 2 ** 20;

export function inspectKml(bytes: Buffer, notes: Notes): void {
  for (const text of textsOf(bytes)) {
    plainKml(text, notes);
    if (/<(\w{1,20}:)?(Style|StyleMap)[\s>]/.test(text)) notes.set("STYLING_DROPPED", "Colours, lines and icons were left out.");
    if (/<gx:Track[\s>]/.test(text))
      addNote(notes, "METADATA_DROPPED", "The times of tracks' points were left out but for the first and the last.");
  }
}

/** Writes the only document of a KML or KMZ in a form that GDAL reads correctly. */
export function rewriteKml(input: string, output: string): void {
  const [text = ""] = textsOf(readFileSync(input));
  writeFileSync(output, plainKml(text, new Map()));
}

function textsOf(bytes: Buffer): readonly string[] {
  const texts = bytes.toString("latin1", 0, 2) === "PK" ? documentsIn(bytes) : [bytes];
  return texts.map((each) => textOfXml(each));
}

/** @see APPNOTE.TXT of PKWARE, 4.3.12: the central directory, whose entries locate each file. */
function documentsIn(zip: Buffer): readonly Buffer[] {
  const end = zip.lastIndexOf("PK\x05\x06", undefined, "latin1");
  if (end < 0 || end + 20 > zip.length) return [];
  const found: Buffer[] = [];
  let at = zip.readUInt32LE(end + 16);
  while (at + 46 <= zip.length && zip.readUInt32LE(at) === 0x02014b50) {
    const [method, packed, nameLength] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)];
    const [header, name] = [zip.readUInt32LE(at + 42), zip.toString("utf8", at + 46, at + 46 + nameLength)];
    if (name.toLowerCase().endsWith(".kml") && header + 30 <= zip.length) {
      const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
      const content = zip.subarray(start, start + packed);
      found.push(method === 8 ? inflated(content) : content);
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
