// Runs inside the sandbox, beside sharp-child.mjs: rewrites pictures that libvips cannot interpret as they are.
import { withProfile } from "./sharp-colours.mjs";
import { Failure } from "./sharp-failures.mjs";

/** For floating point and 32 bits, where all samples are read before the first is written. */
const maxSamples = 100e6;

/**
 * The same picture as libvips can convert it: colours declared by numbers become a profile, and unusual samples become 16 bits.
 * `usual`: its bytes; `first`: its description.
 */
export async function settled(sharp, { bytes, input, from, told, colours, notes }) {
  if (colours !== undefined) {
    const icc = colours.profile();
    return { usual: withProfile(await asPng(sharp, bytes, input, from, told), icc), first: { ...told, icc, isHdr: colours.isHdr } };
  }
  if (from !== "tiff" || /^u?char$|^ushort$/.test(told.depth) || told.space === "labs") {
    // libvips does not know its photometric tag.
    if (told.space === "multiband") throw new Failure("CONVERSION_FAILED", "The picture's colours are of a kind that could not be read.");
    return { usual: bytes, first: told };
  }
  if (!/^(float|uint)$/.test(told.depth))
    throw new Failure("CONVERSION_FAILED", "The picture's samples are of a kind that could not be read.");
  const usual = await withSixteenBits(sharp, bytes, input, told, notes);
  // libvips cannot convert other colour spaces in these samples to those of a screen.
  const first = { ...told, depth: "ushort", bitsPerSample: 16, space: told.space === "b-w" ? "grey16" : "rgb16" };
  return { usual: told.icc === undefined ? usual : withProfile(usual, told.icc), first };
}

/** The same pixels, with EXIF and XMP. */
async function asPng(sharp, bytes, input, from, told) {
  if (from === "png") return bytes;
  const image = sharp(bytes, input).keepExif().keepXmp();
  if (told.depth === "ushort") keepDepth(image, told);
  return await image.png({ compressionLevel: 1 }).toBuffer();
}

export function keepDepth(image, { space }) {
  const kept = space === "grey16" || space === "b-w" ? "grey16" : "rgb16";
  image.pipelineColourspace(kept).toColourspace(kept);
}

async function withSixteenBits(sharp, bytes, input, told, notes) {
  if (told.width * told.height * told.channels > maxSamples) {
    throw new Failure("INPUT_TOO_COMPLEX", "The picture has more than 100 million samples in floating point or of 32 bits.");
  }
  const image = sharp(bytes, { ...input, ignoreIcc: true, autoOrient: false })
    .keepExif()
    .keepXmp();
  if (told.depth === "float") image.pipelineColourspace(told.space).toColourspace(told.space);
  const { data, info } = await image.raw({ depth: "float" }).toBuffer({ resolveWithObject: true });
  const values = new Float32Array(data.buffer, data.byteOffset, data.length / 4);
  const { channels } = info;
  const colours = told.hasAlpha ? channels - 1 : channels;
  const [least, most] = told.depth === "uint" ? [0, 2 ** 32 - 1] : rangeOf(values, channels, colours);
  const alphaMost = told.depth === "uint" ? most : 1;
  const samples = new Uint16Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const isColour = at % channels < colours;
    const share = isColour ? (values[at] - least) / (most - least || 1) : values[at] / alphaMost;
    // NaN becomes black.
    samples[at] = share > 0 ? Math.min(65_535, Math.round(share * 65_535)) : 0;
  }
  const [kind, range] = told.depth === "uint" ? ["32 bits", ""] : ["floating point", `, ${least} as black and ${most} as white`];
  notes.set("MEDIA_CHANGED", `Samples of ${kind} became ones of 16 bits${range}.`);
  const raw = { width: info.width, height: info.height, channels };
  const written = sharp(samples, { raw, limitInputPixels: false });
  keepDepth(written, { space: channels < 3 ? "grey16" : "rgb16" });
  return await written
    .withDensity(told.density ?? 72)
    .png({ compressionLevel: 1 })
    .toBuffer();
}

/** The values of black and white: 0 and 1, 255 or 65535 if the samples fill that range, otherwise the least and the greatest. */
function rangeOf(values, channels, colours) {
  let [least, most] = [Infinity, -Infinity];
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (at % channels >= colours || !Number.isFinite(value)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  // Filters overshoot slightly.
  if (least >= -0.05 && most <= 1.05) return [0, 1];
  if (least >= 0 && most > 64 && most <= 255) return [0, 255];
  if (least >= 0 && most > 16_384 && most <= 65_535) return [0, 65_535];
  return least < most ? [least, most] : [0, 1];
}
