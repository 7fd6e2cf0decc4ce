/**
 * Reads the central directory of a ZIP file. Written by hand because the guards need what libraries hide or correct: overlapping entries,
 * stated sizes, and an answer in two reads however many entries there are.
 *
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT 4.3 and 4.4
 */
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import {
  crc32,
  createInflateRaw,
  type InputType,
  inflateRaw as inflateRawCallback,
  inflateRawSync,
  type ZlibOptions,
  constants as zlib,
} from "node:zlib";
import { extraFieldsOf, sizesOf } from "#formats/sniff/zip-fields.ts";
import { type ByteSource, bytesAt } from "./byte-source.ts";
import { damaged, tooComplex } from "./refusals.ts";

export type ZipEntry = {
  readonly name: string;
  /** The one that libarchive lists: from the field with a name in Unicode, if that belongs to the usual name. */
  readonly listedName: string;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly isEncrypted: boolean;
  /** A symbolic link by a Unix archiver. */
  readonly isLink: boolean;
  readonly compressedBytes: number;
  readonly sizeBytes: number;
  /** Offset of its local header. */
  readonly offset: number;
  /** Seconds and nanoseconds since 1970, if stated exactly in a way that libarchive does not read. The usual field has no time zone. */
  readonly modified: string | undefined;
  readonly isCommented: boolean;
};

const inflateRaw = promisify<InputType, ZlibOptions, Buffer>(inflateRawCallback);
const maxEntries = 50_000;
const endBytes = 22;
const maxCommentBytes = 65_535;
const pieceBytes = 262_144;
const headBytes = 65_536;
const shortBytes = 16_384;
const fullField = 0xffff_ffff;
/** The system that made an entry, and the file type in the upper bits of its mode (APPNOTE 4.4.2; S_IFLNK). */
const unixArchiver = 3;
const linkMode = 0o12;
/** Extra fields (APPNOTE 4.5). */
const zip64Field = 0x0001;
const unixTimes = 0x5455;
const windowsTimes = 0x000a;
const unicodeName = 0x7075;

/** Rejects with INVALID_INPUT if there is no complete directory, and with INPUT_TOO_COMPLEX if it is too long. */
export async function readZipDirectory(source: ByteSource): Promise<readonly ZipEntry[]> {
  const { count, offset, length, shift } = await findDirectory(source);
  if (count > maxEntries || length > maxEntries * 512) throw tooComplex("The file has too many parts inside.");
  const pieces: Buffer[] = [];
  for (let from = 0; from < length; from += pieceBytes) {
    pieces.push(await bytesAt(source, offset + shift + from, Math.min(pieceBytes, length - from)));
  }
  const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  const entries: ZipEntry[] = [];
  for (let at = 0; entries.length < count; ) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50) throw damaged();
    const next = at + 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    if (next > bytes.length) throw damaged();
    entries.push(entryOf(bytes.subarray(at, next), shift));
    at = next;
  }
  return entries;
}

/** Whether the archive as a whole has a comment. */
export async function hasZipComment(source: ByteSource): Promise<boolean> {
  return (await findDirectory(source)).commentBytes > 0;
}

type Directory = {
  readonly count: number;
  readonly offset: number;
  readonly length: number;
  /** Bytes before the archive, which the offsets do not include. */
  readonly shift: number;
  readonly commentBytes: number;
};

async function findDirectory(source: ByteSource): Promise<Directory> {
  const tailFrom = Math.max(0, source.sizeBytes - endBytes - maxCommentBytes);
  const tail = await bytesAt(source, tailFrom, endBytes + maxCommentBytes);
  const at = tail.lastIndexOf("PK\x05\x06", Math.max(0, tail.length - endBytes), "latin1");
  if (at < 0 || at + endBytes > tail.length) throw damaged();
  const count = tail.readUInt16LE(at + 10);
  const length = tail.readUInt32LE(at + 12);
  const offset = tail.readUInt32LE(at + 16);
  const commentBytes = tail.readUInt16LE(at + 20);
  const hasLocator = at >= 20 && tail.readUInt32LE(at - 20) === 0x07064b50;
  if (hasLocator && (count === 0xffff || length === fullField || offset === fullField)) {
    const record = await bytesAt(source, Number(tail.readBigUInt64LE(at - 12)), 56);
    if (record.length < 56 || record.readUInt32LE(0) !== 0x06064b50) throw damaged();
    const [big, bytes, from] = [record.readBigUInt64LE(32), record.readBigUInt64LE(40), record.readBigUInt64LE(48)];
    return { count: Number(big), length: Number(bytes), offset: Number(from), shift: 0, commentBytes };
  }
  const shift = tailFrom + at - length - offset;
  if (shift < 0) throw damaged();
  return { count, length, offset, shift, commentBytes };
}

function entryOf(record: Buffer, shift: number): ZipEntry {
  const nameEnd = 46 + record.readUInt16LE(28);
  const extra = extraFieldsOf(record.subarray(nameEnd, nameEnd + record.readUInt16LE(30)));
  const { sizeBytes, compressedBytes, offset } = sizesOf(record, extra.get(zip64Field));
  const name = record.subarray(46, nameEnd);
  return {
    name: name.toString(),
    listedName: listedNameOf(name, extra.get(unicodeName)).toString(),
    method: record.readUInt16LE(10),
    isEncrypted: (record.readUInt16LE(8) & 1) !== 0,
    isLink: record[5] === unixArchiver && record.readUInt32LE(38) >>> 28 === linkMode,
    compressedBytes,
    sizeBytes,
    offset: offset + shift,
    modified: modifiedOf(record, extra),
    isCommented: record.readUInt16LE(32) > 0,
  };
}

