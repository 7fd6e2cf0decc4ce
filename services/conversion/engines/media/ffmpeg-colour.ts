/** What the numbers of a film mean as colours, and the filters that keep the meaning where the target understands them otherwise. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Stream } from "./ffmpeg-streams.ts";

/** Of high definition, for which BT.709 was made, also where a file does not say so. */
const highLines = 720;
/** BT.2408: the light that a white page has in a film of high dynamic range, in cd/m². */
const whiteLight = 203;
/** Up to this share of white a film is shown as it is; what is brighter is pressed together. */
const keptShare = 0.7;

export const isHdr = ({ colours }: Stream): boolean => /^(smpte2084|arib-std-b67)$/.test(colours.transfer);
const isRgb = ({ pixelFormat }: Stream): boolean => /^(rgb|bgr|gbr|argb|abgr|0rgb|0bgr|x2rgb|x2bgr|pal8|mono)/.test(pixelFormat);
const matrixOfLines = (lines: number): string => (lines >= highLines ? "bt709" : "smpte170m");

/** The matrix of a film, guessed by its lines as players do. */
function matrixOf({ colours, height }: Stream): string {
  return /^(bt709|smpte170m|bt470bg|fcc|smpte240m|bt2020nc|bt2020c)$/.test(colours.matrix) ? colours.matrix : matrixOfLines(height);
}

const scaleNameOf = (matrix: string): string => (matrix.startsWith("bt2020") ? "bt2020" : matrix === "bt470bg" ? "bt470" : matrix);

/** Encoders whose result has ten bits and says which colours it has. */
const deepEncoders: Readonly<Record<string, string>> = { libx265: "yuv420p10le", libsvtav1: "yuv420p10le", prores_ks: "", ffv1: "" };

/** The pixel format by which an encoder keeps a film of high dynamic range, "" for its own; undefined where it cannot. */
export function deepFormatOf(film: Stream, encoder: string, muxer: string | undefined): string | undefined {
  return isHdr(film) && /^(mp4|mov|matroska|webm)$/.test(muxer ?? "") ? deepEncoders[encoder] : undefined;
}

/** To the light of a screen of standard range, as RGB of full range. */
export function toneMapping(task: HopTask, film: Stream): readonly string[] {
  if (!isHdr(film)) return [];
  task.note("PROFILE_CONVERTED", "High dynamic range was mapped to standard dynamic range (BT.709).");
  const { transfer, primaries, range } = film.colours;
  const matrix = /^bt2020c$/.test(film.colours.matrix) ? "bt2020c" : "bt2020nc";
  const source = [
    ...(isRgb(film) ? ["matrixin=gbr"] : [`matrixin=${matrix}`]),
    `transferin=${transfer}`,
    `primariesin=${/^(bt709|smpte432)$/.test(primaries) ? primaries : "bt2020"}`,
    `rangein=${range === "pc" || isRgb(film) ? "pc" : "tv"}`,
  ];
  return [
    // Colours of half the resolution need even sizes there, which a film cut by hand may lack.
    ...(film.width % 2 === 0 && film.height % 2 === 0 ? [] : ["format=yuv444p10le"]),
    `zscale=${source.join(":")}:transfer=linear:npl=${whiteLight}`,
    "format=gbrpf32le",
    "zscale=primaries=bt709",
    `tonemap=mobius:param=${keptShare}:desat=0`,
    "zscale=transfer=bt709:matrix=gbr:range=pc",
    "format=gbrp",
  ];
}

const isFullRange = (film: Stream): boolean => film.colours.range === "pc" || film.pixelFormat.startsWith("yuvj");

const careful = "flags=accurate_rnd+full_chroma_int+full_chroma_inp+bicubic";

/** How an ordinary film is to be read where it becomes RGB or another kind of YCbCr. */
function readingOf(film: Stream): readonly string[] {
  if (isHdr(film) || isRgb(film)) return [];
  return [`in_color_matrix=${scaleNameOf(matrixOf(film))}`, `in_range=${isFullRange(film) ? "pc" : "tv"}`];
}

/** To RGB by the film's own matrix, for filters that work on that. */
export function toRgb(film: Stream): readonly string[] {
  const reading = readingOf(film);
  return reading.length === 0 ? [] : [`scale=${[...reading, careful].join(":")}`, "format=gbrap"];
}

/**
 * The last filters before an encoder of film: with a matrix where there was none, the range of video, and tags of both.
 * Of a container without tags the lines tell the matrix.
 */
export function filmColours(film: Stream, lines: number, muxer: string | undefined): readonly string[] {
  const lacksTags = /^(avi|asf|ogv)$/.test(muxer ?? "");
  if (isHdr(film) || isRgb(film) || film.hasAlpha) {
    const matrix = isHdr(film) && !lacksTags ? "bt709" : matrixOfLines(lines);
    const scale = `scale=out_color_matrix=${scaleNameOf(matrix)}:out_range=tv:${careful}`;
    return [scale, "format=yuv420p|yuv422p10le", `setparams=colorspace=${matrix}:color_primaries=${matrix}:color_trc=${matrix}:range=tv`];
  }
  const [from, to] = [matrixOf(film), lacksTags ? matrixOfLines(lines) : matrixOf(film)];
  // The two of standard definition are the same numbers.
  const isChanged = scaleNameOf(from) !== scaleNameOf(to) && !(isStandard(from) && isStandard(to));
  if (!isChanged && !isFullRange(film)) return [];
  return [`scale=${[...readingOf(film), `out_color_matrix=${scaleNameOf(to)}`, "out_range=tv", careful].join(":")}`, "setparams=range=tv"];
}

const isStandard = (matrix: string): boolean => matrix === "smpte170m" || matrix === "bt470bg";

/** Reads a film by its own matrix and range, for an encoder of pictures in RGB or of those that have always BT.601. */
export function pictureColours(film: Stream, target: "rgb" | "jpg" | "webp"): readonly string[] {
  const written = target === "rgb" ? [] : ["out_color_matrix=bt601", `out_range=${target === "jpg" ? "pc" : "tv"}`];
  const all = [...readingOf(film), ...written];
  return all.length === 0 ? [] : [`scale=${[...all, careful].join(":")}`];
}
