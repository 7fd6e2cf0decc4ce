// Runs inside the sandbox, beside sharp-child.mjs: rewrites pictures that libvips cannot interpret as they are.
import { withClearCanvas } from "./gif-canvas.mjs";
import { countTiles, isNarrowGrey } from "./heif-boxes.mjs";
import { densityOfPng, wordsOfPng } from "./png-words.mjs";
import { withProfile } from "./sharp-colours.mjs";
import { Failure } from "./sharp-failures.mjs";
import { declaredShape, exifDensity, jfifDensity, statesDensity, statesShapeOnly } from "./sharp-headers.mjs";
import { exifOfTiff } from "./tiff-exif.mjs";
import {
  densityOfTiff,
  furtherChannelsOf,
  hasUnit,
  hasUnstatedChannel,
  isInverted,
  isPackedOtherwise,
  isTransparency,
  pixelShapeOf,
  plainYcbcrOf,
  tagsOfPages,
} from "./tiff-samples.mjs";

/** For floating point and 32 bits, where all samples are read before the first is written. */
const maxSamples = 100e6;

/**
 * The same picture as libvips can convert it: colours declared by numbers become a profile, and unusual samples become 16 bits.
 * `usual`: its bytes; `first`: its description.
 */
export async function settled(sharp, { bytes, input, from, told: read, colours, notes }) {
  const told = from === "avif" && read.pages > 1 ? { ...read, pages: read.pages - countTiles(bytes) } : read;
  // libvips rounds it, and says 72 of a JPEG that states none. Of what it writes itself without one, it says nothing.
  if (from === "jpg" && told.density !== undefined)
    told.density = statesDensity(bytes, told.exif) ? (exifDensity(told.exif) ?? jfifDensity(bytes) ?? told.density) : undefined;
  if (from === "png" && statesShapeOnly(bytes)) told.density = undefined;
  if (from === "png") Object.assign(told, { density: densityOfPng(bytes) ?? told.density, words: wordsOfPng(bytes) });
  if (from !== "tiff" && from !== "jpg") told.density ??= exifDensity(told.exif);
  const tags = from === "tiff" ? await tagsOf(bytes, input.page) : {};
  const shape = from === "tiff" ? pixelShapeOf(tags) : declaredShape(from, bytes, told.exif);
  if (Math.abs(shape - 1) > 0.02) add(notes, `Pixels are square now; they were ${shape.toFixed(2)} times as wide as high.`);
  if (from === "avif" && isNarrowGrey(bytes)) {
    const wide = await asPng(sharp, bytes, input, from, told);
    return await settled(sharp, { bytes: wide, input: { ...input, page: undefined }, from: "png", told, colours, notes });
  }
  if (colours !== undefined) {
    const icc = colours.profile();
    return { usual: withProfile(await asPng(sharp, bytes, input, from, told), icc), first: { ...told, icc, isHdr: colours.isHdr } };
  }
  if (from === "gif") {
    const usual = withClearCanvas(bytes, () =>
      notes.set("MEDIA_CHANGED", "The area that frames with 256 colours leave uncovered became black."),
    );
    return { usual, first: usual === bytes ? told : { ...told, hasAlpha: true } };
  }
  if (isPackedOtherwise(tags)) throw unread("compressed samples");
  if (told.space === "multiband" || plainYcbcrOf(tags) === "whole") throw unread("colours");
  const usable = withoutFurther({ ...told, density: hasUnit(tags) ? (densityOfTiff(tags) ?? told.density) : undefined }, tags, notes);
  // libvips reads none of a TIFF's EXIF.
  const first = from === "tiff" ? { ...usable, fields: exifOfTiff(bytes) } : usable;
  if (from !== "tiff" || /^uchar$|^ushort$/.test(told.depth) || told.space === "labs") return { usual: bytes, first };
  if (told.depth !== "float" && rangeOfDepth[told.depth] === undefined) throw unread("samples");
  const usual = await withSixteenBits(sharp, { bytes, input, told: first, tags, notes });
  // libvips cannot convert other colour spaces in these samples to those of a screen.
  const written = { ...first, depth: "ushort", bitsPerSample: 16, space: /^(b-w|grey16)$/.test(told.space) ? "grey16" : "rgb16" };
  return { usual: told.icc === undefined ? usual : withProfile(usual, told.icc), first: written };
}

function add(notes, change) {
  const others = notes.get("MEDIA_CHANGED");
  notes.set("MEDIA_CHANGED", others === undefined ? change : `${others} ${change}`);
}

/** For another engine to read. */
const unread = (what) => new Failure("CONVERSION_FAILED", `The picture's ${what} are of a kind that could not be read.`, true);

const tagsOf = async (bytes, page = 0) => (await tagsOfPages((offset, length) => bytes.subarray(offset, offset + length)))[page] ?? {};