/** The field has a version, the checksum of the usual name, and the one in UTF-8 (APPNOTE 4.6.9). */
function listedNameOf(name: Buffer, field: Buffer = Buffer.alloc(0)): Buffer {
  return field.length > 5 && field.readUInt32LE(1) === crc32(name) ? field.subarray(5) : name;
}

/** The Unix field has a sign, which libarchive ignores; newer programs do so too, but state a late year in the usual field. */
function modifiedOf(record: Buffer, extra: ReadonlyMap<number, Buffer>): string | undefined {
  const unix = extra.get(unixTimes);
  if (unix === undefined) return windowsTimeOf(extra.get(windowsTimes));
  if (unix.length < 5 || (unix.readUInt8(0) & 1) === 0) return undefined;
  const [seconds, usualYear] = [unix.readInt32LE(1), 1980 + (record.readUInt16LE(14) >>> 9)];
  return seconds < 0 && usualYear < 2038 ? `${seconds}.0` : undefined;
}

/** From the NTFS field: 100 nanoseconds since 1601 (APPNOTE 4.5.5). */
function windowsTimeOf(field: Buffer | undefined): string | undefined {
  if (field === undefined || field.length < 32 || field.readUInt16LE(4) !== 1) return undefined;
  const ticks = field.readBigUInt64LE(8);
  return ticks === 0n ? undefined : `${ticks / 10_000_000n - 11_644_473_600n}.${(ticks % 10_000_000n) * 100n}`;
}

/** The beginning of an entry's content, decompressed from its first `limitBytes` in the file; undefined if it cannot be read. */
export async function readEntryHead(source: ByteSource, entry: ZipEntry, limitBytes: number): Promise<Buffer | undefined> {
  const header = await bytesAt(source, entry.offset, 30 + 512 + limitBytes);
  if (header.length < 30 || header.readUInt32LE(0) !== 0x04034b50) return undefined;
  const from = 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const length = Math.min(limitBytes, entry.compressedBytes);
  const data = from + length <= header.length ? header.subarray(from, from + length) : await bytesAt(source, entry.offset + from, length);
  if (entry.method === 0) return data;
  if (entry.method !== 8) return undefined;
  try {
    // Deflate expands one byte to at most 1032.
    return inflateRawSync(data, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: limitBytes * 1040 });
  } catch {
    return undefined;
  }
}

/** The content of an entry as a file; undefined if it is damaged, longer than stated, or compressed in another way. */
export async function openEntry(source: ByteSource, entry: ZipEntry): Promise<ByteSource | undefined> {
  const header = await bytesAt(source, entry.offset, 30);
  if (header.length < 30) return undefined;
  const from = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (entry.method === 0) {
    const sizeBytes = Math.max(0, Math.min(entry.sizeBytes, source.sizeBytes - from));
    const read: ByteSource["read"] = (offset, length) => source.read(from + offset, Math.max(0, Math.min(length, sizeBytes - offset)));
    return { sizeBytes, head: await bytesAt(source, from, Math.min(sizeBytes, headBytes)), read };
  }
  if (entry.method !== 8) return undefined;
  const pieces: Buffer[] = [];
  for (let at = 0; at < entry.compressedBytes; at += pieceBytes) {
    pieces.push(await bytesAt(source, from + at, Math.min(pieceBytes, entry.compressedBytes - at)));
  }
  const bytes = await inflateRaw(Buffer.concat(pieces), { maxOutputLength: entry.sizeBytes + 1 }).catch(() => undefined);
  if (bytes === undefined) return undefined;
  return {
    sizeBytes: bytes.length,
    head: bytes.subarray(0, headBytes),
    read: async (offset, length) => bytes.subarray(offset, offset + length),
  };
}

/**
 * False as soon as an entry yields more bytes than its directory record states, or states fewer than it has if it is not compressed.
 *
 * @param end - How far its data may extend in the file.
 */
export async function inflatesAsStated(source: ByteSource, entry: ZipEntry, end: number): Promise<boolean> {
  if (entry.method !== 8) return entry.method !== 0 || entry.sizeBytes >= entry.compressedBytes;
  const header = await bytesAt(source, entry.offset, 30);
  if (header.length < 30) return true;
  const from = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packedBytes = Math.max(entry.compressedBytes, end - from);
  if (packedBytes <= shortBytes && entry.sizeBytes <= pieceBytes) {
    return inflatesWithin(await bytesAt(source, from, packedBytes), entry.sizeBytes);
  }
  const inflate = createInflateRaw({ chunkSize: pieceBytes });
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < packedBytes; at += pieceBytes) {
      yield await bytesAt(source, from + at, Math.min(pieceBytes, packedBytes - at));
    }
  }
  let bytes = 0;
  try {
    await pipeline(pieces(), inflate, async (inflated: AsyncIterable<Buffer>) => {
      for await (const piece of inflated) {
        bytes += piece.length;
        if (bytes > entry.sizeBytes) return;
      }
    });
  } catch {
    // Damage is left to the engine.
  }
  return bytes <= entry.sizeBytes;
}

/** Synchronous: a stream for each of thousands of small parts costs a second. */
function inflatesWithin(data: Buffer, limitBytes: number): boolean {
  try {
    // One more byte than allowed, because a limit of zero means no limit.
    return inflateRawSync(data, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: limitBytes + 1 }).length <= limitBytes;
  } catch (error) {
    return !(error instanceof RangeError || (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"));
  }
}
