import type { Format, Route } from "#client/server/wire.ts";

/** Everyday targets by kind, most likely first. */
const popular: Readonly<Record<string, string>> = {
  image: "jpg png webp pdf avif svg gif tiff ico",
  vector: "svg png pdf jpg webp eps",
  document: "pdf docx txt html md epub odt rtf png",
  spreadsheet: "xlsx csv pdf ods json html",
  presentation: "pdf pptx odp png jpg",
  ebook: "epub pdf mobi azw3 docx txt",
  audio: "mp3 wav m4a flac ogg opus",
  video: "mp4 webm mp3 gif mkv mov wav",
  subtitle: "srt vtt ass txt",
  archive: "zip 7z tgz tar",
  font: "woff2 ttf woff otf",
  model: "stl obj glb ply",
  data: "json csv xlsx yaml xml toml parquet",
  geo: "geojson kml gpx shp",
  email: "eml pdf html txt",
  diagram: "svg png pdf",
};

/** Formats whose everyday targets differ from those of their kind. */
const ofFormat: Readonly<Record<string, string>> = {
  csv: "xlsx json pdf ods html",
  tsv: "xlsx csv json ods",
  json: "csv xlsx yaml xml",
  pdf: "docx jpg png txt pptx xlsx",
  heic: "jpg png pdf webp",
  docx: "pdf odt txt html epub",
  mp4: "mp3 gif mov webm mkv wav",
};

/** The targets offered first: everyday ones, then those used in this browser. */
export function popularOf(routes: readonly Route[], kind: string, atMost = 6, used: readonly string[] = []): readonly Route[] {
  const everyday = (ofFormat[routes[0]?.from ?? ""] ?? popular[kind] ?? "").split(" ");
  return [...new Set([...routesTo(routes, everyday).slice(0, atMost), ...routesTo(routes, used)])];
}

/** Sorts formats of a kind: everyday ones first, then those used in this browser, then the others in their order. */
export function byUse<Row extends { readonly to: string }>(rows: readonly Row[], kind: string, used: readonly string[]): readonly Row[] {
  const order = [...(popular[kind] ?? "").split(" "), ...used];
  const rank = ({ to }: Row): number => (order.includes(to) ? order.indexOf(to) : order.length);
  return rows.toSorted((a, b) => rank(a) - rank(b));
}

function routesTo(routes: readonly Route[], wanted: readonly string[]): readonly Route[] {
  return wanted.flatMap((id) => routes.find(({ to, from }) => to === id && to !== from) ?? []);
}

/** Conversions grouped by the kind of their target: the source's kind first, then the largest group. */
export function groupedByKind(
  routes: readonly Route[],
  sourceKind: string,
  formatOf: (id: string) => Format | undefined,
): readonly (readonly [kind: string, routes: readonly Route[]])[] {
  const groups = [...Map.groupBy(routes, ({ to }) => formatOf(to)?.kind ?? "other")];
  const weight = ([kind, members]: (typeof groups)[number]): number => (kind === sourceKind ? Number.POSITIVE_INFINITY : members.length);
  return groups.toSorted((a, b) => (weight(a) > weight(b) ? -1 : 1));
}