/** libvips takes the first of several further channels for transparency; unless declared as such, it is infrared or a mask. */
function withoutFurther(told, tags, notes) {
  const further = furtherChannelsOf(tags);
  if (further === 0 && hasUnstatedChannel(tags)) add(notes, "A further channel of unstated meaning was taken for transparency.");
  if (further === 0) return told;
  const isClear = isTransparency(tags);
  const left = isClear ? further : further + 1;
  add(notes, `${left === 1 ? "A further channel was" : `${left} further channels were`} left out.`);
  return isClear ? told : { ...told, hasAlpha: false, isOverfull: true };
}

/** The same pixels, with EXIF and XMP. */
async function asPng(sharp, bytes, input, from, told) {
  if (from === "png") return bytes;
  const image = sharp(bytes, input).keepExif().keepXmp();
  if (told.depth === "ushort") keepDepth(image, told);
  if (from === "avif" && isNarrowGrey(bytes)) widen(image, told);
  return await image.png({ compressionLevel: 1 }).toBuffer();
}

/** The range of films: 16 to 235 of 255, or as much of more bits. */
function widen(image, { depth, bitsPerSample }) {
  const bits = depth === "ushort" ? (bitsPerSample ?? 16) : 8;
  const [black, white] = [16, 235].map((value) => (value * 2 ** (bits - 8)) / (2 ** bits - 1));
  image.linear(1 / (white - black), (-black / (white - black)) * (depth === "ushort" ? 65_535 : 255));
}

export function keepDepth(image, { space }) {
  const kept = space === "grey16" || space === "b-w" ? "grey16" : "rgb16";
  image.pipelineColourspace(kept).toColourspace(kept);
}

async function withSixteenBits(sharp, { bytes, input, told, tags, notes }) {
  if (told.width * told.height * told.channels > maxSamples) {
    throw new Failure("INPUT_TOO_COMPLEX", "The picture has more than 100 million samples in floating point or of 32 bits.");
  }
  const { values, info } = await samplesOf(sharp, bytes, input, told);
  const { channels } = info;
  const colours = told.hasAlpha ? channels - 1 : channels;
  const [least, most] = rangeOf(values, channels, colours, rangeOfDepth[told.depth]);
  const [alphaLeast, alphaMost] = rangeOfDepth[told.depth] ?? [0, 1];
  // libvips inverts integers itself.
  const [black, white] = told.depth === "float" && isInverted(tags) ? [most, least] : [least, most];
  const samples = new Uint16Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const isColour = at % channels < colours;
    const share = isColour ? (values[at] - black) / (white - black || 1) : (values[at] - alphaLeast) / (alphaMost - alphaLeast);
    // NaN becomes black.
    samples[at] = share > 0 ? Math.min(65_535, Math.round(share * 65_535)) : 0;
  }
  const kind = told.depth === "float" ? "floating point" : `${told.bitsPerSample} bits${told.depth === "uint" ? "" : " with a sign"}`;
  add(notes, `Samples of ${kind} became ones of 16 bits, ${black} as black and ${white} as white.`);
  const raw = { width: info.width, height: info.height, channels };
  const written = sharp(samples, { raw, limitInputPixels: false });
  keepDepth(written, { space: channels < 3 ? "grey16" : "rgb16" });
  return await written
    .withDensity(told.density ?? 72)
    .png({ compressionLevel: 1 })
    .toBuffer();
}

async function samplesOf(sharp, bytes, input, { depth, space, isOverfull }) {
  const image = sharp(bytes, { ...input, ignoreIcc: true, autoOrient: false });
  if (depth !== "uint") image.pipelineColourspace(space).toColourspace(space);
  // Otherwise libvips would clip these at zero.
  const shift = depth === "short" && space === "grey16" ? 32_768 : 0;
  if (shift !== 0) image.linear(1, shift);
  if (isOverfull === true) image.removeAlpha();
  const { data, info } = await image.raw({ depth: "float" }).toBuffer({ resolveWithObject: true });
  const values = new Float32Array(data.buffer, data.byteOffset, data.length / 4);
  return { values: shift === 0 ? values : values.map((value) => value - shift), info };
}

/** The range of each kind of integer. */
const rangeOfDepth = { char: [-128, 127], short: [-32_768, 32_767], int: [-(2 ** 31), 2 ** 31 - 1], uint: [0, 2 ** 32 - 1] };

/**
 * The values of black and white: all that the samples can hold, or 0 and 1, 255 or 65535, if they fill that range; otherwise, as for
 * heights and counts, the least and the greatest. `whole`: of integers.
 */
function rangeOf(values, channels, colours, whole) {
  let [least, most] = [Infinity, -Infinity];
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (at % channels >= colours || !Number.isFinite(value)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (whole !== undefined && most - least > (whole[1] - whole[0]) / 4) return whole;
  if (whole !== undefined) return least < most ? [least, most] : whole;
  // Filters overshoot slightly.
  if (least >= -0.05 && most <= 1.05) return [0, 1];
  if (least >= 0 && most > 64 && most <= 255) return [0, 255];
  if (least >= 0 && most > 16_384 && most <= 65_535) return [0, 65_535];
  return least < most ? [least, most] : [0, 1];
}
