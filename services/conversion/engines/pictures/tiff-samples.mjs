// Reads the tags that tell what the samples of a TIFF mean. Also runs inside the sandbox.
import { nominal } from "./sharp-headers.mjs";

/** @see TIFF 6.0, section 8 and 21 */
const names = new Map([
  [258, "bits"],
  [259, "compression"],
  [262, "photometric"],
  [277, "channels"],
  [282, "across"],
  [283, "down"],
  [296, "unit"],
  [338, "extras"],
  [339, "kinds"],
  [530, "subsampling"],
]);
const [shortKind, fractionKind, mostValues, mostPages] = [3, 5, 64, 500];
/** libtiff takes a page with more for damaged. */
const mostEntries = 4096;
const [minIsWhite, rgb, printers, ycbcr] = [0, 2, 5, 6];
const coloursOf = new Map([
  [rgb, 3],
  [printers, 4],
  [ycbcr, 3],
  [8, 3],
  [9, 3],
  [10, 3],
]);
const [signed, floating] = [2, 3];

/** @typedef {Readonly<Record<string, readonly number[] | undefined>>} Tags */

/**
 * The tags of each page. Those of a damaged file end early.
 *
 * @see BigTIFF: https://www.awaresystems.be/imaging/tiff/bigtiff.html
 * @param {(offset: number, length: number) => Buffer | Promise<Buffer>} read
 * @returns {Promise<readonly Tags[]>}
 */
export async function tagsOfPages(read) {
  /** @type {Tags[]} */
  const pages = [];
  try {
    const head = await read(0, 16);
    const isLittle = head[0] === 0x49;
    /** @param {Buffer} bytes @param {number} at @param {number} length */
    const number = (bytes, at, length) => {
      if (length === 8) return Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
      return isLittle ? bytes.readUIntLE(at, length) : bytes.readUIntBE(at, length);
    };
    const form = number(head, 2, 2) === 43 ? { count: 8, entry: 20, place: 8 } : { count: 2, entry: 12, place: 4 };
    for (let at = number(head, form.place, form.place); at !== 0 && pages.length < mostPages; ) {
      const count = number(await read(at, form.count), 0, form.count);
      if (count > mostEntries) break;
      const bytes = count * form.entry;
      const entries = await read(at + form.count, bytes + form.place);
      pages.push(await tagsIn(entries.subarray(0, bytes), { read, number, form }));
      at = number(entries, bytes, form.place);
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return pages;
}

/**
 * @param {Buffer} entries
 * @param {{
 *   read: (offset: number, length: number) => Buffer | Promise<Buffer>,
 *   number: (bytes: Buffer, at: number, length: number) => number,
 *   form: { entry: number, place: number },
 * }} file
 */
async function tagsIn(entries, { read, number, form }) {
  /** @type {Record<string, readonly number[]>} */
  const tags = {};
  for (let at = 0; at + form.entry <= entries.length; at += form.entry) {
    const name = names.get(number(entries, at, 2));
    // Of a repeated tag, libtiff takes the first.
    if (name === undefined || tags[name] !== undefined) continue;
    const kind = number(entries, at + 2, 2);
    const length = kind === shortKind ? 2 : 4;
    // A fraction is two numbers.
    const count = Math.min(mostValues, number(entries, at + 4, form.place) * (kind === fractionKind ? 2 : 1));
    const inline = entries.subarray(at + form.entry - form.place, at + form.entry);
    const values = count * length <= form.place ? inline : await read(number(inline, 0, form.place), count * length);
    tags[name] = Array.from({ length: count }, (_, index) => number(values, index * length, length));
  }
  return tags;
}

/** How many channels there are besides the colours and the first of the others, which may be transparency. @param {Tags} tags */
export function furtherChannelsOf(tags) {
  const [photometric = rgb, channels = 1] = [tags.photometric?.[0], tags.channels?.[0]];
  return Math.max(0, channels - (coloursOf.get(photometric) ?? 1) - 1);
}

/** Whether there is one channel besides the colours of which nothing says what it is. @param {Tags} tags */
export function hasUnstatedChannel({ photometric, channels = [1], extras = [0] }) {
  return extras[0] === 0 && channels[0] === (coloursOf.get(photometric?.[0] ?? rgb) ?? 1) + 1;
}

/** Whether the first of the further channels is declared as transparency. @param {Tags} tags */
export const isTransparency = ({ extras }) => extras?.[0] === 1 || extras?.[0] === 2;

/** Whether black and white are swapped. @param {Tags} tags */
export const isInverted = ({ photometric }) => photometric?.[0] === minIsWhite;

/** Whether resolutions are in inches or centimetres; otherwise they only tell the shape of pixels. @param {Tags} tags */
export const hasUnit = ({ unit }) => unit?.[0] !== 1;

/** In dots per inch; undefined if it is not stated. @param {Tags} tags */
export function densityOfTiff({ unit, across }) {
  const density = ((across?.[0] ?? 0) / (across?.[1] ?? 1)) * (unit?.[0] === 3 ? 2.54 : 1);
  return density > 0 && density < 100_000 ? nominal(density) : undefined;
}

/** Width of a pixel relative to its height, which fax makes unequal. @param {Tags} tags */
export function pixelShapeOf({ across = [1, 1], down = [1, 1] }) {
  const shape = ((down[0] ?? 1) * (across[1] ?? 1)) / ((down[1] ?? 1) * (across[0] ?? 1));
  return Number.isFinite(shape) && shape > 0 ? shape : 1;
}

/** YCbCr without JPEG: libvips takes it for RGB unless it is subsampled, and ImageMagick if it is. @param {Tags} tags */
export function plainYcbcrOf({ photometric, compression, subsampling = [2, 2] }) {
  if (photometric?.[0] !== ycbcr || [6, 7].includes(compression?.[0] ?? 1)) return undefined;
  return subsampling.some((value) => value > 1) ? "subsampled" : "whole";
}

/** Old-style JPEG, JBIG, LERC, LZMA and Zstandard, which libvips' libtiff is built without. */
const otherPackings = new Set([6, 34_661, 34_887, 34_925, 50_000]);

/** Whether libvips lacks the page's compression. @param {Tags} tags */
export const isPackedOtherwise = ({ compression }) => otherPackings.has(compression?.[0] ?? 1);

/**
 * Whether ImageMagick misreads the page: it ignores signs, keeps 16 bits of more, cuts floating point off at 0 and 1, inverts some greys,
 * and takes infrared for transparency.
 *
 * @param {Tags} tags
 */
export function isMisread(tags) {
  const { bits: [depth = 1] = [], kinds = [], channels: [count = 1] = [] } = tags;
  const isOddKind = depth > 16 || kinds.some((kind) => kind === signed || kind === floating);
  const isOddWhite = isInverted(tags) && (count > 1 || ![1, 8, 16].includes(depth));
  return isOddKind || isOddWhite || furtherChannelsOf(tags) > 0 || plainYcbcrOf(tags) === "subsampled";
}
