/** Requested changes within each everyday format, the source used, and the required outcome. */

import { engines } from "#services/conversion/engines/registry.ts";
import { everydayFormats } from "#test/prove/everyday.ts";
import type { SourceName } from "./sources.ts";

/** Minimum and maximum; `same`: as much as before. */
export type Wanted = "same" | readonly [least: number, most: number];

export type OwnRow = {
  readonly format: string;
  readonly source: SourceName;
  readonly options: Readonly<Record<string, string>>;
  /** For each figure; `weight` is the result's size as a share of the source's. */
  readonly wants: Readonly<Record<string, Wanted>>;
  /** No other program at hand reads what the engine writes. */
  readonly isSelfRead?: boolean;
};

const kept = "same";
const pages = { pages: kept, recall: [1, 1], ssim: [0.9, 1] } as const;
const sound = { seconds: [29.9, 30.1], snr: [10, 99] } as const;

export const ownRows: readonly OwnRow[] = [
  { format: "pdf", source: "report", options: { optimise: "ebook" }, wants: { weight: [0, 0.5], ...pages } },
  { format: "pdf", source: "scan", options: { ocr: "auto", optimise: "ebook" }, wants: { weight: [0, 0.4], ...pages, recall: [0.9, 1] } },
  { format: "docx", source: "report", options: { optimise: "ebook" }, wants: { weight: [0, 0.5], ...pages } },
  { format: "odt", source: "report", options: { optimise: "ebook" }, wants: { weight: [0, 0.5], ...pages } },
  { format: "xlsx", source: "sheet", options: { optimise: "ebook" }, wants: { weight: [0, 0.5], ...pages } },
  { format: "ods", source: "sheet", options: { optimise: "screen" }, wants: { weight: [0, 0.5], ...pages } },
  { format: "pptx", source: "slides", options: { optimise: "ebook" }, wants: { weight: [0, 0.5], ...pages } },
  { format: "odp", source: "slides", options: { optimise: "screen" }, wants: { weight: [0, 0.5], ...pages } },
  { format: "jpg", source: "photo", options: { quality: "75" }, wants: { weight: [0, 0.5], width: kept, ssim: [0.85, 1] } },
  { format: "png", source: "photo", options: { width: "1200" }, wants: { weight: [0, 0.5], width: [1200, 1200], ssim: [0.95, 1] } },
  { format: "webp", source: "photo", options: { maxKb: "100" }, wants: { weight: [0, 0.5], width: kept, ssim: [0.8, 1] } },
  { format: "avif", source: "photo", options: { quality: "60" }, wants: { weight: [0, 0.6], width: kept, ssim: [0.8, 1] } },
  { format: "heic", source: "photo", options: { quality: "60" }, wants: { weight: [0, 0.6], width: kept, ssim: [0.8, 1] } },
  { format: "tiff", source: "photo", options: { compression: "deflate" }, wants: { weight: [0, 0.95], width: kept, ssim: [1, 1] } },
  {
    format: "gif",
    source: "animation",
    options: { width: "160" },
    wants: { weight: [0, 0.5], width: [160, 160], frames: kept, ssim: [0.7, 1] },
  },
  { format: "svg", source: "drawing", options: { precision: "1" }, wants: { weight: [0, 0.7], ssim: [0.98, 1] } },
  {
    format: "mp4",
    source: "film",
    options: { crf: "30" },
    wants: { weight: [0, 0.5], time: [0, 0.1], fssim: [0.8, 1], size: [1, 1], streams: [1, 1] },
  },
  { format: "mov", source: "film", options: { maxMb: "1" }, wants: { weight: [0, 0.5], time: [0, 0.1], fssim: [0.8, 1], streams: [1, 1] } },
  {
    format: "mkv",
    source: "film",
    options: { width: "320" },
    wants: { weight: [0, 0.5], time: [0, 0.1], fssim: [0.8, 1], size: [0.5, 0.5], streams: [1, 1] },
  },
  {
    format: "webm",
    source: "film",
    options: { crf: "45" },
    wants: { weight: [0, 0.5], time: [0, 0.1], fssim: [0.8, 1], size: [1, 1], streams: [1, 1] },
  },
  {
    format: "avi",
    isSelfRead: true,
    source: "film",
    options: { maxMb: "1" },
    wants: { weight: [0, 0.5], time: [0, 0.1], fssim: [0.8, 1], streams: [1, 1] },
  },
  { format: "mp3", source: "music", options: { audioBitrate: "96" }, wants: { weight: [0, 0.4], ...sound } },
  { format: "m4a", source: "music", options: { audioBitrate: "96" }, wants: { weight: [0, 0.5], ...sound } },
  { format: "ogg", source: "music", options: { audioBitrate: "96" }, wants: { weight: [0, 0.6], ...sound } },
  {
    format: "flac",
    source: "music",
    options: { start: "5", duration: "10" },
    wants: { weight: [0, 0.4], seconds: [10, 10], snr: [99, 99] },
  },
  { format: "wav", source: "music", options: { channels: "1", bitDepth: "16" }, wants: { weight: [0, 0.34], ...sound, channels: [1, 1] } },
  { format: "zip", source: "files", options: { level: "9" }, wants: { weight: [0, 0.5], entries: [1, 1] } },
  { format: "7z", source: "files", options: { level: "9" }, wants: { weight: [0, 0.97], entries: [1, 1] } },
  { format: "tgz", source: "files", options: { level: "9" }, wants: { weight: [0, 0.97], entries: [1, 1] } },
  { format: "json", source: "records", options: { indent: "0" }, wants: { weight: [0, 0.8], values: kept } },
  { format: "xml", source: "records", options: { indent: "0" }, wants: { weight: [0, 0.9], values: kept } },
  { format: "yaml", source: "records", options: { indent: "2", sortKeys: "true" }, wants: { weight: [0, 0.9], values: kept } },
  { format: "csv", source: "records", options: { lineEnds: "lf" }, wants: { weight: [0, 0.9], values: kept } },
  { format: "ttf", source: "font", options: { text: "Filemill 2026" }, wants: { weight: [0, 0.3], glyphs: [9, 9] } },
  { format: "otf", source: "font", options: { text: "Filemill 2026" }, wants: { weight: [0, 0.3], glyphs: [9, 9] } },
  { format: "woff2", source: "font", options: { unicodes: "U+0020-007E" }, wants: { weight: [0, 0.65], glyphs: [95, 95] } },
];

/** The everyday formats that an engine rewrites as themselves. */
export function everydayOwnFormats(): readonly string[] {
  const own = new Set(engines.flatMap(({ hops }) => hops.filter(({ from, to }) => from === to).map(({ from }) => from)));
  return everydayFormats().filter((format) => own.has(format));
}
