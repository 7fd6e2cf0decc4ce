/** Containers of packets or frames of one size, each with the same beginning: DV and ASF. */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Damage } from "./chain.ts";

/** As much as one read gives: the larger frames of DV are checked in part. */
const readBytes = 240_000;
const none: Damage = { places: 0, isOpen: false };

type Row = { readonly from: number; readonly size: number; readonly to: number; isWhole(bytes: Buffer): boolean };

/** Places at which one or more in a row are not as they should be. */
async function placesIn(source: ByteSource, { from, size, to, isWhole }: Row): Promise<number> {
  let [places, wasWhole] = [0, true];
  for (let at = from; at + size <= to; at += size) {
    const isNext = isWhole(await bytesAt(source, at, Math.min(size, readBytes)));
    if (wasWhole && !isNext) places += 1;
    wasWhole = isNext;
  }
  return places;
}

/** Of 525 and 625 lines, by 25, 50 and 100 Mbit/s. */
const frameSizes = [120_000, 144_000, 240_000, 288_000, 480_000, 576_000];
const isFrame = (head: Buffer): boolean => head[0] === 0x1f && ((head[1] ?? 0) & 0xf7) === 0x07 && head[2] === 0;

const difBytes = 80;
/** Of each block, the kind is one of five, and the bit after it is set. */
function hasBlocks(frame: Buffer): boolean {
  for (let at = 0; at < frame.length; at += difBytes) if (((frame[at] ?? 0) & 0x10) === 0 || (frame[at] ?? 0) >> 5 > 4) return false;
  return isFrame(frame);
}

/** @see SMPTE 314M, 4.3.2 */
export async function dvDamage(source: ByteSource): Promise<Damage> {
  if (!isFrame(source.head)) return none;
  for (const size of frameSizes) {
    if (!isFrame(await bytesAt(source, size, 3))) continue;
    const places = await placesIn(source, { from: 0, size, to: source.sizeBytes, isWhole: hasBlocks });
    return { places, isOpen: source.sizeBytes % size !== 0 };
  }
  return none;
}

const fileProperties = Buffer.from("a1dcab8c47a9cf118ee400c00c205365", "hex");
const dataObject = "3626b2758e66cf11a6d900aa0062ce6c";
const packetsFrom = 50;
const longestPacket = 2 ** 24;
/** Two bytes of data for the correction of errors, which nobody writes. */
const isPacket = (head: Buffer): boolean => head[0] === 0x82 && head[1] === 0 && head[2] === 0;

/** @see the ASF specification, 3.2 and 5: how many packets there are, unless for a broadcast. */
export async function asfDamage(source: ByteSource): Promise<Damage> {
  const at = source.head.indexOf(fileProperties);
  if (at < 0 || at + 104 > source.head.length) return none;
  const start = Number(source.head.readBigUInt64LE(16));
  const [packets, size] = [Number(source.head.readBigUInt64LE(at + 56)), source.head.readUInt32LE(at + 92)];
  const isBroadcast = (source.head.readUInt32LE(at + 88) & 1) !== 0;
  const data = start < source.sizeBytes ? await bytesAt(source, start, packetsFrom + 3) : Buffer.alloc(0);
  const isKnown = data.toString("hex", 0, 16) === dataObject && isPacket(data.subarray(packetsFrom)) && size >= 16 && size <= longestPacket;
  if (!isKnown) return none;
  const from = start + packetsFrom;
  const told = isBroadcast || packets === 0 ? 0 : from + packets * size;
  const to = told === 0 ? source.sizeBytes : Math.min(told, source.sizeBytes);
  const places = await placesIn(source, { from, size, to, isWhole: isPacket });
  return { places, isOpen: places === 0 && told > source.sizeBytes };
}
