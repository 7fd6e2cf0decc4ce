/** What FFmpeg does not report about a sound file: how much of it is there, and what it contains besides the sound. */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer, BesideSound } from "#services/conversion/domain/questions.ts";

/** Chunks before the sound. Honest files have fewer than ten. */
const maxChunks = 100;
/** The longest Ogg page is slightly shorter. */
const pageBytes = 65_536;

const whole = { share: 1, isOpen: false, seconds: 0, beside: [] };

/** For WAVE, AIFF, Wave64, CAF, Ogg and ASF. Other files, and unclear ones, count as complete. */
export async function soundEndOf(source: ByteSource, { format }: { readonly format?: unknown }): Promise<Answer<"soundEnd">> {
  switch (format) {
    case "wav":
      return { ...whole, share: await shareOf(source, 12, riffChunk), beside: await besideOf(source, 12, riffChunk) };
    case "aiff":
      return { ...whole, beside: await besideOf(source, 12, aiffChunk) };
    case "w64":
      return { ...whole, share: await shareOf(source, 40, wave64Chunk) };
    case "caf":
      return { ...whole, share: await shareOf(source, 8, cafChunk), beside: await besideOf(source, 8, cafChunk) };
    case "ogg":
      return { ...whole, isOpen: await isOpenOgg(source) };
    case "asf":
      return { ...whole, seconds: asfSeconds(source.head) };
    default:
      return whole;
  }
}

/** Relative to the start of the chunk: where its content starts, how long that is, and where the next chunk is. */
type Chunk = { readonly name: string; readonly from: number; readonly bytes: number; readonly next: number };

/** A program that writes into a pipe does not know the length, and states slightly less than two or four gigabytes. */
const leastGuess = 0x7fff_0000;

/** @see the RIFF format: four letters and 32 bits. */
function riffChunk(bytes: Buffer): Chunk {
  const length = bytes.readUInt32LE(4);
  return { name: bytes.toString("latin1", 0, 4), from: 8, bytes: length >= leastGuess ? 0 : length, next: 8 + length + (length % 2) };
}

/** @see the AIFF specification: the same with the other byte order. */
function aiffChunk(bytes: Buffer): Chunk {
  const length = bytes.readUInt32BE(4);
  return { name: bytes.toString("latin1", 0, 4), from: 8, bytes: length, next: 8 + length + (length % 2) };
}

/**
 * Chunks besides the sound by their letters, and where each states how many parts it has, if it does.
 *
 * @see EBU Tech 3285 and 3293, AES46, the iXML and AIFF specifications, and Apple's Core Audio Format
 */
const chunksBeside: Readonly<Record<string, readonly [BesideSound, count?: (bytes: Buffer) => number]>> = {
  "cue ": ["marks", (bytes) => bytes.readUInt32LE(8)],
  MARK: ["marks", (bytes) => bytes.readUInt16BE(8)],
  mark: ["marks", (bytes) => bytes.readUInt32BE(16)],
  regn: ["regions", (bytes) => bytes.readUInt32BE(16)],
  smpl: ["loops", (bytes) => bytes.readUInt32LE(36)],
  ...{ inst: ["sampler"], INST: ["sampler"], acid: ["sampler"] },
  iXML: ["recording"],
  cart: ["broadcast"],
  ...{ axml: ["scene"], chna: ["scene"] },
  _PMX: ["xmp"],
  COMT: ["comments"],
};
const longestCount = 40;

async function besideOf(source: ByteSource, first: number, chunkOf: (bytes: Buffer) => Chunk): Promise<Answer<"soundEnd">["beside"]> {
  const found = new Map<BesideSound, number>();
  for (let [at, count] = [first, 0]; count < maxChunks; count += 1) {
    const bytes = await bytesAt(source, at, longestCount);
    if (bytes.length < 12) break;
    const { name, next } = chunkOf(bytes);
    const [kind, countOf] = chunksBeside[name] ?? [];
    // A chunk that is cut off before its number has none.
    const parts = countOf?.(Buffer.concat([bytes, Buffer.alloc(longestCount)])) ?? 1;
    if (kind !== undefined && parts > 0) found.set(kind, parts);
    else if (name === "smpl") found.set("sampler", 1);
    if (next <= 0 || !Number.isSafeInteger(at + next)) break;
    at += next;
  }
  return [...found].map(([kind, parts]) => ({ kind, parts }));
}

/** @see Sony's Wave64: a GUID that starts with the letters, and 64 bits that include the header. The next chunk is at a multiple of 8. */
function wave64Chunk(bytes: Buffer): Chunk {
  const length = Number(bytes.readBigUInt64LE(16));
  return { name: bytes.toString("latin1", 0, 4), from: 24, bytes: length - 24, next: Math.ceil(length / 8) * 8 };
}

/** @see Apple's Core Audio Format: four letters and 64 bits; -1 if the writer did not know the length. */
function cafChunk(bytes: Buffer): Chunk {
  const length = Number(bytes.readBigInt64BE(4));
  return { name: bytes.toString("latin1", 0, 4), from: 12, bytes: length, next: 12 + length };
}

async function shareOf(source: ByteSource, first: number, chunkOf: (bytes: Buffer) => Chunk): Promise<number> {
  for (let [at, count] = [first, 0]; count < maxChunks; count += 1) {
    const bytes = await bytesAt(source, at, 24);
    if (bytes.length < 24) return 1;
    const chunk = chunkOf(bytes);
    if (chunk.name === "data") {
      const there = source.sizeBytes - at - chunk.from;
      return chunk.bytes <= 0 || there >= chunk.bytes ? 1 : there / chunk.bytes;
    }
    if (chunk.next <= 0 || !Number.isSafeInteger(at + chunk.next)) return 1;
    at += chunk.next;
  }
  return 1;
}

const fileProperties = Buffer.from("a1dcab8c47a9cf118ee400c00c205365", "hex");

/** @see the ASF specification, 3.2: the play duration in units of 100 ns, minus the preroll in ms. Not for a broadcast. */
function asfSeconds(head: Buffer): number {
  const at = head.indexOf(fileProperties);
  if (at < 0 || at + 92 > head.length || (head.readUInt32LE(at + 88) & 1) !== 0) return 0;
  return Math.max(0, Number(head.readBigUInt64LE(at + 64)) / 1e7 - Number(head.readBigUInt64LE(at + 80)) / 1e3);
}

/** @see RFC 3533: the last page of a stream is complete and marked as the last. */
async function isOpenOgg(source: ByteSource): Promise<boolean> {
  const tail = await bytesAt(source, Math.max(0, source.sizeBytes - pageBytes), Math.min(pageBytes, source.sizeBytes));
  const at = tail.lastIndexOf("OggS", undefined, "latin1");
  if (at < 0 || at + 27 > tail.length) return true;
  const segments = tail[at + 26] ?? 0;
  const length = tail.subarray(at + 27, at + 27 + segments).reduce((sum, each) => sum + each, 27 + segments);
  return at + length > tail.length || ((tail[at + 5] ?? 0) & 4) === 0;
}
