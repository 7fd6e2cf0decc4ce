/**
 * The rule that turns measured figures into a fidelity. The worst figure decides. A figure that does not even reach `reduced` fails the
 * proof, and a failed hop or route is not listed. See decision 14.
 */

export const measuredWords = ["lossless", "high", "reduced", "failed"] as const;
export type MeasuredWord = (typeof measuredWords)[number];

export type FigureName = keyof typeof figureTable;
export type Figures = Readonly<Partial<Record<FigureName, number>>>;

/** The meaning of a figure, and the limit it must reach for each word. Without a limit, the figure cannot earn that word. */
type Limits = {
  readonly help: string;
  readonly better: "higher" | "lower";
  readonly lossless?: number;
  readonly high?: number;
  readonly reduced: number;
};

const share = (help: string, high: number, reduced: number, lossless?: number): Limits => ({
  help,
  better: "higher",
  high,
  reduced,
  ...(lossless === undefined ? {} : { lossless }),
});

export const figureTable = {
  ssim: share("structural similarity of the picture to its source; 1 is identical", 0.85, 0.3, 0.999),
  de: { help: "mean colour difference ΔE (CIE 1976); 0 is identical", better: "lower", lossless: 0.5, high: 6, reduced: 60 },
  far: share("ΔE at a quarter of the size, for two-colour pictures", 2, 0.5),
  size: share("share of width or height kept, whichever is smaller", 0.99, 0.02, 1),
  frames: share("frames of an animation that were kept", 0.99, 0.01, 1),
  ink: share("1 when the page is neither blank nor completely filled", 2, 1),
  snr: { help: "signal-to-noise ratio in dB; 99 is bit-identical", better: "higher", lossless: 90, high: 12, reduced: 2 },
  time: { help: "difference in duration, in seconds", better: "lower", lossless: 0.01, high: 0.15, reduced: 1 },
  channels: share("channels kept", 1, 0.1, 1),
  rate: share("sample rate kept", 0.99, 0.1, 1),
  streams: share("streams (video, audio) kept", 1, 0.4, 1),
  fssim: share("mean structural similarity of the video's frames", 0.85, 0.4, 0.999),
  recall: share("words of the source found in the result", 0.97, 0.6),
  pages: share("pages kept", 0.99, 0.01, 1),
  moved: {
    help: "distance of words from their place in the document, in points (95th percentile)",
    better: "lower",
    high: 3,
    reduced: 1000,
  },
  breaks: share("words that are on the right page", 0.99, 0),
  fonts: share("fonts of the document that were kept", 1, 0),
  cells: share("cell values of the source found in the result", 0.97, 0.6),
  values: share("names and values of the source found in the result", 0.97, 0.6, 1),
  entries: share("entries kept byte for byte", 1, 1, 1),
  glyphs: share("characters that still have a glyph", 0.98, 0.5, 1),
  names: share("family name kept", 1, 0, 1),
  cues: share("cues kept with their text", 1, 0.8, 1),
  shift: { help: "largest shift of a cue, in seconds", better: "lower", lossless: 0.005, high: 0.05, reduced: 1 },
  faces: share("faces kept", 0.99, 0.5, 1),
  extent: {
    help: "difference of a model's extent, as a share of the longest edge",
    better: "lower",
    lossless: 1e-5,
    high: 0.001,
    reduced: 0.1,
  },
  apart: { help: "largest shift of a map's edges, in degrees", better: "lower", lossless: 1e-6, high: 1e-4, reduced: 0.05 },
  shapes: share("geometries kept", 0.99, 0.3, 1),
  nodes: share("nodes of a graph kept", 1, 0.5, 1),
  edges: share("edges of a graph kept", 1, 0.5, 1),
  weight: {
    help: "size of the result relative to the source, for a format converted to itself",
    better: "lower",
    lossless: 3,
    high: 3,
    reduced: 30,
  },
  objects: share("1 when the drawing's structure is intact and has at least one object", 2, 1),
} as const satisfies Readonly<Record<string, Limits>>;

/** The best word possible if the engine reads its own result, because it may make the same mistake twice. */
const bestOfSelf: MeasuredWord = "high";

/** The word that the figures earn; `failed` without any. */
export function wordOf(figures: Figures, reader: string): MeasuredWord {
  const entries = Object.entries(figures);
  if (entries.length === 0) return "failed";
  const ranks = entries.map(([name, value]) => (isFigure(name) ? rankOf(figureTable[name], value) : measuredWords.length - 1));
  const least = reader === "self" ? measuredWords.indexOf(bestOfSelf) : 0;
  return measuredWords[Math.max(least, ...ranks)] ?? "failed";
}

export function isFigure(name: string): name is FigureName {
  return Object.hasOwn(figureTable, name);
}

function rankOf(limits: Limits, value: number): number {
  const reached = (limit: number | undefined) => limit !== undefined && (limits.better === "higher" ? value >= limit : value <= limit);
  const words = ["lossless", "high", "reduced"] as const;
  const rank = words.findIndex((word) => reached(limits[word]));
  return rank < 0 ? words.length : rank;
}
