/** Which pictures convert to which, what is lost, and the options. */
import type { Fidelity, Hop, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import type { Expectation } from "#services/conversion/domain/notes.ts";
import { partOptions } from "#services/conversion/domain/parts.ts";
import { ownHops } from "../shared/hop-table.ts";
import { integerIn, oneOf, yesOrNo } from "../shared/options.ts";
import { backgroundOption, crop, flip, metadataChoice, shape, turn } from "./picture-options.ts";

const sources = ["jpg", "png", "webp", "gif", "avif", "tiff", "svg"] as const;
const targets = ["jpg", "png", "webp", "gif", "avif", "tiff"] as const;
type Source = (typeof sources)[number];
type Target = (typeof targets)[number];

/** Milliseconds of CPU time per megapixel. */
const costOf: Readonly<Record<Target, number>> = { jpg: 20, tiff: 25, png: 60, webp: 120, avif: 300, gif: 400 };

/**
 * Rules of fidelity, for a source with what files of its format commonly have:
 * - reduced: something visible to everybody is lost. GIF has 256 colours; a GIF's animation survives only in WebP;
 *   JPEG has no transparency, which PNG, WebP, GIF and SVG commonly have.
 * - lossless: every pixel survives. PNG and TIFF (written with lossless compression) from any pixels.
 * - high: everything else, by lossy encoders at their usual quality, and drawings that become pixels.
 */
function fidelityOf(from: Source, to: Target): Fidelity {
  // A palette is kept.
  if (from === "gif" && to === "gif") return "high";
  if (to === "gif" || (from === "gif" && to !== "webp")) return "reduced";
  if (to === "jpg" && (from === "png" || from === "webp" || from === "svg")) return "reduced";
  if ((to === "png" || to === "tiff") && from !== "svg") return "lossless";
  return "high";
}

const profile = oneOf(
  "profile",
  ["srgb", "keep", "strip"],
  "Colours: to sRGB, kept with their profile (RGB only; others to sRGB), or kept without it",
  "srgb",
);
const print = integerIn("density", [1, 4800], "Stored print resolution in dpi; default: as in the source", { unit: "dpi" });
/** Formats with a field for the resolution. */
const printed = new Set<Target>(["jpg", "png", "tiff"]);

function backgroundOf(to: Target): OptionDefinition {
  return to === "jpg" ? backgroundOption("", "#ffffff") : backgroundOption("; default: transparent");
}

function qualityOf(value: number): OptionDefinition {
  return { name: "quality", type: "integer", min: 1, max: 100, default: value, description: "Quality of lossy compression" };
}

function effortOf(min: number, max: number, value: number): OptionDefinition {
  return integerIn("effort", [min, max], "Effort: higher is smaller and slower", { default: value });
}

const lossless: OptionDefinition = { name: "lossless", type: "boolean", default: false, description: "Lossless compression" };
const progressive = yesOrNo("progressive", "Progressive: the picture sharpens while it loads", { default: false });
const colours = { name: "colours", type: "integer", min: 2, max: 256 } as const;

const encoderOptions: Readonly<Record<Target, readonly OptionDefinition[]>> = {
  jpg: [
    qualityOf(80),
    progressive,
    oneOf("chroma", ["4:2:0", "4:4:4"], "Chroma subsampling: 4:4:4 keeps thin coloured lines sharp", "4:2:0"),
  ],
  png: [
    { name: "compressionLevel", type: "integer", min: 0, max: 9, default: 6, description: "Lossless compression level" },
    progressive,
    { ...colours, description: "Reduce the picture to a palette of this many colours; default: all colours" },
  ],
  webp: [qualityOf(80), lossless, effortOf(0, 6, 4)],
  gif: [effortOf(1, 10, 7), { ...colours, default: 256, description: "Colours of the palette" }],
  avif: [qualityOf(65), lossless, effortOf(0, 9, 2)],
  tiff: [oneOf("compression", ["deflate", "lzw", "packbits", "none"], "Lossless compression method", "deflate")],
};

const density = integerIn("density", [1, 2400], "Resolution in dpi; default: 96, or as needed for width and height", { unit: "dpi" });

function moves(from: Source, to: Target): boolean {
  return (from === "gif" || from === "webp") && (to === "gif" || to === "webp");
}

/** Several pictures are reduced to one if the target cannot be animated. */
function hasPages(from: Source, to: Target): boolean {
  return from === "tiff" || ((from === "gif" || from === "webp") && !moves(from, to));
}

/** Formats that libvips re-encodes. */
const ownTargets: readonly Target[] = ["jpg", "png", "webp", "gif", "avif"];
const ownOptions: readonly OptionDefinition[] = [
  integerIn("maxKb", [1, 100_000], "Maximum size of the result: quality, then colours, then width and height are reduced until it fits", {
    unit: "kB",
  }),
  crop,
  flip,
];

const undrawn = yesOrNo(
  "lossless",
  "Lossless: the picture is compressed better, and can be rotated, mirrored, cropped (to block boundaries) and cleaned, but not resized",
  { default: false },
);

const shallower = expecting("MEDIA_CHANGED", "Colours with more bits than the format supports are reduced.");
const squarer = expecting("MEDIA_CHANGED", "Pixels that are not square become square.");
const shallowerSquare = expecting("MEDIA_CHANGED", "Colours with more bits than the format supports are reduced, and pixels made square.");
const narrower = expecting(
  "MEDIA_CHANGED",
  "Colours with more bits than the format supports are reduced, further channels left out, and pixels made square.",
);
const blackened = expecting("MEDIA_CHANGED", "The area that frames with 256 colours leave uncovered becomes black.");
const timesRounded = expecting("MEDIA_CHANGED", "Frame times are rounded to hundredths of a second.");
/** What the targets cannot hold as it is. */
const changes: Readonly<Partial<Record<Source, readonly Expectation[]>>> = {
  jpg: [squarer],
  png: [shallowerSquare],
  avif: [shallower],
  tiff: [narrower],
  gif: [blackened],
};

export const unsupported: readonly Expectation[] = [
  expecting("TEXT_LEFT_OUT", "HTML, text on paths and parts for some languages are not drawn."),
  expecting("IMAGES_REMOVED", "Embedded pictures in formats other than PNG and JPEG are not drawn."),
  expecting("STYLING_DROPPED", "Attributes such as `transform-origin` and `textLength` are ignored."),
];

/** Drawings have none of the metadata of photographs. */
function expectationsOf(from: Source, to: Target): readonly Expectation[] {
  const flattened =
    to === "jpg"
      ? expecting("ALPHA_FLATTENED")
      : to === "gif" && from !== "gif"
        ? // A drawing has soft edges on its transparent ground, even if what it was drawn from has no transparency.
          expecting("ALPHA_FLATTENED", {
            message: "Partly transparent pixels become fully transparent or opaque.",
            ...(from !== "svg" && { of: "alpha" }),
          })
        : expecting("ALPHA_FLATTENED", { option: "background" });
  if (from === "svg") return [flattened, ...expectingAll("FONT_SUBSTITUTED", "EXTERNAL_CONTENT_BLOCKED"), ...unsupported];
  return [
    ...(from === to ? [expecting("SOURCE_KEPT"), expecting("FITTED_TO_SIZE", { option: "maxKb" })] : []),
    expecting("ORIENTATION_APPLIED"),
    ...(from === "gif" || from === "webp" ? (moves(from, to) ? [] : [expecting("ANIMATION_REDUCED")]) : [expecting("PAGES_LEFT_OUT")]),
    ...(from === "avif" ? [expecting("ANIMATION_REDUCED")] : []),
    ...(from === "png" ? [expecting("ANIMATION_REDUCED", "An animated PNG that is read as a still one loses its animation.")] : []),
    expecting("PROFILE_CONVERTED"),
    ...(changes[from] ?? []),
    ...(from === "webp" && to === "gif" ? [timesRounded] : []),
    flattened,
  ];
}

function hopOf(from: Source, to: Target): Hop {
  const part = hasPages(from, to) ? ({ part: "page" } as const) : {};
  const options = [
    ...(hasPages(from, to) ? partOptions("page") : []),
    ...encoderOptions[to],
    ...shape,
    backgroundOf(to),
    // An animation cannot be rotated frame by frame.
    ...(moves(from, to) && from !== to ? [] : [turn]),
    ...(from === to ? ownOptions : []),
    ...(from === to && to === "jpg" ? [undrawn] : []),
    ...(from === "svg" ? [density] : to === "gif" ? [] : [metadataChoice, profile]),
    ...(from !== "svg" && printed.has(to) ? [print] : []),
  ];
  const maxInputMb = from === "svg" ? 10 : 100;
  return { from, to, fidelity: fidelityOf(from, to), cost: costOf[to], maxInputMb, options, expects: expectationsOf(from, to), ...part };
}

export const sharpHops: readonly Hop[] = [
  ...sources.flatMap((from) => targets.filter((to) => to !== from).map((to) => hopOf(from, to))),
  ...ownHops(ownTargets, (format) => hopOf(format, format)),
];
