import type { Format, Route } from "#client/server/wire.ts";

/** What people usually want of a file of this kind, the likeliest first. */
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

/** The routes that are offered first. */
export function popularOf(routes: readonly Route[], kind: string, atMost = 6): readonly Route[] {
  const wanted = (popular[kind] ?? "").split(" ");
  return wanted.flatMap((id) => routes.find(({ to, from }) => to === id && to !== from) ?? []).slice(0, atMost);
}

/** Routes grouped by the kind of their target: the source's own kind first, then the largest. */
export function groupedByKind(
  routes: readonly Route[],
  sourceKind: string,
  formatOf: (id: string) => Format | undefined,
): readonly (readonly [kind: string, routes: readonly Route[]])[] {
  const groups = [...Map.groupBy(routes, ({ to }) => formatOf(to)?.kind ?? "other")];
  const weight = ([kind, members]: (typeof groups)[number]): number => (kind === sourceKind ? Number.POSITIVE_INFINITY : members.length);
  return groups.toSorted((a, b) => (weight(a) > weight(b) ? -1 : 1));
}

/** Does a format answer to every word of a search? */
export function answersTo(format: Format, query: string): boolean {
  const text = `${format.id} ${format.label} ${format.extensions.join(" ")} ${format.kind}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/[\s.]+/)
    .every((word) => text.includes(word));
}

/** Formats in the order of a search: the exact id, then ids that begin so, then the rest. */
export function bestFirst<Row extends { readonly id: string }>(rows: readonly Row[], query: string): readonly Row[] {
  const wanted = query.trim().toLowerCase().replace(/^\./, "");
  const rank = ({ id }: Row): number => (id === wanted ? 0 : id.startsWith(wanted) ? 1 : 2);
  return rows.toSorted((a, b) => rank(a) - rank(b));
}
