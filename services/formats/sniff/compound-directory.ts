/**
 * The directory of a compound file, for the sniffer and the guards.
 *
 * @see [MS-CFB] 2.6
 */
import type { Source } from "./source.ts";

export type CompoundStream = { readonly name: string; readonly start: number; readonly sizeBytes: number };

type Entry = CompoundStream & { readonly left: number; readonly right: number; readonly child: number };

const endOfChain = 0xffff_fffa;
const maxDirectorySectors = 512;
const headerFatSectors = 109;
const magic = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

export const isCompoundFile = (head: Buffer): boolean => head.subarray(0, 8).equals(magic);

/** Reads with limited reads. A broken directory gives what can be read of it. */
export function compoundReaderOf({ head, sizeBytes: fileBytes, read }: Source) {
  const sectorBytes = 2 ** Math.min(12, Math.max(9, head.readUInt16LE(30)));
  const perSector = sectorBytes / 4;
  /** Takes bytes from the head if it contains them. */
  async function bytesAt(offset: number, length: number): Promise<Buffer> {
    const end = Math.min(offset + length, fileBytes);
    return end <= head.length ? head.subarray(offset, Math.max(offset, end)) : read(offset, length);
  }
  const sector = (index: number): Promise<Buffer> => bytesAt((index + 1) * sectorBytes, sectorBytes);

  /** The sector with a part of the allocation table. The header names the first 109, the others form a chain. */
  async function fatSectorOf(index: number): Promise<number> {
    if (index < headerFatSectors) return head.readUInt32LE(76 + index * 4);
    let table = head.readUInt32LE(68);
    let left = index - headerFatSectors;
    for (; left >= perSector - 1; left -= perSector - 1) {
      const bytes = await sector(table);
      if (bytes.length < sectorBytes) return endOfChain;
      table = bytes.readUInt32LE(sectorBytes - 4);
    }
    const bytes = await sector(table);
    return bytes.length < sectorBytes ? endOfChain : bytes.readUInt32LE(left * 4);
  }

  async function next(index: number): Promise<number> {
    const table = await fatSectorOf(Math.floor(index / perSector));
    if (table >= endOfChain) return endOfChain;
    const bytes = await bytesAt((table + 1) * sectorBytes + (index % perSector) * 4, 4);
    return bytes.length < 4 ? endOfChain : bytes.readUInt32LE(0);
  }

  async function entries(): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    let index = head.readUInt32LE(48);
    for (let count = 0; index < endOfChain && count < maxDirectorySectors; count++) {
      const bytes = await sector(index);
      for (let at = 0; at + 128 <= bytes.length; at += 128) found.push(entryOf(bytes.subarray(at, at + 128)));
      index = await next(index);
    }
    return found;
  }

  /** Streams and storages of the file itself, without those of the documents that it contains. */
  async function streams(): Promise<readonly CompoundStream[]> {
    const all = await entries();
    const own: Entry[] = [];
    const seen = new Set<number>();
    const waiting = [all[0]?.child ?? endOfChain];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const entry = all[index];
      if (entry === undefined || seen.has(index)) continue;
      seen.add(index);
      own.push(entry);
      waiting.push(entry.right, entry.left);
    }
    return own.length > 0 ? own : all;
  }

  /** At least the first 64 bytes of a stream, if it has that many. */
  async function begin(stream: CompoundStream): Promise<Buffer> {
    if (stream.sizeBytes >= head.readUInt32LE(56)) return sector(stream.start);
    // Short streams are stored in pieces of 64 bytes inside the stream of the root, the first entry of the directory.
    const root = (await entries())[0];
    if (root === undefined) return Buffer.alloc(0);
    const offset = stream.start * 64;
    let index = root.start;
    for (let skip = Math.floor(offset / sectorBytes); skip > 0 && index < endOfChain; skip--) index = await next(index);
    if (index >= endOfChain) return Buffer.alloc(0);
    return bytesAt((index + 1) * sectorBytes + (offset % sectorBytes), Math.min(64, stream.sizeBytes));
  }

  return { streams, begin };
}

function entryOf(bytes: Buffer): Entry {
  const nameBytes = Math.min(64, bytes.readUInt16LE(64));
  return {
    name: bytes.toString("utf16le", 0, Math.max(0, nameBytes - 2)),
    left: bytes.readUInt32LE(68),
    right: bytes.readUInt32LE(72),
    child: bytes.readUInt32LE(76),
    start: bytes.readUInt32LE(116),
    sizeBytes: bytes.readUInt32LE(120),
  };
}
