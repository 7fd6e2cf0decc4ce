/** Colour spaces of films, and the filters that keep colours correct if the target uses another one. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Stream } from "./ffmpeg-streams.ts";

/** Minimum lines of high definition, for which BT.709 is assumed even if it is not declared. */
const highLines = 720;
/** BT.2408: the luminance of reference white in HDR film, in cd/m². */
const whiteLight = 203;
/** Up to this share of white, brightness is unchanged; anything above is compressed. */
const keptShare = 0.7;

export const isHdr = ({ colours }: Stream): boolean => /^(smpte2084|arib-std-b67)$/.test(colours.transfer);
const isRgb = ({ pixelFormat }: Stream): boolean => /^(rgb|bgr|gbr|argb|abgr|0rgb|0bgr|x2rgb|x2bgr|pal8|mono)/.test(pixelFormat);
const matrixOfLines = (lines: number): string => (lines >= highLines ? "bt709" : "smpte170m");

/** The matrix of a film, guessed from its height as players do. */
function matrixOf({ colours, height }: Stream): string {
  return /^(bt709|smpte170m|bt470bg|fcc|smpte240m|bt2020nc|bt2020c)$/.test(colours.matrix) ? colours.matrix : matrixOfLines(height);
}

const scaleNameOf = (matrix: string): string => (matrix.startsWith("bt2020") ? "bt2020" : matrix === "bt470bg" ? "bt470" : matrix);

/** Encoders that write ten bits and declare the colour space. */
const deepEncoders: Readonly<Record<string, string>> = { libx265: "yuv420p10le", libsvtav1: "yuv420p10le", prores_ks: "", ffv1: "" };

/** The pixel format with which an encoder keeps an HDR film, "" for its default; undefined if it cannot. */
export function deepFormatOf(film: Stream, encoder: string, muxer: string | undefined): string | undefined {
  return isHdr(film) && /^(mp4|mov|matroska|webm)$/.test(muxer ?? "") ? deepEncoders[encoder] : undefined;
}

/** Maps HDR to standard dynamic range, as full-range RGB. */
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
    // Chroma subsampling needs even sizes there, which a cropped film may lack.
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

/** How to decode an SDR film that becomes RGB or another kind of YCbCr. */
function readingOf(film: Stream): readonly string[] {
  if (isHdr(film) || isRgb(film)) return [];
  return [`in_color_matrix=${scaleNameOf(matrixOf(film))}`, `in_range=${isFullRange(film) ? "pc" : "tv"}`];
}

/** To RGB by the film's own matrix, for filters that work in RGB. */
export function toRgb(film: Stream): readonly string[] {
  const reading = readingOf(film);
  return reading.length === 0 ? [] : [`scale=${[...reading, careful].join(":")}`, "format=gbrap"];
}

/**
 * The last filters before a film encoder: convert to a matrix if there was none, to video
 * range, and tag both. In a container without tags, players derive the matrix from the height.
 */
export function filmColours(film: Stream, lines: number, muxer: string | undefined): readonly string[] {
  const lacksTags = /^(avi|asf|ogv)$/.test(muxer ?? "");
  if (isHdr(film) || isRgb(film) || film.hasAlpha) {
    const matrix = isHdr(film) && !lacksTags ? "bt709" : matrixOfLines(lines);
    const scale = `scale=out_color_matrix=${scaleNameOf(matrix)}:out_range=tv:${careful}`;
    return [scale, "format=yuv420p|yuv422p10le", `setparams=colorspace=${matrix}:color_primaries=${matrix}:color_trc=${matrix}:range=tv`];
  }
  const [from, to] = [matrixOf(film), lacksTags ? matrixOfLines(lines) : matrixOf(film)];
  // The two matrices of standard definition are identical.
  const isChanged = scaleNameOf(from) !== scaleNameOf(to) && !(isStandard(from) && isStandard(to));
  if (!isChanged && !isFullRange(film)) return [];
  return [`scale=${[...readingOf(film), `out_color_matrix=${scaleNameOf(to)}`, "out_range=tv", careful].join(":")}`, "setparams=range=tv"];
}

/** For clips that share one matrix, that of so many lines: how the scaler reads a film and writes it, and how it is tagged. */
export function matrixArgs(film: Stream, lines: number): { readonly scaling: readonly string[]; readonly tagging: readonly string[] } {
  const matrix = matrixOfLines(lines);
  return {
    scaling: [...readingOf(film), `out_color_matrix=${scaleNameOf(matrix)}`, "out_range=tv", careful],
    tagging: [`setparams=colorspace=${matrix}:color_primaries=${matrix}:color_trc=${matrix}:range=tv`],
  };
}

const isStandard = (matrix: string): boolean => matrix === "smpte170m" || matrix === "bt470bg";

/** Decodes a film with its own matrix and range, for an image encoder in RGB or one that always uses BT.601. */
export function pictureColours(film: Stream, target: "rgb" | "jpg" | "webp"): readonly string[] {
  const written = target === "rgb" ? [] : ["out_color_matrix=bt601", `out_range=${target === "jpg" ? "pc" : "tv"}`];
  const all = [...readingOf(film), ...written];
  return all.length === 0 ? [] : [`scale=${[...all, careful].join(":")}`];
}
