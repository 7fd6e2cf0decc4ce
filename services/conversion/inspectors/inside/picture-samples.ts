/** Which pictures ImageMagick misreads or does not read, and what they hold besides the picture that is read. */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";

type Samples = Answer<"samples">;

/** Bits per pixel and the masks of red, green, blue and alpha that ImageMagick reads rightly. */
const usualMasks = new Set([
  ...["32 ff0000 ff00 ff 0", "32 ff0000 ff00 ff ff000000", "24 ff0000 ff00 ff 0"],
  ...["16 f800 7e0 1f 0", "16 7c00 3e0 1f 8000", "16 f00 f0 f f000"],
]);
const [fourCc, rgb, luminance] = [4, 0x40, 0x2_0000];
const [cube, volume] = [0x200, 0x20_0000];

/** @see Microsoft's reference of DDS_HEADER and DDS_HEADER_DXT10 */
export function surfaceSamples(head: Buffer): Samples {
  if (head.length < 128) return { isMisread: false, left: "" };
  const [flags, code, bits] = [head.readUInt32LE(80), head.toString("latin1", 84, 88), head.readUInt32LE(88)];
  const masks = [92, 96, 100, 104].map((at) => head.readUInt32LE(at).toString(16));
  const isKnown = (flags & rgb) !== 0 ? usualMasks.has([bits, ...masks].join(" ")) : (flags & luminance) !== 0 && bits === 8;
  const isMisread = (flags & fourCc) === 0 ? !isKnown : !/^DXT[135]$/.test(code);
  const [kinds, depth] = [head.readUInt32LE(112), head.readUInt32LE(24)];
  const [kind, several] = code === "DX10" && head.length >= 148 ? [head.readUInt32LE(128), head.readUInt32LE(140)] : [0, 1];
  if ((kinds & cube) !== 0) return { isMisread, left: "Only the first side of a cube map was converted." };
  if ((kinds & volume) !== 0 && depth > 1) return { isMisread, left: `Only the first of ${depth} layers was converted.` };
  if (kind === 95 || kind === 96) return { isMisread, left: "Values of 1 and above became full brightness." };
  return { isMisread, left: several > 1 ? `Only the first of ${several} pictures was converted.` : "" };
}

const [indexed, multichannel, duotone, versionInfo, mostResources] = [2, 7, 8, 1057, 10_000];
/** Channels of each mode: bitmap, grey, indexed, RGB, CMYK, duotone and Lab. */
const coloursOf: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 1, 3: 3, 4: 4, 8: 1, 9: 3 };
const unflattened = "The file was saved without a flattened picture; its layers were laid over each other, without effects and masks.";

/** @see Adobe Photoshop File Formats Specification: the header, the colours and the resources, of which one tells whether it is flattened */
export async function photoshopSamples(file: ByteSource): Promise<Samples> {
  const head = await bytesAt(file, 0, 30);
  if (head.length < 30) return { isMisread: false, left: "" };
  const isMisread = head.readUInt16BE(24) === indexed;
  let isUnflattened = false;
  let at = 34 + head.readUInt32BE(26);
  for (let count = 0; count < mostResources; count++) {
    // The sign, a number, a name of an even length and the size.
    const start = await bytesAt(file, at, 268);
    if (start.length < 17 || start.toString("latin1", 0, 4) !== "8BIM") break;
    const data = 6 + 2 * Math.ceil((1 + start.readUInt8(6)) / 2) + 4;
    if (data + 5 > start.length) break;
    const size = start.readUInt32BE(data - 4);
    if (start.readUInt16BE(4) === versionInfo) isUnflattened = size > 4 && start[data + 4] === 0;
    at += data + size + (size % 2);
  }
  const layers = await layersIn(file, 34 + head.readUInt32BE(26), head.readUInt16BE(4) === 2 ? 8 : 4);
  const left = [isUnflattened ? unflattened : "", ...channelsLeft(head, layers), ...layersLeft(layers, isUnflattened)];
  return { isMisread, left: left.filter((each) => each !== "").join(" ") };
}

/** How many layers there are, below zero if the first channel after the colours is the transparency of the flattened picture. */
async function layersIn(file: ByteSource, resources: number, width: 4 | 8): Promise<number> {
  const length = await bytesAt(file, resources - 4, 4);
  const at = resources + (length.length < 4 ? file.sizeBytes : length.readUInt32BE());
  // Two lengths, which may be 0, and the number.
  const layers = await bytesAt(file, at, 2 * width + 2);
  return layers.length === 2 * width + 2 && layers.readUInt32BE(width - 4) > 0 ? layers.readInt16BE(2 * width) : 0;
}

function layersLeft(layers: number, isUnflattened: boolean): readonly string[] {
  return Math.abs(layers) > 1 && !isUnflattened ? [`${Math.abs(layers)} layers became one picture.`] : [];
}

function channelsLeft(head: Buffer, layers: number): readonly string[] {
  const [channels, mode] = [head.readUInt16BE(12), head.readUInt16BE(24)];
  if (mode === multichannel) return ["Channels that say nothing of their colours were taken for those of a usual picture."];
  const further = channels - (coloursOf[mode] ?? channels) - (layers < 0 ? 1 : 0);
  const left = further < 1 ? [] : [`${further === 1 ? "A further channel was" : `${further} further channels were`} left out.`];
  return mode === duotone ? ["The inks of a duotone were left out: it is grey now.", ...left] : left;
}

/** Run lengths of whole colours, whose order ImageMagick turns round. @see Sun's rasterfile.h */
export function isPackedSun(head: Buffer): boolean {
  return head.length >= 24 && head.readUInt32BE(12) >= 24 && head.readUInt32BE(20) === 2;
}
