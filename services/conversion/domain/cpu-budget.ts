import type { Lane } from "./engine.ts";

type Allowance = { readonly seconds: number; readonly secondsPerMb: number };

/**
 * The most that honest files of a lane may need: ten times what the slowest took with default options. The CPU time of the tools' processes
 * was measured, sampled 25 times a second, for the largest sample of 241 pairs of engine and source format (24 engines, one target each),
 * and for files made to be slow:
 *
 * - image: 0.3 s at most for a sample, 3.4 s for 24 megapixels of plain colours in 0.5 MB (HEIC; JPEG XL 3.1), 4 s for 96 in 2 MB (WebP), 9
 * s per MB for
 *   an SVG of 20,000 paths. Options may need far more, so here they decide: 10 s for those 24 megapixels as lossless JPEG XL, 45 s as AVIF of effort 9.
 * - document: 0.9 s for a sample (calibre), 2.2 s to read a page of 0.5 MB (tesseract), 4 s for a megabyte of Markdown, 20 s as an EPUB of
 * 4000 chapters.
 * - office: 1.3 s for a sample, 2.2 s per MB (CSV to PDF).
 *
 * Sound and video have no row: hours of silence make a small file, and their guards limit duration and pixels instead.
 */
const allowances: Readonly<Partial<Record<Lane, Allowance>>> = {
  image: { seconds: 120, secondsPerMb: 90 },
  document: { seconds: 30, secondsPerMb: 200 },
  office: { seconds: 30, secondsPerMb: 30 },
};

/** CPU time for one hop. A file of two kilobytes that needs a minute of every core was made to do so. */
export function cpuSecondsOf(lane: Lane, inputBytes: number): number {
  const allowance = allowances[lane];
  return allowance === undefined ? Number.POSITIVE_INFINITY : Math.ceil(allowance.seconds + (allowance.secondsPerMb * inputBytes) / 1e6);
}
