// Runs inside the sandbox, beside sharp-child.mjs: which resolution, depth, profile, metadata and transparency a result keeps.
import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { withWords } from "./png-words.mjs";
import { isSrgb, isUsable, tellsMore } from "./sharp-headers.mjs";

const usualDensity = 72;

/**
 * Keeps the source's resolution. Without one, TIFF states 72 dpi, which programs treat as unset; libvips would write 25.4. `drawn`: that
 * of a drawing, of which libvips writes three quarters.
 */
export function setDensity(image, { from, to, options }, first, drawn) {
  const density = options.density ?? first.density;
  if (from === "svg") {
    if (to === "png" || to === "tiff") image.options.withMetadataDensity = drawn;
    return;
  }
  if (density !== undefined && (/^(?:jpg|webp|avif)$/.test(to) || options.isSizedInExif === true)) {
    image.withDensity(density);
    // Otherwise withDensity would keep all of the EXIF data.
    if (options.metadata === "strip") image.withExif({});
  } else image.options.withMetadataDensity = density ?? usualDensity;
}

/** libvips gives every PNG a resolution. If the source has none, makes it that of square pixels of unknown size, in these bytes or the file `out`. */
function clearDensity({ from, to, options }, first, written) {
  if (to !== "png" || from === "svg" || (options.density ?? first.density) !== undefined) return written;
  if (written !== undefined) return withoutDensity(written);
  const file = openSync("out", "r+");
  const head = Buffer.alloc(4096);
  writeSync(file, withoutDensity(head.subarray(0, readSync(file, head, 0, head.length, 0))), 0, undefined, 0);
  closeSync(file);
  return undefined;
}

/** What libvips cannot write itself: the resolution and the text of a PNG, in these bytes or the file `out`. */
export function finished(request, first, written) {
  const output = clearDensity(request, first, written);
  if (first.words === undefined || request.to !== "png" || request.options.metadata === "strip") return output;
  if (output !== undefined) return withWords(output, first.words);
  writeFileSync("out", withWords(readFileSync("out"), first.words));
  return undefined;
}

export function withoutDensity(head) {
  for (let at = 8; at + 21 <= head.length; at += 12 + head.readUInt32BE(at)) {
    const kind = head.toString("latin1", at + 4, at + 8);
    if (kind === "IDAT") break;
    if (kind !== "pHYs") continue;
    head.writeUInt32BE(1, at + 8);
    head.writeUInt32BE(1, at + 12);
    head.writeUInt8(0, at + 16);
    head.writeUInt32BE(crc32(head.subarray(at + 4, at + 17)), at + 17);
  }
  return head;
}

/** sharp's internal flags for IPTC and for unnamed metadata such as comments. It has no methods for these two. */
const [iptc, others] = [0b100, 0b1_0000];

/** Keeps all metadata that libvips can write. */
export function keepMetadata(image, { options }, { exif, fields }) {
  if (options.metadata === "strip") return;
  image.keepXmp();
  // Otherwise libvips would invent a resolution in EXIF.
  if (exif !== undefined) image.keepExif();
  if (fields !== undefined) image.withExifMerge(fields);
  image.options.keepMetadata |= iptc | others;
}

/** Bits per sample that a target format holds. */
export function depthIn(to) {
  return to === "png" || to === "tiff" ? 16 : to === "avif" ? 10 : 8;
}

/** For RGB pictures only: others are converted to RGB, for which their own profile would be wrong. */
export function keepsProfile({ icc, isHdr }, { profile }) {
  return profile === "keep" && isHdr !== true && icc?.toString("latin1", 16, 20) === "RGB ";
}

export function isConverted(first, options) {
  return (
    first.icc !== undefined && !isSrgb(first.icc) && isUsable(first.icc) && options.profile !== "strip" && !keepsProfile(first, options)
  );
}

/** libvips applies a grey profile in eight bits only. */
export function losesGreyDepth(first, options) {
  return first.space === "grey16" && isConverted(first, options);
}

/**
 * The same file without the thumbnail in its EXIF data, which would show what was cropped and the old orientation. Without a thumbnail,
 * returns the same bytes. The thumbnail has a directory of its own.
 *
 * @see Exif 2.32, 4.5.8
 */
export function withoutThumbnail(bytes, exif) {
  if (exif === undefined) return bytes;
  const tiff = exif.toString("latin1", 0, 6) === "Exif\0\0" ? exif.subarray(6) : exif;
  const isLittle = tiff[0] === 0x49;
  try {
    const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
    const entries = isLittle ? tiff.readUInt16LE(first) : tiff.readUInt16BE(first);
    const next = first + 2 + entries * 12;
    if (tiff.readUInt32LE(next) === 0) return bytes;
    const at = bytes.indexOf(tiff);
    if (at < 0) return bytes;
    const copy = Buffer.from(bytes);
    copy.writeUInt32LE(0, at + next);
    sign(copy, at, tiff.length);
    return copy;
  } catch (error) {
    // Unreadable EXIF data, which other readers will notice as well.
    if (error instanceof RangeError) return bytes;
    throw error;
  }
}

/** Renews the checksum, which only PNG has for its parts. */
function sign(bytes, at, length) {
  if (bytes.toString("latin1", at - 4, at) === "eXIf") bytes.writeUInt32BE(crc32(bytes.subarray(at - 4, at + length)), at + length);
}

export function flattens({ to, options }) {
  return to === "jpg" || options.background !== undefined;
}

/** GIF pixels are either transparent or opaque. Encoders of other formats often leave values close to either. */
const [nearlyClear, nearlyOpaque] = [12, 243];

export async function noteAlpha(sharp, bytes, input, request, first, notes) {
  const isHardened = request.to === "gif" && request.from !== "gif";
  if (first.hasAlpha !== true || !(flattens(request) || isHardened)) return;
  const alpha = await sharp(bytes, input).extractChannel("alpha").raw({ depth: "uchar" }).toBuffer();
  if (flattens(request)) {
    if (alpha.some((value) => value < 255)) notes.set("ALPHA_FLATTENED");
  } else if (alpha.some((value) => value > nearlyClear && value < nearlyOpaque)) {
    notes.set("ALPHA_FLATTENED", "Partly transparent pixels became fully transparent or opaque.");
  }
}

/** Vector pictures are rendered at the requested size rather than rendered small and enlarged. */
export function densityOf(first, options) {
  if (options.density !== undefined) return Math.max((options.density * 72) / 96, 1);
  const scale = Math.max((options.width ?? 0) / (first.width || 1), (options.height ?? 0) / (first.height || 1));
  return Math.min(Math.max(72 * (scale || 1), 1), 100_000);
}

/** Whether the source may be returned as the result, because no requested option would show in anything but its size. */
export function asksForNothingElse(first, options) {
  const { width, height, rotate = "0", flip = "none", crop, background, density, progressive, profile, lossless, metadata } = options;
  const isShaped = [width, height, crop, background, density].some((value) => value !== undefined) || rotate !== "0" || flip !== "none";
  const says = tellsMore(first.exif) || first.xmp !== undefined || first.iptc !== undefined || (first.comments ?? []).length > 0;
  const isCleaned = (profile === "strip" && first.icc !== undefined) || (metadata === "strip" && says);
  return !(isShaped || progressive === true || lossless === true || isCleaned);
}
