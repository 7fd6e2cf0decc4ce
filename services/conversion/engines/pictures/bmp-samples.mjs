// Runs inside the sandbox, beside sharp-child.mjs: reads BMP whose samples ImageMagick misreads, which have few, many or unequal bits.
import { Failure } from "./sharp-failures.mjs";

const maxPixels = 100e6;
const bitsOf = (mask) => mask.toString(2).replaceAll("0", "").length;

/**
 * Where the bits of each colour and of transparency are; undefined if they are not declared.
 *
 * @param {Buffer} head - The first 70 bytes are enough.
 * @returns {{ masks: readonly number[], hasOwnKind: boolean, bits: number } | undefined}
 * @see BITMAPV4HEADER; 6 is BI_ALPHABITFIELDS
 */
export function masksOf(head) {
  if (head.length < 66 || head.readUInt32LE(14) < 40) return undefined;
  const [headerBytes, bits, kind] = [head.readUInt32LE(14), head.readUInt16LE(28), head.readUInt32LE(30)];
  if ((kind !== 3 && kind !== 6) || (bits !== 16 && bits !== 32)) return undefined;
  const alpha = (headerBytes >= 56 || kind === 6) && head.length >= 70 ? head.readUInt32LE(66) : 0;
  return { masks: [54, 58, 62].map((at) => head.readUInt32LE(at)).concat(alpha), hasOwnKind: kind === 6, bits };
}

/** OS/2's second version, whose palette ImageMagick takes for that of the first. @param {Buffer} head */
export const hasForeignPalette = (head) => head.length >= 30 && head.readUInt32LE(14) === 64 && head.readUInt16LE(28) <= 8;

/** @param {ReturnType<typeof masksOf>} declared */
export function areOdd(declared) {
  if (declared === undefined) return false;
  const sizes = declared.masks.map(bitsOf).join(" ");
  return declared.hasOwnKind || !(declared.bits === 32 ? /^8 8 8 [08]$/ : /^5 [56] 5 0$/).test(sizes);
}

/** The same picture as PNG. */
export async function pngOfBmp(sharp, bytes) {
  if (hasForeignPalette(bytes)) throw new Failure("CONVERSION_FAILED", "Bitmaps of OS/2 2 with a palette cannot be read.");
  const declared = masksOf(bytes);
  if (declared === undefined) throw new Failure("INVALID_INPUT", "The picture is damaged or of an unsupported kind.");
  const [width, rows, start] = [bytes.readInt32LE(18), bytes.readInt32LE(22), bytes.readUInt32LE(10)];
  const height = Math.abs(rows);
  const rowBytes = Math.ceil((width * declared.bits) / 32) * 4;
  if (width < 1 || height < 1 || width * height > maxPixels || start + rowBytes * height > bytes.length)
    throw new Failure("INVALID_INPUT", "The picture is damaged or incomplete.");
  const masks = declared.masks[3] === 0 ? declared.masks.slice(0, 3) : declared.masks;
  const fields = masks.map((mask) => ({ mask, lowest: Math.max(1, (mask & -mask) >>> 0), most: mask / ((mask & -mask) >>> 0) || 1 }));
  const isDeep = fields.some(({ most }) => most > 255);
  const [white, samples] = isDeep ? [65_535, Uint16Array] : [255, Uint8Array];
  const data = new samples(width * height * fields.length);
  let to = 0;
  for (let row = 0; row < height; row++) {
    // The lowest row comes first, unless the height is negative.
    const from = start + rowBytes * (rows < 0 ? row : height - 1 - row);
    for (let column = 0; column < width; column++) {
      const value = declared.bits === 16 ? bytes.readUInt16LE(from + column * 2) : bytes.readUInt32LE(from + column * 4);
      for (const { mask, lowest, most } of fields) data[to++] = Math.round(((((value & mask) >>> 0) / lowest) * white) / most);
    }
  }
  const density = bytes.readInt32LE(38) > 0 ? bytes.readInt32LE(38) * 0.0254 : 72;
  const image = sharp(data, { raw: { width, height, channels: fields.length }, limitInputPixels: false });
  if (isDeep) image.pipelineColourspace("rgb16").toColourspace("rgb16");
  return await image.withDensity(density).png({ compressionLevel: 1 }).toBuffer();
}
