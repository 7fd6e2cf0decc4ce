// Runs inside the sandbox, beside sharp-child.mjs: reads headers and metadata directly from a picture's bytes.

/** For larger pictures, shortcuts save too little. */
export const plainBytes = 64 * 1024;

/** A resolution in dots per inch: whole if only the unit in which it is stored kept it from that, as 11811 per metre do 300. */
export function nominal(density) {
  const whole = Math.round(density);
  return Math.abs(density - whole) < density * 0.0002 ? whole : density;
}

/** Chunks without anything that a conversion could lose. */
const silentChunks = new Set(["PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "bKGD", "pHYs", "hIST", "tIME", "IDAT", "IEND"]);

/**
 * What libvips' metadata would say of a PNG of at most eight bits that holds only its picture, as most icons do: asking libvips takes a
 * twentieth of an icon's conversion. Undefined for any other PNG. The decoder finds out whether the chunks are intact.
 */
export function describePng(bytes) {
  if (bytes.length > plainBytes || bytes.length < 33 || bytes.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n") return undefined;
  if (bytes.toString("latin1", 12, 16) !== "IHDR" || bytes[24] > 8) return undefined;
  let hasAlpha = bytes[25] === 4 || bytes[25] === 6;
  let density;
  for (let at = 33; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const kind = bytes.toString("latin1", at + 4, at + 8);
    if (!silentChunks.has(kind)) return undefined;
    if (kind === "tRNS") hasAlpha = true;
    // In pixels per metre.
    if (kind === "pHYs" && bytes[at + 16] === 1) density = nominal(bytes.readUInt32BE(at + 8) * 0.0254);
    if (kind === "IEND") {
      const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
      return { format: "png", depth: "uchar", pages: 1, ...size, hasAlpha, ...(density > 0 && { density }) };
    }
  }
  return undefined;
}

/** Size, resolution, orientation and versions: programs add them on their own, so their loss is not noted. */
export const technicalTags = new Set([
  ...[0x100, 0x101, 0x102, 0x103, 0x106, 0x112, 0x115, 0x11a, 0x11b, 0x11c, 0x128, 0x212, 0x213],
  ...[0x8769, 0x9000, 0x9101, 0xa000, 0xa001, 0xa002, 0xa003],
]);

/** Whether EXIF has anything beyond technical tags; true if it cannot be read. @see TIFF 6.0, section 2 */
export function tellsMore(exif) {
  if (exif === undefined) return false;
  const tiff = exif.toString("latin1", 0, 6) === "Exif\0\0" ? exif.subarray(6) : exif;
  const number = (at, length) => (tiff[0] === 0x49 ? tiff.readUIntLE(at, length) : tiff.readUIntBE(at, length));
  const entriesAt = (start) =>
    Array.from({ length: number(start, 2) }, (_, index) => ({
      tag: number(start + 2 + index * 12, 2),
      value: number(start + 10 + index * 12, 4),
    }));
  try {
    const top = entriesAt(number(4, 4));
    const inner = top.filter(({ tag }) => tag === 0x8769).flatMap(({ value }) => entriesAt(value));
    return [...top, ...inner].some(({ tag }) => !technicalTags.has(tag));
  } catch {
    return true;
  }
}

/** Reads the profile's description, in ASCII (version 2) or UTF-16 (version 4); "c2" is the compact sRGB profile of the web. */
export function isSrgb(icc) {
  const text = icc.toString("latin1").replaceAll("\0", "");
  return /sRGB|desc.{0,40}c2(ci)?[^\w]/s.test(text);
}

/** By colour space: the parts of which a profile needs all, unless it has a table. @see ICC.1:2022, 8.3 to 8.5 */
const profileParts = { "RGB ": ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"], GRAY: ["kTRC"], CMYK: ["A2B0"], "Lab ": ["A2B0"] };

/** Whether libvips can apply the profile. Otherwise it silently ignores it. */
export function isUsable(icc) {
  if (icc.length < 132 || icc.toString("latin1", 36, 40) !== "acsp") return false;
  const parts = new Set();
  for (let at = 132; at + 12 <= Math.min(icc.length, 132 + icc.readUInt32BE(128) * 12); at += 12) {
    if (icc.readUInt32BE(at + 4) + icc.readUInt32BE(at + 8) <= icc.length) parts.add(icc.toString("latin1", at, at + 4));
  }
  return parts.has("A2B0") || (profileParts[icc.toString("latin1", 16, 20)] ?? []).every((part) => parts.has(part));
}

/**
 * How many times as wide as high the pixels are, according to pHYs, JFIF or, where those are missing or name no unit, EXIF.
 *
 * @see PNG third edition, 11.3.4.3, and ITU-T T.871, 10.1
 */
export function declaredShape(from, bytes, exif) {
  let [across, down] = [1, 1];
  if (from === "jpg" && isJfif(bytes)) [across, down] = [bytes.readUInt16BE(14), bytes.readUInt16BE(16)];
  if (from === "jpg" && across === down && !hasJfifUnit(bytes)) [across, down] = exifResolution(exif);
  if (from === "png") [across, down] = printedSize(bytes) ?? exifResolution(exif);
  if (from === "webp" || from === "avif") [across, down] = exifResolution(exif);
  return across > 0 && down > 0 ? down / across : 1;
}

/** What pHYs says: pixels across and down a unit, and the unit, 1 for a metre, which alone makes it a resolution. */
function printedSize(bytes) {
  for (let at = 8; at + 20 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const kind = bytes.toString("latin1", at + 4, at + 8);
    if (kind === "IDAT") break;
    if (kind === "pHYs") return [bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12), bytes[at + 16]];
  }
  return undefined;
}

/** Whether a PNG states only the shape of pixels, which libvips takes for a resolution. */
export const statesShapeOnly = (bytes) => (printedSize(bytes) ?? [])[2] === 0;

const isJfif = (bytes) => bytes.length > 18 && bytes.readUInt16BE(2) === 0xffe0 && bytes.toString("latin1", 6, 11) === "JFIF\0";
const hasJfifUnit = (bytes) => isJfif(bytes) && bytes[13] > 0;

/** Whether a JPEG states a resolution: libvips says 72 dpi of one that does not. */
export const statesDensity = (bytes, exif) =>
  hasJfifUnit(bytes) ||
  exifResolution(exif)
    .slice(0, 2)
    .some((value) => value > 0);

/** Pixels per inch that JFIF states. libvips rounds them. */
export const jfifDensity = (bytes) =>
  hasJfifUnit(bytes) ? nominal(bytes.readUInt16BE(14) * (bytes[13] === 2 ? 2.54 : 1)) || undefined : undefined;

/** Pixels per inch that EXIF states, of which libvips reads nothing but in JPEG. */
export function exifDensity(exif) {
  const [across, , unit] = exifResolution(exif);
  const density = nominal(unit === 3 ? across * 2.54 : across);
  return density > 0 && density < 100_000 && (unit === 2 || unit === 3) ? density : undefined;
}

/** Pixels across and down a unit, 0 if not stated, and the unit: 2 is an inch, 3 a centimetre. @see Exif 2.32, 4.6.4 */
function exifResolution(exif) {
  try {
    const tiff = exif?.toString("latin1", 0, 6) === "Exif\0\0" ? exif.subarray(6) : exif;
    const number = (at, length) => (tiff[0] === 0x49 ? tiff.readUIntLE(at, length) : tiff.readUIntBE(at, length));
    const [start, found] = [exif === undefined ? 0 : number(4, 4), { 282: 0, 283: 0, 296: 0 }];
    for (let at = start + 2; start > 0 && at < start + 2 + number(start, 2) * 12; at += 12) {
      const [tag, value] = [number(at, 2), number(at + 8, 4)];
      if (tag === 296) found[tag] = number(at + 8, 2);
      else if (tag in found) found[tag] = number(value, 4) / (number(value + 4, 4) || 1);
    }
    return [found[282], found[283], found[296]];
  } catch {
    return [0, 0, 0];
  }
}

/** Whether the file ends with its format's end marker. TIFF has none and counts as whole; formats not named here never do. */
export function isWhole(format, bytes) {
  const tail = bytes.subarray(-4096);
  if (format === "jpg") return tail.includes(Buffer.from([0xff, 0xd9]));
  if (format === "png") return tail.includes("IEND");
  // The last block's terminator, and the trailer.
  if (format === "gif")
    return tail
      .subarray(0, tail.findLastIndex((byte) => byte !== 0) + 1)
      .subarray(-2)
      .equals(Buffer.from([0, 0x3b]));
  return format === "tiff";
}

const [startOfScan, endOfImage] = [Buffer.from([0xff, 0xda]), Buffer.from([0xff, 0xd9])];

/** Whether the file certainly lacks its end. Programs append films and other data, which a JPEG may have after its end. */
export function isCutOff(format, bytes) {
  if (format === "jpg") return bytes.lastIndexOf(endOfImage) < bytes.lastIndexOf(startOfScan);
  return (format === "png" || format === "gif") && !isWhole(format, bytes);
}

/**
 * Whether a picture of a format that libvips reads as a still one declares an animation. @see PNG third edition, 11.3.6.1, and AV1 Image File
 * Format, 6.3
 */
export function isMoving(format, bytes) {
  if (format === "avif") return bytes.toString("latin1", 4, 12) === "ftypavis";
  for (let at = 8; format === "png" && at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const kind = bytes.toString("latin1", at + 4, at + 8);
    if (kind === "acTL" || kind === "IDAT") return kind === "acTL";
  }
  return false;
}

/** An animated AVIF in the form of its still picture, which it holds as well: libvips does not know the brand of animations. */
export function stillOf(format, bytes) {
  if (format !== "avif") return bytes;
  const copy = Buffer.from(bytes);
  copy.write("avif", 8, "latin1");
  return copy;
}
