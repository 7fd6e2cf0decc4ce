// Runs inside the sandbox, beside sharp-child.mjs: reads FITS, of which ImageMagick silently loses negative, missing and wide values.
import { Failure } from "./sharp-failures.mjs";

const maxPixels = 100e6;
const [block, card, mostUnits, mostSides] = [2880, 80, 1000, 999];
const readers = {
  8: (bytes, at) => bytes[at],
  16: (bytes, at) => bytes.readInt16BE(at),
  32: (bytes, at) => bytes.readInt32BE(at),
  64: (bytes, at) => Number(bytes.readBigInt64BE(at)),
  "-32": (bytes, at) => bytes.readFloatBE(at),
  "-64": (bytes, at) => bytes.readDoubleBE(at),
};

/** One per picture: where it starts, and how its values are to be read. A cube has several. @see FITS standard 4.0, section 4 */
export function picturesOfFits(bytes) {
  const found = [];
  for (let [at, units] = [0, 0]; at + block <= bytes.length && units < mostUnits; units++) {
    const { keys, end } = cardsFrom(bytes, at);
    const sides = Array.from({ length: Math.min(keys.NAXIS ?? 0, mostSides) }, (_, index) => keys[`NAXIS${index + 1}`] ?? 0);
    const [width = 0, height = 1, ...others] = sides;
    const [wide, planes] = [Math.abs(keys.BITPIX ?? 8) / 8, others.reduce((all, side) => all * side, 1)];
    const isPicture = /^(?:SIMPLE|XTENSION= 'IMAGE)/.test(bytes.toString("latin1", at, at + 20)) && width * height > 0;
    for (let plane = 0; isPicture && plane < Math.min(planes, mostUnits); plane++)
      found.push({ width, height, keys, wide, start: end + plane * width * height * wide });
    const values = sides.length === 0 ? 0 : sides.reduce((all, side) => all * side, 1) + (keys.PCOUNT ?? 0);
    at = end + Math.ceil((values * wide) / block) * block;
  }
  return found;
}

function cardsFrom(bytes, start) {
  const keys = {};
  let at = start;
  for (; at + card <= bytes.length; at += card) {
    const text = bytes.toString("latin1", at, at + card);
    if (/^END {5}/.test(text)) break;
    const [, name, value] = /^([A-Z0-9_-]{1,8}) *= *([-+0-9.DEde]{1,40})/.exec(text) ?? [];
    if (name !== undefined) keys[name] ??= Number(value.replace(/d/i, "E"));
  }
  return { keys, end: start + Math.ceil((at + card - start) / block) * block };
}

/** The picture asked for as PNG. Values from 0 to 255 or 65535 stay as they are; of others, the lowest becomes black, the highest white. */
export async function pngOfFits(sharp, bytes, { options: { page = 1 } }, notes) {
  const pictures = picturesOfFits(bytes);
  const picture = pictures[page - 1];
  if (pictures.length === 0) throw new Failure("INVALID_INPUT", "The file contains no picture, or a compressed one.");
  if (picture === undefined) throw new Failure("INVALID_OPTION", `The file has ${pictures.length} pictures.`);
  if (pictures.length > 1) notes.set("PAGES_LEFT_OUT", `Only page ${page} of ${pictures.length} was converted.`);
  const { width, height, keys, wide, start } = picture;
  const read = readers[keys.BITPIX];
  if (read === undefined || start + width * height * wide > bytes.length)
    throw new Failure("INVALID_INPUT", "The picture is damaged or incomplete.");
  if (width * height > maxPixels) throw new Failure("INPUT_TOO_COMPLEX", "The picture has more pixels than the safe bound of 100 million.");
  const { BSCALE: scale = 1, BZERO: zero = 0, BLANK: blank } = keys;
  const valueAt = (index) => {
    const value = read(bytes, start + index * wide);
    return keys.BITPIX > 0 && value === blank ? Number.NaN : value * scale + zero;
  };
  const { least, most, missing, isWhole } = rangeOf(valueAt, width * height);
  const white = keys.BITPIX === 8 ? 255 : 65_535;
  const isKept = keys.BITPIX <= 16 && keys.BITPIX > 0 && isWhole && least >= 0 && most <= white;
  const [low, span] = isKept ? [0, white] : [least, most - least || 1];
  if (!isKept) notes.set("MEDIA_CHANGED", `The lowest value (${told(least)}) became black, the highest (${told(most)}) white.`);
  if (missing > 0)
    notes.set("MEDIA_CHANGED", `${notes.get("MEDIA_CHANGED") ?? ""} Pixels without a value became black: ${missing}.`.trim());
  const data = new (white === 255 ? Uint8Array : Uint16Array)(width * height);
  for (let index = 0; index < data.length; index++) {
    // The lowest row comes first.
    const value = valueAt((height - 1 - Math.floor(index / width)) * width + (index % width));
    data[index] = Number.isFinite(value) ? Math.round(((value - low) / span) * white) : 0;
  }
  const image = sharp(data, { raw: { width, height, channels: 1 }, limitInputPixels: false });
  const space = white === 255 ? "b-w" : "grey16";
  return await image.pipelineColourspace(space).toColourspace(space).png({ compressionLevel: 1 }).toBuffer();
}

const told = (value) => String(Number(value.toPrecision(7)));

function rangeOf(valueAt, count) {
  let [least, most, missing, isWhole] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, true];
  for (let index = 0; index < count; index++) {
    const value = valueAt(index);
    if (!Number.isFinite(value)) missing++;
    else {
      if (value < least) least = value;
      if (value > most) most = value;
      isWhole &&= Number.isInteger(value);
    }
  }
  if (missing === count) throw new Failure("CONVERSION_FAILED", "No pixel of the picture has a value.");
  return { least, most, missing, isWhole };
}
