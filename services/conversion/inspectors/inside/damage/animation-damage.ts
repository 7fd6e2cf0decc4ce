/** GIF and animated PNG. Their decoders show what is there of a damaged frame. */
import { crc32 } from "node:zlib";
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Damage } from "./chain.ts";

const pieceBytes = 65_536;
/** Between blocks, which decoders pass over. */
const mostZeros = 16;

/** @see GIF89a, 17 to 27: blocks, each with a chain of at most 255 bytes at a time, and a trailer. */
async function gif(source: ByteSource): Promise<Damage> {
  const colours = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let at = 13 + colours(source.head[10] ?? 0);
  for (let zeros = 0; ; ) {
    const head = await bytesAt(source, at, 10);
    const [kind] = head;
    if (kind === 0x3b) return { places: 0, isOpen: false };
    if (kind === undefined) return { places: 0, isOpen: true };
    zeros = kind === 0 ? zeros + 1 : 0;
    if (zeros > mostZeros || (kind !== 0 && kind !== 0x21 && kind !== 0x2c)) return { places: 1, isOpen: false };
    if (kind === 0) {
      at += 1;
      continue;
    }
    at += kind === 0x21 ? 2 : 11 + colours(head[9] ?? 0);
    for (let [length = 0] = await bytesAt(source, at, 1); length > 0; [length = 0] = await bytesAt(source, at, 1)) at += 1 + length;
    at += 1;
  }
}

/** @see the PNG specification, 5.3: chunks with a sum each; IEND is last. */
async function apng(source: ByteSource): Promise<Damage> {
  let places = 0;
  for (let at = 8; ; ) {
    const head = await bytesAt(source, at, 8);
    if (head.length < 8) return { places, isOpen: true };
    const end = at + 8 + head.readUInt32BE(0);
    if (!/^[A-Za-z]{4}$/.test(head.toString("latin1", 4, 8))) return { places: places + 1, isOpen: false };
    let sum = crc32(head.subarray(4));
    for (let from = at + 8; from < Math.min(end, source.sizeBytes); from += pieceBytes)
      sum = crc32(await bytesAt(source, from, Math.min(pieceBytes, end - from)), sum);
    const told = await bytesAt(source, end, 4);
    if (told.length < 4) return { places, isOpen: true };
    if (told.readUInt32BE(0) !== sum) places += 1;
    if (head.toString("latin1", 4, 8) === "IEND") return { places, isOpen: false };
    at = end + 4;
  }
}

export const animationDamage = { gif, apng };
