// Runs inside the sandbox, beside sharp-child.mjs: reads PAM of which ImageMagick turns the transparency round, or shifts the colours.
import { Failure } from "./sharp-failures.mjs";

const [maxPixels, mostHeader, mostPictures] = [100e6, 10_000, 1000];

/**
 * The header of the picture that starts at `at`; undefined if there is none.
 *
 * @param {Buffer} bytes - Of the first picture, 10,000 are enough.
 * @see netpbm's pam(5)
 */
export function headerOfPam(bytes, at = 0) {
  const text = bytes.toString("latin1", at, at + mostHeader);
  const [{ index: end = -1, 0: last = "" } = {}] = text.matchAll(/\nENDHDR[ \t\r]*\n/g);
  if (!text.startsWith("P7") || end === -1) return undefined;
  const fields = new Map(
    text
      .slice(0, end)
      .split("\n")
      .map((line) => line.trim().split(/[ \t]+/)),
  );
  const [width = 0, height = 0, channels = 0, most = 0] = ["WIDTH", "HEIGHT", "DEPTH", "MAXVAL"].map((name) => Number(fields.get(name)));
  return { width, height, channels, most, kind: fields.get("TUPLTYPE") ?? "", start: at + end + last.length };
}

/** Transparency with a maximum other than these is turned round; without a name, all is read as grey or RGB. */
export function isMisreadPam(header) {
  if (header === undefined) return false;
  const { kind, most } = header;
  return kind === "" || (/^(?:BLACKANDWHITE|GRAYSCALE|RGB)_ALPHA$/.test(kind) && most !== 255 && most !== 65_535);
}

/** The picture asked for as PNG. */
export async function pngOfPam(sharp, bytes, { options: { page = 1 } }, notes) {
  const found = picturesOf(bytes);
  const picture = found[page - 1];
  if (found.length > 1) notes.set("PAGES_LEFT_OUT", `Only page ${page} of ${found.length} was converted.`);
  const { width, height, channels, most, wide, start } = picture ?? {};
  const isRight = width > 0 && height > 0 && channels > 0 && most > 0 && most <= 65_535;
  const values = width * height * channels;
  if (!isRight || start + values * wide > bytes.length) throw new Failure("INVALID_INPUT", "The picture is damaged or incomplete.");
  if (channels > 4) throw new Failure("CONVERSION_FAILED", "The picture has channels of an unknown kind.");
  if (width * height > maxPixels) throw new Failure("INPUT_TOO_COMPLEX", "The picture has more pixels than the safe bound of 100 million.");
  const [white, samples] = wide === 2 ? [65_535, Uint16Array] : [255, Uint8Array];
  const data = new samples(values);
  for (let index = 0; index < values; index++) {
    const value = wide === 2 ? bytes.readUInt16BE(start + index * 2) : bytes[start + index];
    data[index] = Math.round((Math.min(value, most) * white) / most);
  }
  const image = sharp(data, { raw: { width, height, channels }, limitInputPixels: false });
  const space = `${channels < 3 ? "grey" : "rgb"}16`;
  if (wide === 2) image.pipelineColourspace(space).toColourspace(space);
  return await image.withDensity(72).png({ compressionLevel: 1 }).toBuffer();
}

/** Further pictures follow the first one without a gap. */
function picturesOf(bytes) {
  const found = [];
  for (let at = 0; found.length < mostPictures; ) {
    const header = headerOfPam(bytes, at);
    if (header === undefined) break;
    const wide = header.most > 255 ? 2 : 1;
    found.push({ ...header, wide });
    at = header.start + header.width * header.height * header.channels * wide;
    if (!(at < bytes.length)) break;
  }
  return found;
}
