/** How much there is in a file, if its header states it. Only used for estimates, so a wrong value does no other harm. */
import { FilemillError } from "#contract/errors.ts";
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import { pictureSizeOf } from "#services/conversion/domain/guards/raster.ts";

type Extent = { readonly pixels: number; readonly durationMs: number };
type Reader = (file: ByteSource) => Extent | Promise<Extent>;

const unknown: Extent = { pixels: 0, durationMs: 0 };
/** On one level. Honest files have fewer. */
const mostBoxes = 100;
const mostReadings = 1e15;

export async function extentOf(file: ByteSource, format = ""): Promise<Extent> {
  try {
    const size = await pictureSizeOf(file, format);
    if (size !== undefined) return bounded({ pixels: size.width * size.height, durationMs: 0 });
    return bounded((await readers[format]?.(file)) ?? unknown);
  } catch (error) {
    // The header is invalid. The engine that converts the file will report it.
    if (error instanceof RangeError || error instanceof FilemillError) return unknown;
    throw error;
  }
}

/** A header may claim anything. */
function bounded({ pixels, durationMs }: Extent): Extent {
  const whole = (value: number): number => (value > 0 && value < mostReadings ? Math.round(value) : 0);
  return { pixels: whole(pixels), durationMs: whole(durationMs) };
}

type Box = { readonly type: string; readonly from: number; readonly to: number };

/** @see ISO/IEC 14496-12, 4.2 */
export async function boxesIn(file: ByteSource, from: number, to: number): Promise<readonly Box[]> {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to && boxes.length < mostBoxes; ) {
    const head = await bytesAt(file, at, 16);
    const told = head.readUInt32BE(0);
    const bytes = told === 1 ? Number(head.readBigUInt64BE(8)) : told === 0 ? to - at : told;
    if (bytes < 8) break;
    boxes.push({ type: head.toString("latin1", 4, 8), from: at + (told === 1 ? 16 : 8), to: Math.min(to, at + bytes) });
    at += bytes;
  }
  return boxes;
}

async function mp4(file: ByteSource): Promise<Extent> {
  const [movie] = (await boxesIn(file, 0, file.sizeBytes)).filter(({ type }) => type === "moov");
  if (movie === undefined) return unknown;
  let [pixels, durationMs] = [0, 0];
  for (const { type, from, to } of await boxesIn(file, movie.from, movie.to)) {
    if (type === "mvhd") {
      const head = await bytesAt(file, from, 32);
      const isLong = head[0] === 1;
      const units = isLong ? Number(head.readBigUInt64BE(24)) : head.readUInt32BE(16);
      durationMs = (1000 * units) / head.readUInt32BE(isLong ? 20 : 12);
    }
    if (type !== "trak") continue;
    const [track] = await boxesIn(file, from, to);
    if (track?.type !== "tkhd") continue;
    // Width and height are its last fields, with 16 fractional bits.
    const size = await bytesAt(file, track.to - 8, 8);
    pixels = Math.max(pixels, size.readUInt16BE(0) * size.readUInt16BE(4));
  }
  return { pixels, durationMs };
}

/** An EBML number. Its first byte states its length; the bit that does so is included for an id. @see RFC 8794, 4 */
function numberAt(bytes: Buffer, at: number, isId: boolean): { readonly value: number; readonly next: number } {
  const first = bytes.readUInt8(at);
  const length = Math.clz32(first) - 23;
  if (length > 8) throw new RangeError("no number of EBML");
  let value = isId ? first : first & (0xff >> length);
  for (let index = 1; index < length; index += 1) value = value * 256 + bytes.readUInt8(at + index);
  return { value, next: at + length };
}

const entered = new Set([0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0xe0]);
const ebml = { scale: 0x2ad7b1, duration: 0x4489, width: 0xb0, height: 0xba };

