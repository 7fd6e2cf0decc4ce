/**
 * Detects passwords in the older office formats, and in the newer ones, whose encrypted package is wrapped in the older container.
 *
 * @see [MS-CFB], [MS-OFFCRYPTO] 2.3, [MS-XLS] 2.4.117 (FilePass), [MS-DOC] 2.5.2 (FibBase), [MS-PPT] 2.3.2 (CurrentUserAtom)
 */
import { type ByteSource, bytesAt } from "./byte-source.ts";
import { damaged, locked } from "./refusals.ts";

type Stream = { readonly name: string; readonly start: number; readonly sizeBytes: number };

const endOfChain = 0xffff_fffa;
const maxDirectorySectors = 512;
const headerFatSectors = 109;

/** Rejects with PASSWORD_REQUIRED. Other oddities are left to the engine. */
export async function inspectCompoundFile(source: ByteSource): Promise<void> {
  if (source.sizeBytes < 1024) throw damaged();
  const file = createReader(source);
  const streams = await file.streams();
  const named = (...names: string[]): Stream | undefined => streams.find(({ name }) => names.includes(name));
  if (named("EncryptedPackage", "EncryptedSummary", "\tDRMContent") !== undefined) throw locked();
  const workbook = named("Workbook", "Book");
  if (workbook !== undefined && hasFilePass(await file.begin(workbook))) throw locked();
  const document = named("WordDocument");
  // fEncrypted is bit 8 of the flags.
  if (document !== undefined && (((await file.begin(document))[0x0b] ?? 0) & 1) !== 0) throw locked();
  const presenter = named("Current User");
  if (presenter !== undefined) {
    const atom = await file.begin(presenter);
    if (atom.length >= 16 && atom.readUInt32LE(12) === 0xf3d1c4df) throw locked();
  }
}

/** FilePass follows the stream's BOF record, after a write protection record at most. */
function hasFilePass(bytes: Buffer): boolean {
  for (let at = 0, records = 0; at + 4 <= bytes.length && records < 4; records++) {
    if (bytes.readUInt16LE(at) === 0x2f) return true;
    at += 4 + bytes.readUInt16LE(at + 2);
  }
  return false;
}

function createReader(source: ByteSource) {
  const { head } = source;
  const sectorBytes = 2 ** Math.min(12, Math.max(9, head.readUInt16LE(30)));
  const perSector = sectorBytes / 4;
  const sector = (index: number): Promise<Buffer> => bytesAt(source, (index + 1) * sectorBytes, sectorBytes);

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
    const bytes = await bytesAt(source, (table + 1) * sectorBytes + (index % perSector) * 4, 4);
    return bytes.length < 4 ? endOfChain : bytes.readUInt32LE(0);
  }

  async function streams(): Promise<readonly Stream[]> {
    const found: Stream[] = [];
    let index = head.readUInt32LE(48);
    for (let read = 0; index < endOfChain && read < maxDirectorySectors; read++) {
      const bytes = await sector(index);
      for (let at = 0; at + 128 <= bytes.length; at += 128) {
        const nameBytes = Math.min(64, bytes.readUInt16LE(at + 64));
        const name = bytes.toString("utf16le", at, at + Math.max(0, nameBytes - 2));
        found.push({ name, start: bytes.readUInt32LE(at + 116), sizeBytes: bytes.readUInt32LE(at + 120) });
      }
      index = await next(index);
    }
    return found;
  }

  /** At least the first 64 bytes of a stream, if it has that many. */
  async function begin(stream: Stream): Promise<Buffer> {
    if (stream.sizeBytes >= head.readUInt32LE(56)) return sector(stream.start);
    // Short streams are stored in pieces of 64 bytes inside the stream of the root, the first entry of the directory.
    const root = (await streams())[0];
    if (root === undefined) return Buffer.alloc(0);
    const offset = stream.start * 64;
    let index = root.start;
    for (let skip = Math.floor(offset / sectorBytes); skip > 0 && index < endOfChain; skip--) index = await next(index);
    if (index >= endOfChain) return Buffer.alloc(0);
    return bytesAt(source, (index + 1) * sectorBytes + (offset % sectorBytes), Math.min(64, stream.sizeBytes));
  }

  return { streams, begin };
}
