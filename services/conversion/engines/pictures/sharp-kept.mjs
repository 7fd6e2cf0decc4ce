// Runs inside the sandbox, beside sharp-child.mjs: which resolution, depth, profile, metadata and transparency of a picture its result keeps.
import { crc32 } from "node:zlib";
import { isSrgb } from "./sharp-headers.mjs";

export const usualDensity = 72;

/** As the source says, else what everybody takes for nothing said: libvips would write 25.4. */
export function setDensity(image, { to, options }, first) {
  const density = options.density ?? first.density;
  const isTold = density !== undefined && (options.density !== undefined || density !== usualDensity);
  if (isTold && to !== "tiff" && to !== "png" && to !== "gif") {
    image.withDensity(density);
    // Else it would keep all that EXIF says.
    if (options.metadata === "strip") image.withExif({});
  } else image.options.withMetadataDensity = density ?? usualDensity;
}

/** sharp's own bits for IPTC and for what has no name: comments. It has methods for the others alone. */
const [iptc, others] = [0b100, 0b1_0000];

/** All that the file says beside the picture, as far as libvips can write it. */
export function keepMetadata(image, { options }) {
  if (options.metadata === "strip") return;
  image.keepExif().keepXmp();
  image.options.keepMetadata |= iptc | others;
}

/** Bits of a colour that a format holds, of those that are written here. */
export function depthIn(to) {
  return to === "png" || to === "tiff" ? 16 : to === "avif" ? 10 : 8;
}

/** Of pictures in red, green and blue alone: others become these, to which their own profile would give wrong colours. */
export function keepsProfile({ icc, isHdr }, { profile }) {
  return profile === "keep" && isHdr !== true && icc?.toString("latin1", 16, 20) === "RGB ";
}

export function isConverted(first, options) {
  return first.icc !== undefined && !isSrgb(first.icc) && options.profile !== "strip" && !keepsProfile(first, options);
}

/** libvips converts greys by their profile in eight bits alone. */
export function losesGreyDepth(first, options) {
  return first.space === "grey16" && isConverted(first, options);
}

/**
 * The same file without the small picture in its EXIF, which would show what was cropped, and as it lay; the very same where there is
 * none. It is in a directory of its own.
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
    // What EXIF says cannot be read, which others will find too.
    if (error instanceof RangeError) return bytes;
    throw error;
  }
}

/** Of the formats only PNG has sums of its parts. */
function sign(bytes, at, length) {
  if (bytes.toString("latin1", at - 4, at) === "eXIf") bytes.writeUInt32BE(crc32(bytes.subarray(at - 4, at + length)), at + length);
}

export function flattens({ to, options }) {
  return to === "jpg" || options.background !== undefined;
}

/** A GIF has nothing between the two; encoders of others leave a little of it everywhere. */
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
