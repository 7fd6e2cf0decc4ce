/** Containers of elements with a key and a length, some within others: Matroska, MXF and RealMedia. */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { type Block, chainDamage, type Damage } from "./chain.ts";

const none: Damage = { places: 0, isOpen: false };

const klvKey = Buffer.from("060e2b34", "hex");

/** @see SMPTE 336M: a key of 16 bytes, and a length of 1 to 9 bytes. */
function klvBlock(head: Buffer): Block {
  if (head.length < 25) return { bytes: head.length };
  const [first = 0] = head.subarray(16);
  const digits = first < 0x80 ? 0 : first & 0x7f;
  if (!head.subarray(0, 4).equals(klvKey) || digits > 8) return undefined;
  const told = digits === 0 ? first : Number(BigInt(`0x${head.toString("hex", 17, 17 + digits)}`));
  return { bytes: 17 + digits + told };
}

export async function materialDamage(source: ByteSource): Promise<Damage> {
  const from = source.head.indexOf(klvKey);
  return from < 0 ? none : await chainDamage(source, { from, headBytes: 25, blockOf: klvBlock });
}

const segment = 0x18538067;
const cluster = 0x1f43b675;
/** What a segment contains besides clusters: SeekHead, Info, Tracks, Cues, Tags, Attachments, Chapters; EBML; Void, CRC-32. */
const tops = new Set([0x114d9b74, 0x1549a966, 0x1654ae6b, 0x1c53bb6b, 0x1254c367, 0x1941a469, 0x1043a770, 0x1a45dfa3, 0xec, 0xbf]);
/** What clusters contain: Timestamp, SilentTracks, Position, PrevSize, SimpleBlock, BlockGroup and EncryptedBlock. */
const within = new Set([0xe7, 0x5854, 0xa7, 0xab, 0xa3, 0xa0, 0xaf]);

/** @see RFC 8794, 4 and 5: the first bit that is set says how many bytes a number has. */
function ebmlBlock(head: Buffer): Block {
  const nameBytes = Math.clz32(head[0] ?? 0) - 23;
  if (nameBytes > 4 || head.length <= nameBytes) return undefined;
  const name = head.readUIntBE(0, nameBytes);
  const isOuter = name === segment || name === cluster;
  if (!isOuter && !tops.has(name) && !within.has(name)) return undefined;
  const sizeBytes = Math.clz32(head[nameBytes] ?? 0) - 23;
  if (sizeBytes > 8 || head.length < nameBytes + sizeBytes) return undefined;
  if (isOuter) return { bytes: nameBytes + sizeBytes };
  const told = BigInt(`0x${head.toString("hex", nameBytes, nameBytes + sizeBytes)}`) & (2n ** BigInt(7 * sizeBytes) - 1n);
  return { bytes: nameBytes + sizeBytes + Number(told) };
}

const isCluster = (head: Buffer): boolean => head.length >= 4 && head.readUInt32BE(0) === cluster;

export async function matroskaDamage(source: ByteSource): Promise<Damage> {
  return await chainDamage(source, { from: 0, headBytes: 12, blockOf: ebmlBlock, isSure: isCluster, mostTail: 0.01 });
}

/** @see the RealMedia file format, DATA: packets with a version, a length, a stream and a time. */
function realBlock(head: Buffer): Block {
  if (head.length < 12) return undefined;
  const bytes = head.readUInt16BE(2);
  return head.readUInt16BE(0) <= 1 && bytes >= 12 && head.readUInt16BE(4) < 64 ? { bytes } : undefined;
}

/** Writers disagree about what the size of DATA includes, so it says nothing about the end. */
export async function realDamage(source: ByteSource): Promise<Damage> {
  const at = source.head.indexOf("DATA", undefined, "latin1");
  return at < 0 ? none : await chainDamage(source, { from: at + 18, headBytes: 12, blockOf: realBlock, mostTail: 0.01 });
}
