/** Sound without a container: frames that say how long they are. */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import { type Block, chainDamage, type Damage } from "./chain.ts";

/** Bytes of ID3v2, of which another program may have written more. */
function tagBytes(head: Buffer): number {
  if (head.toString("latin1", 0, 3) !== "ID3" || head.length < 10) return 0;
  return [...head.subarray(6, 10)].reduce((sum, each) => sum * 128 + (each & 0x7f), 0) + 10;
}

/** Tags between frames: files were joined. What follows the last frame counts as a tag, too. */
function tagBlock(head: Buffer): Block {
  if (tagBytes(head) > 0) return { bytes: tagBytes(head) };
  if (head.toString("latin1", 0, 3) === "TAG") return { bytes: 128 };
  if (head.toString("latin1", 0, 8) !== "APETAGEX" || head.length < 16) return undefined;
  return { bytes: 32 + head.readUInt32LE(12) };
}

/** By version and layer, in kbit/s from 1 to 14; the first row is that of MPEG-1, layer I. */
const bitRates = {
  "3.3": [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  "3.2": [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  "3.1": [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  "2.3": [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  "2.2": [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const sampleRates = [44_100, 48_000, 32_000];

/** @see ISO 11172-3, 2.4.1.3 and 2.4.3.1, and ISO 13818-3 for half the rates; MPEG-2.5 has a quarter of them. */
function mpegFrame(head: Buffer): Block {
  if (head.length < 4) return undefined;
  const bits = head.readUInt32BE(0);
  const [version, layer, rate, place, padding] = [(bits >> 19) & 3, (bits >> 17) & 3, (bits >> 12) & 15, (bits >> 10) & 3, (bits >> 9) & 1];
  const sampleRate = sampleRates[place];
  if (bits >>> 21 !== 0x7ff || version === 1 || layer === 0 || sampleRate === undefined) return undefined;
  const isFirst = version === 3;
  const row = isFirst ? bitRates[`3.${layer as 1 | 2 | 3}`] : layer === 3 ? bitRates["2.3"] : bitRates["2.2"];
  const bitRate = row[rate - 1];
  if (bitRate === undefined) return undefined;
  const hertz = sampleRate / (isFirst ? 1 : version === 2 ? 2 : 4);
  if (layer === 3) return { bytes: 4 * (Math.floor((12_000 * bitRate) / hertz) + padding) };
  return { bytes: Math.floor(((layer === 1 && !isFirst ? 72_000 : 144_000) * bitRate) / hertz) + padding };
}

/** @see ISO 13818-7, 6.2 */
function adtsFrame(head: Buffer): Block {
  if (head.length < 7) return undefined;
  const bytes = (head.readUIntBE(3, 3) >> 5) & 0x1fff;
  return (head.readUInt16BE(0) & 0xfff6) === 0xfff0 && bytes > 7 ? { bytes } : undefined;
}

const dolbySync = 0x0b77;
/** In kbit/s. */
const dolbyRates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];

/** @see ETSI TS 102 366, 5.4.1 and annex E, 2.2: E-AC-3 states its size, and AC-3 its rates. */
function dolbyFrame(head: Buffer): Block {
  if (head.length < 6 || head.readUInt16BE(0) !== dolbySync) return undefined;
  const version = (head[5] ?? 0) >> 3;
  if (version > 10) return { bytes: 2 * ((head.readUInt16BE(2) & 0x7ff) + 1) };
  const [rate, size] = [(head[4] ?? 0) >> 6, (head[4] ?? 0) & 0x3f];
  const bitRate = dolbyRates[size >> 1];
  if (bitRate === undefined || rate === 3) return undefined;
  if (rate === 1) return { bytes: 2 * (Math.floor((bitRate * 320) / 147) + (size & 1)) };
  return { bytes: bitRate * (rate === 0 ? 4 : 6) };
}

const dtsCore = 0x7ffe8001;

/** @see ETSI TS 102 114, 5.3 and 5.4 */
function dtsFrame(head: Buffer): Block {
  if (head.length < 10 || head.readUInt32BE(0) !== dtsCore) return undefined;
  return { bytes: ((head.readUIntBE(5, 3) >> 4) & 0x3fff) + 1 };
}

const tagHeadBytes = 16;

const ofFrames =
  (blockOf: (head: Buffer) => Block, headBytes: number) =>
  async (source: ByteSource): Promise<Damage> => {
    const from = tagBytes(source.head);
    // With the picture of a cover, a tag may be longer than the head.
    const isBare = blockOf(await bytesAt(source, from, headBytes)) === undefined;
    // What starts otherwise, such as an extension of DTS, is not known here.
    if (isBare) return { places: 0, isOpen: false };
    const chain = { from, headBytes: tagHeadBytes, blockOf: (head: Buffer) => blockOf(head) ?? tagBlock(head), mostTail: 1 };
    return await chainDamage(source, { ...chain, isSure: (head) => blockOf(head) !== undefined });
  };

export const frameDamage = {
  mp3: ofFrames(mpegFrame, 4),
  aac: ofFrames(adtsFrame, 7),
  ac3: ofFrames(dolbyFrame, 6),
  eac3: ofFrames(dolbyFrame, 6),
  dts: ofFrames(dtsFrame, 10),
};
