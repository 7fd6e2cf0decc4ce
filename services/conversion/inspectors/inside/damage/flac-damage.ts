/** FLAC: frames are numbered, but do not say how long they are. */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Damage } from "./chain.ts";

const windowBytes = 131_072;
const longestHead = 16;
const first = 0xff;

/** @see RFC 9639, 9.1.8 */
function sumOf(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ ((sum & 0x80) === 0 ? 0 : 0x07)) & 0xff;
  }
  return sum;
}

/** @see RFC 9639, 9.1: the number of a frame in a stream whose frames have one size; undefined if no frame starts here. */
function numberAt(bytes: Buffer, at: number): number | undefined {
  if (bytes[at] !== first || bytes[at + 1] !== 0xf8) return undefined;
  const [sizes = 0, more = 0, lead = 0] = bytes.subarray(at + 2);
  if ((more & 1) !== 0) return undefined;
  const ones = Math.clz32(~(lead << 24));
  if (ones === 1 || ones > 6) return undefined;
  const digits = Math.max(1, ones);
  let number = ones === 0 ? lead : lead & (0x7f >> ones);
  for (const digit of bytes.subarray(at + 5, at + 4 + digits)) number = number * 64 + (digit & 0x3f);
  const [size, rate] = [sizes >> 4, sizes & 15];
  const end = at + 4 + digits + (size === 6 ? 1 : size === 7 ? 2 : 0) + (rate === 12 ? 1 : rate > 12 ? 2 : 0);
  return end < bytes.length && sumOf(bytes.subarray(at, end)) === bytes[end] ? number : undefined;
}

/** Where numbers are left out: a number that is too high is believed if the next one follows it. */
export async function flacDamage(source: ByteSource): Promise<Damage> {
  let [last, doubtful, places] = [-1, -1, 0];
  for (let from = 0; from < source.sizeBytes; from += windowBytes) {
    const bytes = await bytesAt(source, from, Math.min(windowBytes + longestHead, source.sizeBytes - from));
    for (let at = bytes.indexOf(first); at >= 0 && at < windowBytes; at = bytes.indexOf(first, at + 1)) {
      const number = numberAt(bytes, at);
      if (number === undefined || number <= last) continue;
      if (number === last + 1 || last < 0) last = number;
      else if (number === doubtful + 1) {
        places += 1;
        last = number;
      } else doubtful = number;
    }
  }
  return { places, isOpen: false };
}
