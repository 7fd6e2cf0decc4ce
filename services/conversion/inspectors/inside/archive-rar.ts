/**
 * What a RAR stores that libarchive does not read: comments, files stored as references to others, which it takes for empty, encrypted
 * files, and files that go on in another part of an archive.
 *
 * @see https://www.rarlab.com/technote.htm
 */
import { type ByteSource, bytesAt, windowOf } from "#services/conversion/domain/guards/byte-source.ts";
import { maxMembers } from "./archive-listing.ts";

type Fact = "comment" | "reference" | "part" | "lock";
type Block = { readonly nextAt: number; readonly found: readonly (Fact | false)[] };

const newSignature = "Rar!\x1a\x07\x01\0";
const oldSignature = "Rar!\x1a\x07\0";
const maxBlocks = 2 * maxMembers;
const maxHeaderBytes = 65_536;
const usualHeaderBytes = 512;

/** Nothing is found in other archives, in encrypted headers, or after damage. */
export async function rarFactsOf(file: ByteSource): Promise<ReadonlySet<Fact | false>> {
  const signature = (await bytesAt(file, 0, newSignature.length)).toString("latin1");
  const found = new Set<Fact | false>();
  const isNew = signature === newSignature;
  if (!isNew && !signature.startsWith(oldSignature)) return found;
  const near = windowOf(file);
  const blockAt = isNew ? newBlockAt : oldBlockAt;
  let at = isNew ? newSignature.length : oldSignature.length;
  try {
    for (let blocks = 0; at < file.sizeBytes && blocks < maxBlocks; blocks++) {
      const block = await blockAt(near, at);
      if (block.nextAt <= at) break;
      for (const fact of block.found) found.add(fact);
      at = block.nextAt;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return found;
}

/** Reads numbers of seven bits per byte, lowest first. */
function readerOf(bytes: Buffer, start = 0) {
  let at = start;
  return {
    at: () => at,
    skip(length: number) {
      at += length;
    },
    number() {
      for (let value = 0, scale = 1; ; scale *= 128) {
        const byte = bytes.readUInt8(at++);
        value += (byte & 127) * scale;
        if (byte < 128) return value;
      }
    },
  };
}

const [fileBlock, serviceBlock, lockedBlock, lastBlock] = [2, 3, 4, 5];
const [encryption, redirection, copiedFile] = [1, 5, 5];
/** The content comes from the part before, or goes on in the next. */
const isSplit = 0x18;

async function newBlockAt(file: ByteSource, at: number): Promise<Block> {
  const start = await bytesAt(file, at, usualHeaderBytes);
  const first = readerOf(start, 4);
  const length = first.number();
  const headerAt = first.at();
  const header = headerAt + length <= start.length ? start : await bytesAt(file, at, headerAt + Math.min(length, maxHeaderBytes));
  const reader = readerOf(header.subarray(0, headerAt + length), headerAt);
  const [type, flags] = [reader.number(), reader.number()];
  const extraBytes = (flags & 1) === 0 ? 0 : reader.number();
  const dataBytes = (flags & 2) === 0 ? 0 : reader.number();
  const nextAt = at + headerAt + length + dataBytes;
  if (type === lockedBlock) return { nextAt, found: ["lock"] };
  if (type === lastBlock) return { nextAt, found: [(reader.number() & 1) !== 0 && "part"] };
  if (type !== fileBlock && type !== serviceBlock) return { nextAt, found: [] };
  const fileFlags = reader.number();
  reader.number();
  reader.number();
  reader.skip(((fileFlags & 2) === 0 ? 0 : 4) + ((fileFlags & 4) === 0 ? 0 : 4));
  reader.number();
  reader.number();
  const nameBytes = reader.number();
  const name = header.toString("latin1", reader.at(), reader.at() + nameBytes);
  if (type === serviceBlock) return { nextAt, found: [name === "CMT" && "comment"] };
  const extra = header.subarray(headerAt + length - extraBytes, headerAt + length);
  return { nextAt, found: [(flags & isSplit) !== 0 && "part", ...factsOf(extra)] };
}

function factsOf(extra: Buffer): readonly Fact[] {
  const found: Fact[] = [];
  for (let at = 0; at < extra.length; ) {
    const record = readerOf(extra, at);
    const length = record.number();
    at = record.at() + length;
    const kind = record.number();
    if (kind === encryption) found.push("lock");
    if (kind === redirection && record.number() === copiedFile) found.push("reference");
  }
  return found;
}

async function oldBlockAt(file: ByteSource, at: number): Promise<Block> {
  const header = await bytesAt(file, at, 64);
  const [type, flags, length] = [header.readUInt8(2), header.readUInt16LE(3), header.readUInt16LE(5)];
  const isFile = type === 0x74 || type === 0x7a;
  const more = isFile || (flags & 0x8000) !== 0 ? header.readUInt32LE(7) : 0;
  const nextAt = at + length + more + (isFile && (flags & 0x100) !== 0 ? header.readUInt32LE(32) * 2 ** 32 : 0);
  const [isLast, isMain] = [type === 0x7b, type === 0x73];
  const isPart = isFile ? (flags & 3) !== 0 : isLast && (flags & 1) !== 0;
  const isLocked = (isFile && (flags & 4) !== 0) || (isMain && (flags & 0x80) !== 0);
  const isComment = (type === 0x7a && header.toString("latin1", 32, 35) === "CMT") || (isMain && (flags & 2) !== 0);
  return { nextAt, found: [isComment && "comment", isPart && "part", isLocked && "lock"] };
}
