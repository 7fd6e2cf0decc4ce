/** Apple's binary property lists, with all digits. @see https://opensource.apple.com/source/CF/CF-1153.18/CFBinaryPList.c */
import { invalid, tooComplex } from "../failure.ts";
import { stampOfUnits } from "./parquet-types.ts";
import { type Entries, integerOf, maxDepth, tooDeep, type Value } from "./values.ts";

const trailerBytes = 32;
/** Objects may be referenced many times, so a small file could expand beyond memory. */
const maxObjects = 5_000_000;
/** Seconds from 1970 to 2001, the epoch of its dates. */
const epoch = 978_307_200;

type Reading = { readonly bytes: Buffer; readonly offsets: readonly number[]; readonly refBytes: number; left: number };

export function parseBinaryPlist(given: Uint8Array): Value {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  try {
    const trailer = bytes.subarray(-trailerBytes);
    const [offsetBytes, refBytes] = [trailer.readUInt8(6), trailer.readUInt8(7)];
    const [count, top, table] = [8, 16, 24].map((at) => Number(trailer.readBigUInt64BE(at)));
    if (count === undefined || top === undefined || table === undefined || count > bytes.length) throw new RangeError();
    const offsets = Array.from({ length: count }, (_, index) => unsignedAt(bytes, table + index * offsetBytes, offsetBytes));
    return objectAt({ bytes, offsets, refBytes, left: maxObjects }, top, 0);
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) throw invalid("The file is damaged or is not a property list.");
    throw error;
  }
}

function unsignedAt(bytes: Buffer, at: number, size: number): number {
  let value = 0;
  for (let place = 0; place < size; place += 1) value = value * 256 + bytes.readUInt8(at + place);
  return value;
}

function objectAt(reading: Reading, index: number, depth: number): Value {
  if (depth > maxDepth) throw tooDeep();
  if (--reading.left < 0) throw tooComplex("The data has too many values to convert.");
  const { bytes, offsets } = reading;
  const at = offsets[index] ?? bytes.length;
  const marker = bytes.readUInt8(at);
  const [kind, info] = [marker >> 4, marker & 15];
  if (kind === 0) return info === 8 || info === 9 ? info === 9 : null;
  if (kind === 1) return integerOfBytes(bytes.subarray(at + 1, at + 1 + 2 ** info), 2 ** info);
  if (kind === 2) return info === 2 ? bytes.readFloatBE(at + 1) : bytes.readDoubleBE(at + 1);
  if (kind === 3) return stampOfUnits(BigInt(Math.round(bytes.readDoubleBE(at + 1) * 1e6)) + BigInt(epoch) * 1_000_000n, 6);
  if (kind === 8) return new Map([["UID", unsignedAt(bytes, at + 1, info + 1)]]);
  const { length, start } = lengthAt(bytes, at, info);
  if (kind === 4) return new Uint8Array(piece(bytes, start, length));
  if (kind === 5) return piece(bytes, start, length).toString("latin1");
  if (kind === 6)
    return Buffer.from(piece(bytes, start, length * 2))
      .swap16()
      .toString("utf16le");
  if (kind === 7) return piece(bytes, start, length).toString();
  return collectionAt(reading, { kind, start, length, depth });
}

type Collection = { readonly kind: number; readonly start: number; readonly length: number; readonly depth: number };

function collectionAt(reading: Reading, { kind, start, length, depth }: Collection): Value {
  const member = (place: number) =>
    objectAt(reading, unsignedAt(reading.bytes, start + place * reading.refBytes, reading.refBytes), depth + 1);
  if (kind !== 0xd && (kind < 0xa || kind > 0xc)) throw new RangeError();
  if (kind !== 0xd) return Array.from({ length }, (_, place) => member(place));
  const entries: Entries = new Map();
  for (let place = 0; place < length; place += 1) entries.set(String(member(place)), member(length + place));
  return entries;
}

/** Integers of eight bytes and more are signed. */
function integerOfBytes(bytes: Buffer, size: number): number | bigint {
  if (bytes.length !== size) throw new RangeError();
  const value = BigInt(`0x${bytes.toString("hex")}`);
  return integerOf(size < 8 ? value : BigInt.asIntN(size * 8, value));
}

/** Lengths of fifteen and more are stored in a separate integer. */
function lengthAt(bytes: Buffer, at: number, info: number): { readonly length: number; readonly start: number } {
  if (info < 15) return { length: info, start: at + 1 };
  const size = 2 ** (bytes.readUInt8(at + 1) & 15);
  const length = unsignedAt(bytes, at + 2, size);
  if (length > bytes.length) throw new RangeError();
  return { length, start: at + 2 + size };
}

function piece(bytes: Buffer, start: number, length: number): Buffer {
  if (start + length > bytes.length) throw new RangeError();
  return bytes.subarray(start, start + length);
}
