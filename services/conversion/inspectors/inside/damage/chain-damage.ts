/** The containers that are plain chains: AVI, FLV and MPEG program streams. */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { type Block, type Chain, chainDamage, type Damage } from "./chain.ts";

const none: Damage = { places: 0, isOpen: false };

/** Data of a track, an index, or what is between them. */
const aviChunk = /^(?:\d\d[a-z]{2}|\d\d[A-Z]{2}|ix\d\d|idx1|JUNK|LIST|RIFF|[A-Z]{4})$/;
const longestChunk = 2 ** 28;

function aviBlock(head: Buffer): Block {
  if (head.length < 8) return { bytes: head.length };
  const name = head.toString("latin1", 0, 4);
  const bytes = head.readUInt32LE(4);
  if (!aviChunk.test(name)) return undefined;
  // Only their heads: the chunks within follow.
  if (name === "LIST" || name === "RIFF") return { bytes: 12 };
  return bytes > longestChunk ? undefined : { bytes: 8 + bytes + (bytes % 2) };
}

/** @see OpenDML AVI File Format Extensions, 1.02. The size of RIFF tells whether the end is missing. */
export async function aviDamage(source: ByteSource): Promise<Damage> {
  const movie = source.head.indexOf("movi", undefined, "latin1");
  if (movie < 8) return none;
  const bytes = source.head.readUInt32LE(movie - 4);
  // A writer that could not go back states nothing, and what follows the last of several RIFF parts is unknown.
  const to = bytes <= 4 ? source.sizeBytes : Math.min(source.sizeBytes, movie + bytes);
  const { places } = await chainDamage(source, { from: movie + 4, headBytes: 8, blockOf: aviBlock, to });
  return { places, isOpen: false };
}

/** @see Adobe's Video File Format Specification, 10.1, annex E: a tag, and its size once more. */
function flashBlock(head: Buffer): Block {
  if (head.length < 15) return { bytes: 15 };
  const isTag = /^(?:8|9|18)$/.test(String((head[4] ?? 0) & 0x1f)) && head.readUIntBE(12, 3) === 0;
  return isTag ? { bytes: 15 + head.readUIntBE(5, 3) } : undefined;
}

export async function flashDamage(source: ByteSource): Promise<Damage> {
  if (source.head.length < 13) return none;
  const from = source.head.readUInt32BE(5);
  // After the last tag comes its size, and nothing else.
  const flash: Chain = { from, headBytes: 15, blockOf: (head) => (head.length === 4 ? { bytes: 4, isLast: true } : flashBlock(head)) };
  return await chainDamage(source, flash);
}

const startCode = Buffer.from([0, 0, 1]);
const programEnd = 0xb9;
const pack = 0xba;

/** @see ISO 13818-1, 2.5.3, and ISO 11172-1: packs of a fixed form, and packets that state their length. */
function programBlock(head: Buffer): Block {
  if (head.length < 4) return { bytes: head.length };
  const kind = head[3] ?? 0;
  // Zeros may fill the space before a start code.
  if (head[0] === 0 && head[1] === 0 && head[2] === 0) return { bytes: 1 };
  if (!head.subarray(0, 3).equals(startCode) || kind < programEnd) return undefined;
  if (kind === programEnd) return { bytes: 4 };
  if (kind === pack) return { bytes: ((head[4] ?? 0x40) & 0xc0) === 0x40 ? 14 + ((head[13] ?? 0) & 7) : 12 };
  return { bytes: 6 + (head.length < 6 ? 0 : head.readUInt16BE(4)) };
}

/** Zeros between packs that are no damage. */
const mostFilling = 4096;

export async function programDamage(source: ByteSource): Promise<Damage> {
  const from = source.head.indexOf(Buffer.from([0, 0, 1, pack]));
  if (from < 0) return none;
  let zeros = 0;
  const blockOf = (head: Buffer): Block => {
    const block = programBlock(head);
    zeros = block?.bytes === 1 ? zeros + 1 : 0;
    return zeros > mostFilling ? undefined : block;
  };
  const isSure = (head: Buffer): boolean => head[3] === pack && head.subarray(0, 3).equals(startCode);
  return await chainDamage(source, { from, headBytes: 14, blockOf, isSure });
}
