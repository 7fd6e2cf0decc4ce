/** Facts from the headers of pictures. */
import { FilemillError } from "#contract/errors.ts";
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { areOdd, hasForeignPalette, masksOf } from "#services/conversion/engines/pictures/bmp-samples.mjs";
import { headerOfPam, isMisreadPam } from "#services/conversion/engines/pictures/pam-samples.mjs";
import { namedColours } from "#services/conversion/engines/pictures/sharp-colours.mjs";
import { isMisread, tagsOfPages } from "#services/conversion/engines/pictures/tiff-samples.mjs";
import { isPackedSun, photoshopSamples, surfaceSamples } from "./picture-samples.ts";
import { contentOf } from "./remote-file.ts";

type PictureFacts = Answer<"pictureFacts">;

/** Printer profiles have up to two megabytes, and in a JPEG they precede the headers needed here. */
const headBytes = { png: 2 ** 20, jpg: 4 * 2 ** 20 } as const;

/** @throws FilemillError INVALID_INPUT if the header states no size. */
export async function pictureFactsOf(file: ByteSource, format: string): Promise<PictureFacts> {
  const head = await contentOf(file, headBytes[format === "png" ? "png" : "jpg"]);
  try {
    const facts = format === "png" ? pngFacts(head) : jpegFacts(head);
    if (facts.width > 0 && facts.height > 0) return facts;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new FilemillError("INVALID_INPUT", "The picture is damaged or incomplete.");
}

/** What its numbers mean as colours. 2 stands for unspecified. */
export async function namedColoursOf(file: ByteSource, format: string): Promise<Answer<"namedColours">> {
  const colours = namedColours(format, await contentOf(file, headBytes.png));
  const [primaries = 2, transfer = 2] = colours?.numbers ?? [];
  return { isNamed: colours !== undefined, primaries, transfer };
}

/** `page`: counted from 1; all of them without it. */
export async function samplesOf(file: ByteSource, format: string, page: unknown): Promise<Answer<"samples">> {
  if (format === "dds") return surfaceSamples(await bytesAt(file, 0, 148));
  if (format === "psd") return await photoshopSamples(file);
  return { isMisread: await isMisreadBy(file, format, page), left: "" };
}

async function isMisreadBy(file: ByteSource, format: string, page: unknown): Promise<boolean> {
  if (format === "bmp") {
    const head = await bytesAt(file, 0, 70);
    return areOdd(masksOf(head)) || hasForeignPalette(head);
  }
  if (format === "pam") return isMisreadPam(headerOfPam(await bytesAt(file, 0, 10_000)));
  if (format === "ras") return isPackedSun(await bytesAt(file, 0, 24));
  if (format !== "tiff") return await isBilevelPcx(file, format === "dcx" && typeof page === "number" ? page : undefined);
  const pages = await tagsOfPages((offset, length) => bytesAt(file, offset, length));
  const meant = typeof page === "number" ? pages.slice(page - 1, page) : pages;
  return meant.some(isMisread);
}

/**
 * ImageMagick takes black for white in pictures of one plane of one bit. `page`: of a DCX, which starts with a list of where its pages are.
 *
 * @see ZSoft PCX Technical Reference Manual, revision 5
 */
async function isBilevelPcx(file: ByteSource, page: number | undefined): Promise<boolean> {
  const at = page === undefined ? 0 : (await bytesAt(file, 4 * page, 4)).readUInt32LE();
  const head = await bytesAt(file, at, 66);
  return head[3] === 1 && head[65] === 1;
}

/** @see PNG third edition, 11.2.1, 11.3.3.3, 11.3.4.3 and 11.3.4.5: the size comes first, and pHYs before the data, in pixels per metre. */
function pngFacts(head: Buffer): PictureFacts {
  let [density, tallness]: [number | undefined, number] = [undefined, 1];
  let [hasProfile, isKeyed, hasGreyProfile] = [false, false, false];
  let inExif: number | undefined;
  let orientation = 1;
  for (let at = 8; at + 12 <= head.length; at += 12 + head.readUInt32BE(at)) {
    const type = head.toString("latin1", at + 4, at + 8);
    // The chunk starts with the profile's name.
    if (type === "iCCP") hasGreyProfile = (head.readUInt8(25) & 2) === 0;
    if (type === "iCCP") hasProfile = !/^[^\0]*sRGB/i.test(head.toString("latin1", at + 8, at + 88));
    if (type === "tRNS") isKeyed = true;
    if (type === "eXIf") ({ orientation, density: inExif } = exifFacts(head.subarray(at + 8, at + 8 + head.readUInt32BE(at))));
    if (type === "pHYs" && at + 17 <= head.length) {
      tallness = tallnessOf(head.readUInt32BE(at + 8), head.readUInt32BE(at + 12));
      if (head[at + 16] === 1) density = meantDensity(head.readUInt32BE(at + 8) * 0.0254);
    }
  }
  const [width, height, bitDepth] = [head.readUInt32BE(16), head.readUInt32BE(20), head.readUInt8(24)];
  const isSizedOutsideExif = density !== undefined && inExif === undefined;
  const shared = { width, height, orientation, density, tallness, components: undefined };
  return { ...shared, hasProfile, bitDepth, isKeyed, hasGreyProfile, isSizedOutsideExif };
}

function jpegFacts(head: Buffer): PictureFacts {
  let [orientation, density, tallness]: [number, number | undefined, number] = [1, undefined, 1];
  for (let at = 2; at + 9 <= head.length; ) {
    const marker = head[at + 1] ?? 0;
    if (head[at] !== 0xff || marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      const [width, height, components] = [head.readUInt16BE(at + 7), head.readUInt16BE(at + 5), head[at + 9]];
      const shared = { width, height, orientation, density, tallness };
      const ofPng = { hasProfile: undefined, bitDepth: undefined, isKeyed: undefined };
      return { ...shared, ...ofPng, hasGreyProfile: undefined, isSizedOutsideExif: undefined, components };
    }
    const text = head.toString("latin1", at + 4, at + 10);
    if (marker === 0xe0 && text.startsWith("JFIF\0")) {
      const unit = head[at + 11];
      tallness = tallnessOf(head.readUInt16BE(at + 12), head.readUInt16BE(at + 14));
      density = unit === 1 || unit === 2 ? meantDensity(head.readUInt16BE(at + 12) * (unit === 2 ? 2.54 : 1)) : undefined;
    }
    if (marker === 0xe1 && text === "Exif\0\0") {
      const exif = exifFacts(head.subarray(at + 10, at + 2 + head.readUInt16BE(at + 2)));
      orientation = exif.orientation;
      density ??= exif.density;
    }
    at += 2 + head.readUInt16BE(at + 2);
  }
  throw new RangeError("no frame");
}

const tags = { orientation: 0x0112, resolution: 0x011a, unit: 0x0128 } as const;

/** The tags in the first directory of the embedded TIFF. */
function exifFacts(tiff: Buffer): Pick<PictureFacts, "orientation" | "density"> {
  const nothing = { orientation: 1, density: undefined };
  if (tiff.length < 14) return nothing;
  const isLittle = tiff[0] === 0x49;
  const number = (at: number, length: 2 | 4) => (isLittle ? tiff.readUIntLE(at, length) : tiff.readUIntBE(at, length));
  const first = number(4, 4);
  if (first + 2 > tiff.length) return nothing;
  const found = new Map<number, number>();
  for (let index = 0; index < number(first, 2); index++) {
    const at = first + 2 + index * 12;
    if (at + 12 > tiff.length) break;
    found.set(number(at, 2), number(at + 8, number(at + 2, 2) === 3 ? 2 : 4));
  }
  const orientation = found.get(tags.orientation) ?? 1;
  const fraction = found.get(tags.resolution);
  const perUnit = fraction !== undefined && fraction + 8 <= tiff.length ? number(fraction, 4) / number(fraction + 4, 4) : 0;
  return {
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
    density: meantDensity(perUnit * (found.get(tags.unit) === 3 ? 2.54 : 1)),
  };
}

/** Faxes have two resolutions. Other programs write nonsense. */
function tallnessOf(across: number, down: number): number {
  const tallness = across / down;
  return tallness > 0.2 && tallness < 5 ? tallness : 1;
}

/** Cameras write 72 for every picture. Lower values mean nothing either. */
function meantDensity(density: number): number | undefined {
  return density > 72.5 && density <= 4800 ? density : undefined;
}
