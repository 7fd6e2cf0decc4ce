/** What ImageMagick reads and writes here, each verified by another program; formats that other engines handle better are left to them. */
import { FilemillError } from "#contract/errors.ts";
import type { Fidelity, Hop, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import { partOptions } from "#services/conversion/domain/parts.ts";
import { mayKeepPlace } from "#services/conversion/domain/picture-metadata.ts";
import { crossHops, words } from "../shared/hop-table.ts";
import { integerIn, oneOf, yesOrNo } from "../shared/options.ts";
import { metadataChoice, side } from "./picture-options.ts";

export type Picture = {
  /** ImageMagick's name for it; always given, so that it never guesses from the content. */
  readonly coder: string;
  /** Fidelity as PNG or TIFF; absent if it is not read. */
  readonly read?: Fidelity;
  /** Fidelity of a PNG or TIFF in this format; absent if it is not written. */
  readonly write?: Fidelity;
  /** Can hold a colour profile; otherwise colours are converted to sRGB. */
  readonly hasProfile?: true;
  /** Can hold CMYK; otherwise it is converted to sRGB. */
  readonly hasInks?: true;
  /** Has no transparency. */
  readonly isOpaque?: true;
  /** Pixels are either transparent or opaque. */
  readonly hardens?: true;
  /** Holds 16 bits per channel; others hold eight at most. */
  readonly isDeep?: true;
  /** Holds one picture in several sizes, of which the largest is used. */
  readonly hasSizes?: true;
  /** Stores linear light, which ImageMagick reports but does not convert. */
  readonly isLinear?: true;
  /** Has at most 8 bits, which ImageMagick takes for 16: other programs would reject its output. */
  readonly isShallow?: true;
  readonly options?: readonly OptionDefinition[];
  /** Arguments after reading. */
  readonly readArgs?: readonly string[];
  /** Arguments before writing. */
  readonly args?: readonly string[];
};

/** Error messages of its readers. If it is alone, the last one means that a reader failed silently, as PNG's does for a truncated file. */
export const magickBadInput = [
  /: (?:improper image header|unexpected end-of-file|insufficient image data|negative or zero image size|corrupt image|not enough pixel data)/,
  /: unable to (?:read|decode|decompress|uncompress) image|exr\.c\/ReadEXRImage/,
  /: (?:image type not supported|file format version mismatch|only level zero files|Not ?A\w+Image|Not a TIFF)|Can ?not read TIFF directory/i,
  /: (?:irregular channel geometry|maximum channels exceeded)|: Bad value \d+ for "/,
  /: (?:unsupported bits per pixel|unrecognized (?:compression|number of colors)|static planes value|\w+ compression not supported)/,
  /^[\w.-]{1,40}: no images defined [^\n]{0,300}\n?$/,
];

/** For OpenEXR: the program reads neither layers nor depths. */
export const unlit = "The picture is black, or has only layers that cannot be read.";

/** Prints the largest distance of an alpha value from transparent or opaque, whichever is nearer, of 65535. */
export const veil = [
  ...["(", "+clone", "-alpha", "extract", "(", "+clone", "-threshold", "50%", ")", "-compose", "difference", "-composite"],
  ...["-format", "veil %[max]\\n", "-write", "info:-", "+delete", ")", "+compose"],
];
export const leastVeil = 3000;

const dither = yesOrNo("dither", "Dither shades; `false`: black or white by brightness", { default: true });

/** In both directions, so that shrinking needs no second conversion. */
export const bounds: readonly OptionDefinition[] = [
  { ...side, name: "width", description: "Maximum width; keeps the aspect ratio, never enlarges" },
  { ...side, name: "height", description: "Maximum height; keeps the aspect ratio, never enlarges" },
];

/** OpenEXR's colours are multiplied by their alpha, in linear light; ImageMagick takes and writes them as they are. */
const [divided, multiplied] = [
  words(
    "( -clone 0 -alpha off ) ( -clone 0 -alpha extract -set colorspace RGB ) ( -clone 1 -clone 2 -compose Divide_Src -composite ) " +
      "( -clone 3 -clone 2 -compose CopyOpacity -composite ) -delete 0--2 +compose",
  ),
  words(
    "( -clone 0 -background black -alpha remove -alpha off ) ( -clone 0 -alpha extract -set colorspace RGB ) " +
      "( -clone 1 -clone 2 -compose CopyOpacity -composite ) -delete 0--2 +compose",
  ),
];

const jpeg2000: Omit<Picture, "coder"> = {
  ...{ isDeep: true, read: "lossless", write: "high" },
  options: [{ name: "quality", type: "integer", min: 1, max: 100, default: 85, description: "Quality; 100 keeps every pixel" }],
};

export const pictures: Readonly<Record<string, Picture>> = {
  bmp: { coder: "bmp", read: "lossless", write: "lossless" },
  ico: {
    coder: "ico",
    read: "reduced",
    write: "reduced",
    hasSizes: true,
    options: [
      integerIn("size", [16, 256], "Width and height of a single picture; default: the usual sizes from 16 to 256", { unit: "px" }),
    ],
  },
  // Written output would be an icon without the cursor's hotspot.
  cur: { coder: "cur", read: "reduced", hasSizes: true },
  // Multiplied by one, palettes become colours: ImageMagick writes Photoshop files with a palette, but does not read them.
  psd: {
    ...{ coder: "psd", isDeep: true, read: "reduced", write: "lossless", hasProfile: true, hasInks: true },
    args: words(
      // A resolution that no field states would be written as almost nothing.
      `-set density ${["x", "y"].map((side) => `%[fx:resolution.${side}>1?resolution.${side}:72]`).join("x")} -evaluate multiply 1 -compress RLE`,
    ),
  },
  psb: { coder: "psb", read: "reduced" },
  dds: {
    coder: "dds",
    read: "high",
    write: "high",
    options: [oneOf("compression", ["dxt", "none"], "Compression of the pixels: DXT1, or DXT5 if there is transparency", "dxt")],
  },
  exr: { coder: "exr", isDeep: true, read: "reduced", write: "high", isLinear: true, readArgs: divided, args: multiplied },
  hdr: { coder: "hdr", read: "reduced", isLinear: true },
  ppm: { coder: "ppm", isDeep: true, read: "lossless", write: "reduced", isOpaque: true },
  pgm: { coder: "pgm", isDeep: true, read: "lossless", write: "reduced", isOpaque: true },
  pbm: { coder: "pbm", read: "lossless", write: "reduced", isOpaque: true, options: [dither] },
  pam: { coder: "pam", isDeep: true, read: "lossless", write: "lossless" },
  pcx: { coder: "pcx", read: "lossless", write: "reduced", isOpaque: true },
  dcx: { coder: "dcx", read: "reduced", write: "reduced", isOpaque: true },
  jp2: { coder: "jp2", ...jpeg2000 },
  j2k: { coder: "j2k", ...jpeg2000 },
  xpm: { coder: "xpm", read: "lossless", write: "reduced", hardens: true },
  xbm: { coder: "xbm", read: "lossless", write: "reduced", isOpaque: true, options: [dither] },
  sgi: { coder: "sgi", isDeep: true, read: "lossless", write: "lossless" },
  wbmp: { coder: "wbmp", isShallow: true, read: "lossless", write: "reduced", isOpaque: true, options: [dither] },
  pict: { coder: "pict", read: "high", write: "reduced", isOpaque: true },
  dpx: { coder: "dpx", isDeep: true, read: "high", write: "high" },
  fits: { coder: "fits", isDeep: true, read: "reduced", write: "reduced", isOpaque: true },
  ras: { coder: "sun", isShallow: true, read: "lossless", write: "lossless" },
  xwd: { coder: "xwd", read: "lossless", write: "reduced", isOpaque: true },
  miff: { coder: "miff", isDeep: true, read: "lossless", write: "lossless", hasProfile: true, hasInks: true },
  jng: { coder: "jng", read: "high", write: "high" },
  viff: { coder: "viff", read: "lossless", write: "lossless" },
  vicar: { coder: "vicar", read: "lossless", write: "reduced", isOpaque: true },
  mtv: { coder: "mtv", read: "lossless", write: "reduced", isOpaque: true },
  avs: { coder: "avs", read: "lossless", write: "lossless" },
};

/** The hubs: formats that sharp reads and writes, with its size and quality options. */
export const hubs: Readonly<Record<string, Picture>> = {
  png: { coder: "png", isDeep: true, hasProfile: true, args: words("-define png:compression-level=6") },
  tiff: { coder: "tiff", isDeep: true, hasProfile: true, hasInks: true, args: words("-compress Zip") },
};

export function pictureOf(format: string): Picture {
  const picture = pictures[format] ?? hubs[format];
  if (picture === undefined) throw new FilemillError("INTERNAL", "ImageMagick has no such format.");
  return picture;
}

/** Source formats that may hold several pictures. */
const severalPictures = new Set(words("dcx miff fits"));
const usual = { maxInputMb: 100 } as const;
const costs: Readonly<Record<string, number>> = { png: 50, tiff: 45 };

/** Offered if both formats can hold metadata. */
const metadataOf = (from: string, to: string): readonly OptionDefinition[] => (mayKeepPlace(from, to) ? [metadataChoice] : []);

/** Of an icon. */
export const oneSize = [expecting("PAGES_LEFT_OUT", "Only one of several sizes is converted.")];

const reading = crossHops(Object.keys(pictures), Object.keys(hubs), (from, to) => {
  const fidelity = pictures[from]?.read;
  if (fidelity === undefined) return undefined;
  const options = [...bounds, ...metadataOf(from, to)];
  const pages = severalPictures.has(from) ? ({ part: "page", options: [...partOptions("page"), ...options] } as const) : { options };
  const several = pictures[from]?.hasSizes === true ? oneSize : expectingAll("PAGES_LEFT_OUT");
  const expects = expectingAll(
    /^ps[db]$/.test(from) && to === "png" && "PROFILE_CONVERTED",
    (/^ps[db]$|^fits$|^dds$/.test(from) || pictures[from]?.isLinear === true) && "MEDIA_CHANGED",
  );
  return { fidelity, cost: costs[to] ?? 50, ...usual, expects: [...several, ...expects], ...pages };
});
const writing = crossHops(Object.keys(hubs), Object.keys(pictures), (from, to) => {
  const picture = pictures[to];
  if (picture?.write === undefined) return undefined;
  const options = [...(picture.options ?? []), ...(to === "ico" ? [] : bounds), ...metadataOf(from, to)];
  const pages = from === "tiff" ? ({ part: "page", options: [...partOptions("page"), ...options] } as const) : { options };
  const expects = expectingAll(
    from === "png" && "ORIENTATION_APPLIED",
    (picture.hasProfile !== true || from === "png" || from === "tiff") && "PROFILE_CONVERTED",
    "MEDIA_CHANGED",
    picture.isOpaque === true && "ALPHA_FLATTENED",
  );
  const hardened = { message: "Partly transparent pixels become fully transparent or opaque.", of: "alpha" } as const;
  const all = picture.hardens === true ? [...expects, expecting("ALPHA_FLATTENED", hardened)] : expects;
  return { fidelity: picture.write, cost: 45, ...usual, expects: all, ...pages };
});

/**
 * Lab in TIFF and Photoshop has the white of D50, but ImageMagick takes it for D65: the adaptation (Bradford) as a matrix for linear
 * light. Before it, colours are clipped that the wrong white places outside sRGB.
 *
 * @see TIFF 6.0, section 23, and ICC.1:2022, annex E
 */
export const fromLab: readonly string[] = [
  ...["-colorspace", "RGB"],
  ...["-color-matrix", "0.96023 -0.06382 0.10359 -0.00154 1.01831 -0.01677 0.00199 -0.01072 1.00873"],
  ...["-colorspace", "sRGB"],
];

/** For samples that libvips does not read: signed, 64-bit, or 8-bit Lab. */
const odd: Hop = {
  ...{ from: "tiff", to: "png", fidelity: "lossless", cost: 400, ...usual, part: "page", options: [...partOptions("page"), ...bounds] },
  expects: expectingAll("PAGES_LEFT_OUT", "PROFILE_CONVERTED", "MEDIA_CHANGED"),
};
const hops: readonly Hop[] = [...reading, ...writing, odd];
const isExr = (hop: Hop): boolean => hop.from === "exr" || hop.to === "exr";
export const exrHops = hops.filter(isExr);
export const imagemagickHops = hops.filter((hop) => !isExr(hop));
