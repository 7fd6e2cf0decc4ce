/** Finds formats by everyday names. */
import type { Format } from "#client/server/wire.ts";

/** Names of programs and devices, which are the same in every language, and the formats they mean. */
const names: readonly (readonly [words: string, formats: string])[] = [
  ["word, ms word, microsoft word, google docs", "docx doc odt"],
  ["excel, ms excel, microsoft excel, google sheets", "xlsx xls ods csv"],
  ["powerpoint, ms powerpoint, microsoft powerpoint, google slides", "pptx ppt odp"],
  ["iphone, iphone photo", "heic jpg"],
  ["acrobat, adobe", "pdf"],
  ["libreoffice, openoffice", "odt ods odp"],
  ["keynote", "key pptx"],
  ["kindle", "azw3 mobi epub"],
  ["photoshop", "psd"],
  ["illustrator", "ai svg eps"],
  ["outlook", "msg eml"],
  ["autocad, cad", "dxf dwg"],
  ["itunes, alac", "m4a"],
  ["youtube, whatsapp", "mp4"],
  ["garmin, strava", "gpx fit tcx"],
  ["google earth", "kml kmz"],
];

/** The formats that translated words (messages `words.*`) mean. */
const meanings: Readonly<Record<string, string>> = {
  picture: "jpg png webp heic gif tiff",
  photo: "heic jpg",
  music: "mp3 m4a wav flac ogg",
  film: "mp4 mov webm mkv avi gif",
  text: "txt md docx",
  word: "docx pdf odt doc",
  table: "xlsx csv ods",
  slides: "pptx pdf odp",
  book: "epub azw3 mobi pdf",
  web: "html mhtml",
  mail: "eml msg",
  archive: "zip 7z tgz tar",
  drawing: "svg pdf eps dxf ai",
  animation: "gif apng webp mp4",
  scan: "pdf tiff jpg",
  map: "geojson kml gpx",
  font: "ttf otf woff2",
};

/** A language's words for things and for kinds of formats. */
export type Vocabulary = { wordsFor(thing: string): string; kindText(kind: string): string };

type Named = { readonly id: string; readonly format: Format | undefined; readonly words?: string };

/** Rows that match a search, best first. Equally good rows keep their order. */
export function searched<Row extends Named>(rows: readonly Row[], query: string, vocabulary: Vocabulary): readonly Row[] {
  const wanted = plain(query).replace(/^\./, "").trim();
  if (wanted === "") return rows;
  const meant = meantBy(wanted, vocabulary);
  const scored = rows.map((row) => ({ row, score: Math.max(meant.get(row.id) ?? 0, scoreOf(row, wanted.split(/[\s.]+/), vocabulary)) }));
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ row }) => row);
}

/** Formats that the whole query means, with the most likely one scoring highest. */
function meantBy(wanted: string, { wordsFor }: Vocabulary): ReadonlyMap<string, number> {
  const meant = new Map<string, number>();
  const own = Object.entries(meanings).map(([thing, formats]) => [wordsFor(thing), formats] as const);
  for (const [words, formats] of [...names, ...own]) {
    const all = plain(words)
      .split(",")
      .map((word) => word.trim());
    const base = all.includes(wanted) ? 85 : wanted.length > 2 && all.some((word) => word.startsWith(wanted)) ? 58 : 0;
    if (base === 0) continue;
    for (const [place, id] of formats.split(" ").entries()) meant.set(id, Math.max(meant.get(id) ?? 0, base - place / 100));
  }
  return meant;
}

/** The lowest score of all words, because every word must match. */
function scoreOf({ id, format, words = "" }: Named, wanted: readonly string[], { kindText }: Vocabulary): number {
  const extensions = format?.extensions ?? [];
  const label = plain(`${format?.label ?? ""} ${words}`);
  const kind = format === undefined ? "" : plain(`${format.kind} ${kindText(format.kind)}`);
  const worth = wanted.map((word) => {
    if (id === word) return 100;
    if (extensions.includes(word)) return extensions[0] === word ? 95 : 90;
    if (id.startsWith(word)) return 60;
    if (extensions.some((extension) => extension.startsWith(word))) return 55;
    if (label.split(/[\s(),]+/).some((part) => part.startsWith(word))) return 50;
    if (label.includes(word)) return 40;
    return kind.includes(word) ? 30 : 0;
  });
  return Math.min(...worth);
}

/** Removes case and accents, which people often omit. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "");
}
