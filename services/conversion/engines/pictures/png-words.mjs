// Runs inside the sandbox, beside sharp-child.mjs: text and resolution of a PNG, of which libvips changes some.
import { crc32 } from "node:zlib";
import { nominal } from "./sharp-headers.mjs";

const metresPerInch = 0.0254;

/** @see PNG (third edition), 5.3 */
function* chunksOf(bytes) {
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return;
    yield { kind: bytes.toString("latin1", at + 4, at + 8), data: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) };
    at = end;
  }
}

/** In dots per inch. EXIF data may say otherwise, but is of historical value only (PNG, 11.3.4.5). */
export function densityOfPng(bytes) {
  for (const { kind, data } of chunksOf(bytes)) {
    if (kind === "pHYs") return data[8] === 1 ? nominal(data.readUInt32BE(0) * metresPerInch) || undefined : undefined;
    if (kind === "IDAT") return undefined;
  }
  return undefined;
}

/** The same chunk, whose sum may have been wrong. */
function withSum(chunk) {
  const made = Buffer.from(chunk);
  made.writeUInt32BE(crc32(made.subarray(4, -4)), made.length - 4);
  return made;
}

const isText = (kind) => /^(?:tEXt|zTXt|iTXt)$/.test(kind);
/** Written from the metadata that they hold. */
const isOther = (data) => /^(?:XML:com\.adobe\.xmp|Raw profile type )/.test(data.toString("latin1", 0, 40));
const hasOtherLetters = (data) => data.some((byte) => byte > 127);

/**
 * The chunks of a PNG's text, if libvips would change it: it writes all but plain letters in other characters, and leaves out what
 * comes after the picture. Undefined for any other PNG.
 */
export function wordsOfPng(bytes) {
  const found = [];
  let isAfter = false;
  let changes = false;
  for (const { kind, data, whole } of chunksOf(bytes)) {
    if (kind === "IDAT") isAfter = true;
    if (!isText(kind) || isOther(data)) continue;
    found.push(withSum(whole));
    // Compressed text nearly always counts as well: its bytes do not tell.
    if (isAfter || hasOtherLetters(data)) changes = true;
  }
  return changes ? Buffer.concat(found) : undefined;
}

/** The PNG with this text instead of what libvips wrote. */
export function withWords(written, words) {
  const parts = [written.subarray(0, 8)];
  for (const { kind, data, whole } of chunksOf(written)) {
    if (kind === "IEND") parts.push(words);
    if (!isText(kind) || isOther(data)) parts.push(whole);
  }
  return Buffer.concat(parts);
}
