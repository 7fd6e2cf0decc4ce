/** What FFmpeg does not report about a file of sound or video: how much of it is there, and what it contains besides the sound. */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer, BesideSound } from "#services/conversion/domain/questions.ts";
import { damageOf } from "./damage/damage.ts";
import { boxesIn } from "./extent.ts";

/** Chunks before the sound. Honest files have fewer than ten. */
const maxChunks = 100;
/** The longest Ogg page is slightly shorter. */
const pageBytes = 65_536;

const whole = { share: 1, isOpen: false, places: 0, seconds: 0, beside: [], decoder: "" } as const;

/** By the name of FFmpeg's reader. Files of which nothing is known, and unclear ones, count as complete. */
export async function soundEndOf(source: ByteSource, { format }: { readonly format?: unknown }): Promise<Answer<"soundEnd">> {
  const told = await statedEndOf(source, format);
  const { places, isOpen } = await damageOf(source, String(format));
  // If bytes are missing in its middle, the file is shorter than it states, too.
  return { ...told, places, isOpen: isOpen || (places === 0 && (told.isOpen || told.share < 1)) };
}

async function statedEndOf(source: ByteSource, format: unknown): Promise<Answer<"soundEnd">> {
  switch (format) {
    case "wav":
      return { ...(await samplesOf(source, 12, riffChunk)), beside: await besideOf(source, 12, riffChunk) };
    case "au":
      return { ...whole, isOpen: isShorter(source, source.head.readUInt32BE(4), source.head.readUInt32BE(8)) };
    case "aiff":
      return { ...whole, isOpen: await isOpenForm(source), beside: await besideOf(source, 12, aiffChunk) };
    case "w64":
      return await samplesOf(source, 40, wave64Chunk);
    case "caf":
      return { ...(await samplesOf(source, 8, cafChunk)), beside: await besideOf(source, 8, cafChunk) };
    case "ogg":
      return { ...whole, ...(await oggEndOf(source)) };
    case "avi":
      return { ...whole, isOpen: await isOpenFilm(source) };
    case "asf":
      return { ...whole, seconds: asfSeconds(source.head) };
    case "mov":
      return { ...whole, beside: (await boxesBeside(source)).map((kind) => ({ kind, parts: 1 })) };
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
  bext: ["loudness", (bytes) => (loudnessAt.some((at) => !/^(0|32767)$/.test(String(bytes.readInt16LE(at)))) ? 1 : 0)],
  iXML: ["recording"],
  cart: ["broadcast"],
  ...{ axml: ["scene"], chna: ["scene"] },
  _PMX: ["xmp"],
  COMT: ["comments"],
  LIST: ["regions", (bytes) => (bytes.toString("latin1", 8, 12) === "adtl" && bytes.includes("ltxt") ? 1 : 0)],
};
/** In version 2 of the broadcast extension; 0 in older ones, and 32767 if not measured. */
const loudnessAt = [412, 414, 416, 418, 420].map((at) => 8 + at);
const longestCount = 4096;

/** The chunks with their places, and what `ahead` bytes of each contain. */
async function* chunksOf(source: ByteSource, first: number, chunkOf: (bytes: Buffer) => Chunk, ahead: number) {
  for (let [at, count] = [first, 0]; count < maxChunks; count += 1) {
    const bytes = await bytesAt(source, at, ahead);
    if (bytes.length < 12) return;
    // A chunk that is cut off has zeros for the rest.
    const head = Buffer.concat([bytes, Buffer.alloc(ahead - bytes.length)]);
    const chunk = chunkOf(head);
    yield { ...chunk, at, head };
    if (chunk.next <= 0 || !Number.isSafeInteger(at + chunk.next)) return;
    at += chunk.next;
  }
}

async function besideOf(source: ByteSource, first: number, chunkOf: (bytes: Buffer) => Chunk): Promise<Answer<"soundEnd">["beside"]> {
  const found = new Map<BesideSound, number>();
  for await (const { name, head } of chunksOf(source, first, chunkOf, longestCount)) {
    const [kind, countOf] = chunksBeside[name] ?? [];
    const parts = countOf?.(head) ?? 1;
    if (kind !== undefined && parts > 0) found.set(kind, parts);
    else if (name === "smpl") found.set("sampler", 1);
  }
  return [...found].map(([kind, parts]) => ({ kind, parts }));
}

/** What phones and iMovie say about a film, if it is not empty. @see 3GPP TS 26.244, 8.2 */
const ofPhones = /^(?:titl|dscp|auth|perf|gnre|kywd|albm)$/;
const emptyBytes = 7;
const xmpUuid = "be7acfcb97a942e89c71999491e3afac";

/** The boxes of an MP4 or QuickTime that FFmpeg does not read. */
async function boxesBeside(source: ByteSource): Promise<readonly BesideSound[]> {
  const tops = await boxesIn(source, 0, source.sizeBytes);
  const found = new Set<BesideSound>();
  for (const { from } of tops.filter(({ type }) => type === "uuid"))
    if ((await bytesAt(source, from, 16)).toString("hex") === xmpUuid) found.add("xmp");
  let boxes = tops;
  for (const step of ["moov", "udta"]) {
    const box = boxes.find(({ type }) => type === step);
    boxes = box === undefined ? [] : await boxesIn(source, box.from, box.to);
  }
  for (const { type, from, to } of boxes) {
    if (type === "XMP_") found.add("xmp");
    else if (ofPhones.test(type) && to - from > emptyBytes) found.add("descriptions");
  }
  return [...found];
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

/** How much of the samples is there, and how to read them if they take more bytes than their bits need. */
async function samplesOf(source: ByteSource, first: number, chunkOf: (bytes: Buffer) => Chunk): Promise<Answer<"soundEnd">> {
  let [decoder, rate]: [Decoder, number] = ["", 0];
  for await (const { name, head, at, from, bytes } of chunksOf(source, first, chunkOf, longestFormat)) {
    if (name === "fmt ") [decoder, rate] = [roomyDecoderOf(head.subarray(from)), head.readUInt32LE(from + 8)];
    if (name !== "data") continue;
    const there = source.sizeBytes - at - from;
    const told = bytes <= 0 ? there : bytes;
    const seconds = decoder === "" || rate === 0 ? 0 : told / rate;
    return { ...whole, share: told > there ? there / told : 1, seconds, decoder };
  }
  return whole;
}

/** Whether less is there than is stated. A writer that did not know the length states none, or very much. */
const isShorter = ({ sizeBytes }: ByteSource, from: number, bytes: number): boolean => bytes < leastGuess && from + bytes > sizeBytes;

/** AIFF: whether its samples are cut off. */
async function isOpenForm(source: ByteSource): Promise<boolean> {
  for await (const { name, at, from, bytes } of chunksOf(source, 12, aiffChunk, 16))
    if (name === "SSND") return isShorter(source, at + from, bytes);
  return false;
}

const longestFormat = 80;
type Decoder = Answer<"soundEnd">["decoder"];
const decoders: Readonly<Record<number, Decoder>> = { 8: "pcm_u8", 16: "pcm_s16le", 24: "pcm_s24le", 32: "pcm_s32le" };

/**
 * FFmpeg takes the valid bits of a WAVEFORMATEXTENSIBLE for the size of a sample, and 24 in 32 for floating point.
 *
 * @returns "" if it is right.
 */
function roomyDecoderOf(format: Buffer): Decoder {
  const [bits, valid] = [format.readUInt16LE(14), format.readUInt16LE(18)];
  const isExtensible = format.readUInt16LE(0) === 0xfffe && format.readUInt32LE(24) === 1;
  const isRoomy = isExtensible && valid > 0 && Math.ceil(valid / 8) * 8 < bits;
  return isRoomy ? (decoders[bits] ?? "") : "";
}

const fileProperties = Buffer.from("a1dcab8c47a9cf118ee400c00c205365", "hex");

/** @see the ASF specification, 3.2: the play duration in units of 100 ns, minus the preroll in ms. Not for a broadcast. */
function asfSeconds(head: Buffer): number {
  const at = head.indexOf(fileProperties);
  if (at < 0 || at + 92 > head.length || (head.readUInt32LE(at + 88) & 1) !== 0) return 0;
  return Math.max(0, Number(head.readBigUInt64LE(at + 64)) / 1e7 - Number(head.readBigUInt64LE(at + 80)) / 1e3);
}

/** @see RFC 3533: the last page of a stream is complete and marked as the last. All streams start first, unless others are chained. */
async function oggEndOf(source: ByteSource): Promise<Pick<Answer<"soundEnd">, "isOpen" | "beside">> {
  const tail = await bytesAt(source, Math.max(0, source.sizeBytes - pageBytes), Math.min(pageBytes, source.sizeBytes));
  const at = tail.lastIndexOf("OggS", undefined, "latin1");
  if (at < 0 || at + 27 > tail.length) return { isOpen: true, beside: [] };
  const last = pageOf(tail, at);
  let isKnown = false;
  for (let page = pageOf(source.head, 0); page.isFirst && !isKnown; page = pageOf(source.head, page.end))
    isKnown = page.stream === last.stream;
  return { isOpen: last.end > tail.length || !last.isLast, beside: isKnown ? [] : [{ kind: "chained", parts: 1 }] };
}

function pageOf(bytes: Buffer, at: number) {
  const lengths = bytes.subarray(at + 27, at + 27 + (bytes[at + 26] ?? 0));
  const flags = bytes[at + 5] ?? 0;
  const end = lengths.reduce((sum, each) => sum + each, at + 27 + lengths.length);
  return { stream: bytes.toString("hex", at + 14, at + 18), end, isFirst: (flags & 2) !== 0, isLast: (flags & 4) !== 0 };
}

/** Some programs count the eight bytes before the content, too. */
const leastMissing = 12;

/** AVI: whether the last of its parts states more than there is. A large film has several. @see OpenDML AVI File Format Extensions, 1.02 */
async function isOpenFilm(source: ByteSource): Promise<boolean> {
  for (let [at, count] = [0, 0]; at < source.sizeBytes && count < maxChunks; count += 1) {
    const head = await bytesAt(source, at, 12);
    const { name, bytes, next } = riffChunk(Buffer.concat([head, Buffer.alloc(12 - head.length)]));
    if (name !== "RIFF" || bytes === 0) return false;
    if (at + next - source.sizeBytes > leastMissing) return true;
    at += next;
  }
  return false;
}
