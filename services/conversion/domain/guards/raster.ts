/** Pixel counts from picture headers, read before any decoder allocates memory for them. */
import { type ByteSource, bytesAt } from "./byte-source.ts";
import { heifSizeOf } from "./heif.ts";
import { pictureHeaders } from "./picture-headers.ts";
import type { PictureSize } from "./picture-size.ts";
import { damaged, tooComplex } from "./refusals.ts";

/** More pixels than any camera makes. An 8-bit RGBA copy fits into 400 MB. */
export const maxPixels = 100_000_000;

type SizeReader = (source: ByteSource) => PictureSize | undefined | Promise<PictureSize | undefined>;

const readers: Readonly<Record<string, SizeReader>> = {
  ...pictureHeaders,
  png: ({ head }) => sizeOf(head, 24, () => ({ width: head.readUInt32BE(16), height: head.readUInt32BE(20) })),
  apng: ({ head }) => sizeOf(head, 24, () => ({ width: head.readUInt32BE(16), height: head.readUInt32BE(20) })),
  gif: ({ head }) => sizeOf(head, 10, () => ({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) })),
  bmp: ({ head }) => sizeOf(head, 26, () => bmpSizeOf(head)),
  psd: ({ head }) => sizeOf(head, 22, () => ({ height: head.readUInt32BE(14), width: head.readUInt32BE(18) })),
  webp: ({ head }) => webpSizeOf(head),
  jpg: jpegSizeOf,
  tiff: tiffSizeOf,
  heic: heifSizeOf,
  heif: heifSizeOf,
  avif: heifSizeOf,
};

/** The size in a picture's header; undefined for other formats, and if the header is not where it should be. */
export async function pictureSizeOf(source: ByteSource, format: string): Promise<PictureSize | undefined> {
  return readers[format]?.(source);
}

export function assertPixels({ width, height }: PictureSize): void {
  if (width === 0 || height === 0) throw damaged("The picture has no pixels.");
  if (width * height > maxPixels) {
    throw tooComplex(`The picture has ${width} × ${height} pixels; the limit is ${maxPixels / 1e6} megapixels.`);
  }
}

/** A file shorter than its own header is truncated. */
function sizeOf(head: Buffer, headerBytes: number, read: () => PictureSize): PictureSize {
  if (head.length < headerBytes) throw damaged();
  return read();
}

function bmpSizeOf(head: Buffer): PictureSize {
  // The oldest header has 16-bit sizes. A negative height means rows from the top.
  if (head.readUInt32LE(14) === 12) return { width: head.readUInt16LE(18), height: head.readUInt16LE(20) };
  return { width: Math.abs(head.readInt32LE(18)), height: Math.abs(head.readInt32LE(22)) };
}

/** @see RFC 9649: the canvas of an extended file, or the frame header of a simple one. */
function webpSizeOf(head: Buffer): PictureSize | undefined {
  if (head.length < 30) throw damaged();
  switch (head.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** Frame headers SOF0 to SOF15 except DHT, JPG and DAC (ITU-T T.81, table B.1). */
const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
const maxSegments = 2000;

async function jpegSizeOf(source: ByteSource): Promise<PictureSize | undefined> {
  let offset = 2;
  for (let segments = 0; segments < maxSegments; segments++) {
    const bytes = await bytesAt(source, offset, 9);
    if (bytes.length < 9) throw damaged();
    const marker = bytes[1] ?? 0;
    if (bytes[0] !== 0xff) return undefined;
    if (marker === 0xff) offset += 1;
    else if (isFrameHeader(marker)) return { height: bytes.readUInt16BE(5), width: bytes.readUInt16BE(7) };
    else if (marker === 0xda || marker === 0xd9) return undefined;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) offset += 2;
    else offset += 2 + bytes.readUInt16BE(2);
  }
  return undefined;
}

const widthTag = 256;
const heightTag = 257;

/** The first directory of a TIFF 6.0 or BigTIFF file. */
async function tiffSizeOf(source: ByteSource): Promise<PictureSize | undefined> {
  const { head } = source;
  if (head.length < 16) throw damaged();
  const isLittle = head[0] === 0x49;
  const isBig = (isLittle ? head[2] : head[3]) === 0x2b;
  const number = (bytes: Buffer, at: number, length: 2 | 4 | 8): number => {
    if (length === 8) return Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
    return isLittle ? bytes.readUIntLE(at, length) : bytes.readUIntBE(at, length);
  };
  const first = number(head, isBig ? 8 : 4, isBig ? 8 : 4);
  const [countBytes, entryBytes, valueAt] = isBig ? [8 as const, 20, 12] : [2 as const, 12, 8];
  const counted = await bytesAt(source, first, countBytes);
  if (counted.length < countBytes) throw damaged();
  const directory = await bytesAt(source, first + countBytes, Math.min(number(counted, 0, countBytes), 1000) * entryBytes);
  const values = new Map<number, number>();
  for (let at = 0; at + entryBytes <= directory.length; at += entryBytes) {
    const isShort = number(directory, at + 2, 2) === 3;
    values.set(number(directory, at, 2), number(directory, at + valueAt, isShort ? 2 : 4));
  }
  const width = values.get(widthTag);
  const height = values.get(heightTag);
  return width === undefined || height === undefined ? undefined : { width, height };
}