/** Matroska: its beginning contains what is needed. @see RFC 9559, 5.1 */
function matroska({ head }: ByteSource): Extent {
  const found: Record<number, number> = { [ebml.scale]: 1_000_000 };
  try {
    for (let at = 0; at < head.length; ) {
      const id = numberAt(head, at, true);
      const size = numberAt(head, id.next, false);
      if (id.value === ebml.duration) found[id.value] = size.value === 8 ? head.readDoubleBE(size.next) : head.readFloatBE(size.next);
      else if (Object.values(ebml).includes(id.value)) found[id.value] = head.readUIntBE(size.next, Math.min(6, size.value));
      at = entered.has(id.value) ? size.next : size.next + size.value;
    }
  } catch (error) {
    // The head ends within an element.
    if (!(error instanceof RangeError)) throw error;
  }
  const { scale, duration, width, height } = ebml;
  return { pixels: (found[width] ?? 0) * (found[height] ?? 0), durationMs: ((found[duration] ?? 0) * (found[scale] ?? 0)) / 1e6 };
}

function avi({ head }: ByteSource): Extent {
  const at = head.indexOf("avih", 0, "latin1");
  if (at < 0) return unknown;
  const [frameMs, frames] = [head.readUInt32LE(at + 8) / 1000, head.readUInt32LE(at + 24)];
  return { pixels: head.readUInt32LE(at + 40) * head.readUInt32LE(at + 44), durationMs: frameMs * frames };
}

function wave({ head, sizeBytes }: ByteSource): Extent {
  const at = head.indexOf("fmt ", 0, "latin1");
  return at < 0 ? unknown : { pixels: 0, durationMs: (1000 * sizeBytes) / head.readUInt32LE(at + 16) };
}

/** @see RFC 9639, 8.2: 20 bits of rate, 8 of other things, 36 of samples. */
function flac({ head }: ByteSource): Extent {
  const samples = (head.readUInt8(21) & 15) * 2 ** 32 + head.readUInt32BE(22);
  return { pixels: 0, durationMs: (1000 * samples) / (head.readUIntBE(18, 3) >> 4) };
}

const kilobits = {
  first: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  second: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** Layer III: by the bit rate of the first frame, unless that frame states the number of frames, as with a variable bit rate. */
async function mp3(file: ByteSource): Promise<Extent> {
  const isTagged = file.head.toString("latin1", 0, 3) === "ID3";
  const tagBytes = isTagged ? 10 + [6, 7, 8, 9].reduce((sum, at) => sum * 128 + file.head.readUInt8(at), 0) : 0;
  const frame = await bytesAt(file, tagBytes, 200);
  if (frame.readUInt16BE(0) < 0xffe0) return unknown;
  const isFirst = (frame.readUInt8(1) & 8) !== 0;
  const rate = (isFirst ? kilobits.first : kilobits.second)[frame.readUInt8(2) >> 4] ?? 0;
  const hertz = ([44_100, 48_000, 32_000][(frame.readUInt8(2) >> 2) & 3] ?? 0) / (isFirst ? 1 : 2);
  const at = Math.max(frame.indexOf("Xing", 0, "latin1"), frame.indexOf("Info", 0, "latin1"));
  if (at < 0) return { pixels: 0, durationMs: (8 * (file.sizeBytes - tagBytes)) / rate };
  return { pixels: 0, durationMs: (1000 * frame.readUInt32BE(at + 8) * (isFirst ? 1152 : 576)) / hertz };
}

/** By the last page's position. @see RFC 3533, 6 */
async function ogg(file: ByteSource): Promise<Extent> {
  const tail = await bytesAt(file, Math.max(0, file.sizeBytes - 65_536), 65_536);
  const at = tail.lastIndexOf("OggS", undefined, "latin1");
  const vorbisAt = file.head.indexOf("\x01vorbis", 0, "latin1");
  const hertz = vorbisAt < 0 ? 48_000 : file.head.readUInt32LE(vorbisAt + 12);
  return at < 0 ? unknown : { pixels: 0, durationMs: (1000 * Number(tail.readBigUInt64LE(at + 6))) / hertz };
}

const readers: Readonly<Record<string, Reader>> = {
  ...{ mp4, m4v: mp4, mov: mp4, m4a: mp4, m4b: mp4, m4r: mp4, alac: mp4, "3gp": mp4, "3g2": mp4 },
  ...{ mkv: matroska, webm: matroska, mka: matroska, weba: matroska },
  ...{ avi, wav: wave, flac, mp3, ogg, oga: ogg, opus: ogg },
};
