import type { Format } from "#client/server/wire.ts";

/** How a result is displayed. None of these ways can run a script: picture, audio, video, the browser's viewer, or plain text. */
export type View = "picture" | "sound" | "film" | "paper" | "table" | "sheets" | "text" | "font" | "map" | "model";

/** The view for formats that browsers display themselves, and for text; undefined for all others. */
export function viewOf(format: Pick<Format, "id" | "mime"> | undefined): View | undefined {
  const { id = "", mime = "" } = format ?? {};
  if (/^image\/(png|jpeg|gif|webp|avif|apng|svg\+xml|bmp|vnd\.microsoft\.icon|x-icon)$/.test(mime)) return "picture";
  if (/^audio\/(mpeg|mp4|ogg|opus|wav|x-wav|vnd\.wave|flac|x-flac|aac|webm|x-m4a)$/.test(mime)) return "sound";
  if (/^video\/(mp4|webm|ogg|x-m4v)$/.test(mime)) return "film";
  if (mime === "application/pdf") return "paper";
  if (["ttf", "otf", "woff", "woff2"].includes(id)) return "font";
  if (["geojson", "kml", "gpx"].includes(id)) return "map";
  if (["glb", "gltf", "obj", "stl"].includes(id)) return "model";
  if (["xlsx", "ods", "xls"].includes(id)) return "sheets";
  if (id === "csv" || id === "tsv") return "table";
  return /^text\/|^application\/(.*\+)?(json|xml|yaml|toml|x-ndjson|x-yaml|x-subrip|x-tex|x-latex)$/.test(mime) ? "text" : undefined;
}

/** True if the preview opens immediately; the others open on request. */
export function isShownAtOnce(view: View): boolean {
  return view === "picture" || view === "sound" || view === "film";
}

export type PreviewProps = {
  view: View;
  /** File name of the result, as in the download. */
  name: string;
  address: string;
  bytes: number;
  /** The converted file, if the page still has it. */
  source: File | undefined;
};
