/** Small files, built byte by byte, for format detection. */
import { deflateRawSync } from "node:zlib";
import { compoundFile } from "#test/harness/compound-file.ts";

const crcIsNotRead = 0;

/** A ZIP archive; names that start with `=` are stored, the others deflated. ZIP64 states sizes and offsets in extra fields only. */
export function zipOf(entries: Readonly<Record<string, string>>, { zip64 = false } = {}): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [given, content] of Object.entries(entries)) {
    const isStored = given.startsWith("=");
    const name = Buffer.from(isStored ? given.slice(1) : given);
    const raw = Buffer.from(content);
    const packed = isStored ? raw : deflateRawSync(raw);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(isStored ? 0 : 8, 4);
    fields.writeUInt32LE(crcIsNotRead, 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(raw.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const body = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields, name, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    bodies.push(body);
    const extra = Buffer.alloc(zip64 ? 28 : 0);
    if (zip64) {
      extra.writeUInt32LE(0x0018_0001, 0);
      for (const [index, value] of [raw.length, packed.length, offset].entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
      fields.fill(0xff, 14, 22);
      fields.writeUInt16LE(extra.length, 24);
      tail.fill(0xff, 10);
    }
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields, tail, name, extra]));
    offset += body.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, central, end]);
}

/** An OOXML package whose main part has this content type. */
export function packageOf(contentType: string): Buffer {
  const part = `<Override PartName="/main.xml" ContentType="application/vnd.${contentType}"/>`;
  return zipOf({ "[Content_Types].xml": `<?xml version="1.0"?><Types>${part}</Types>`, "_rels/.rels": "<Relationships/>" });
}

export function openDocumentOf(mime: string): Buffer {
  return zipOf({ "=mimetype": mime, "content.xml": "<office:document-content/>" });
}

/** A compound file with these streams. */
export const compoundOf = (...names: readonly string[]): Buffer =>
  compoundFile(Object.fromEntries(names.map((name) => [name, new Uint8Array(8)])));

/** The first box of an ISO media file, and some of what follows. */
export function isoMediaOf(brand: string, compatible = "", rest = "mdat"): Buffer {
  const box = Buffer.from(`\0\0\0\0ftyp${brand.padEnd(4)}\0\0\0\0${compatible}`, "latin1");
  box.writeUInt32BE(box.length, 0);
  return Buffer.concat([box, Buffer.from(`\0\0\0\x10${rest}`, "latin1"), Buffer.alloc(64)]);
}

export function oggOf(codec: string): Buffer {
  return Buffer.concat([Buffer.from("OggS\0\x02", "latin1"), Buffer.alloc(22), Buffer.from(codec, "latin1"), Buffer.alloc(64)]);
}

/** Two frames of MPEG-1 layer III at 128 kbit/s and 44.1 kHz, 417 bytes each. */
export function mp3Frames(): Buffer {
  const frame = Buffer.alloc(417);
  frame.write("fffb9064", "hex");
  return Buffer.concat([frame, frame, frame]);
}

export function id3Of(sizeBytes: number): Buffer {
  const tag = Buffer.alloc(10 + sizeBytes);
  tag.write("ID3\x04", "latin1");
  for (let index = 0; index < 4; index++) tag[9 - index] = (sizeBytes >>> (7 * index)) & 0x7f;
  return tag;
}

/** Two ADTS frames of 64 bytes. */
export function adtsFrames(): Buffer {
  const frame = Buffer.alloc(64);
  frame.write("fff15080081ffc", "hex");
  return Buffer.concat([frame, frame, frame]);
}

export function pngOf(...chunks: readonly string[]): Buffer {
  const header = Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex");
  const rest = chunks.map((type) => Buffer.concat([Buffer.from([0, 0, 0, 8]), Buffer.from(type), Buffer.alloc(12)]));
  return Buffer.concat([header, ...rest]);
}

/** A little-endian TIFF whose directory, with the given tags, is at the end of the file, after `dataBytes`. */
export function tiffOf(dataBytes: number, ...tags: readonly number[]): Buffer {
  const file = Buffer.alloc(8 + dataBytes + 2 + tags.length * 12 + 4);
  file.write("49492a00", "hex");
  file.writeUInt32LE(8 + dataBytes, 4);
  file.writeUInt16LE(tags.length, 8 + dataBytes);
  for (const [index, tag] of tags.entries()) file.writeUInt16LE(tag, 10 + dataBytes + index * 12);
  return file;
}

export function tarOf(name: string): Buffer {
  const header = Buffer.alloc(1024);
  header.write(name);
  header.write("ustar\0", 257, "latin1");
  return header;
}

export function bytes(hex: string, sizeBytes = 600): Buffer {
  const head = Buffer.from(hex.replaceAll(" ", ""), "hex");
  return Buffer.concat([head, Buffer.alloc(Math.max(0, sizeBytes - head.length))]);
}
