/**
 * Which ways through other formats make sense. What an engine does in one hop is its own business;
 * hops are put together only as this table says, so nothing senseless comes about by composition.
 *
 * A hub keeps what its kind has: PNG, TIFF and SVG for pictures, PDF for what has pages, DOCX, ODT and HTML for text, and so on.
 * JPEG, MP3, GIF and TXT are never passed through. Kinds that are not paired here have no way but a direct one:
 * pictures do not become sound or tables, and a film is not encoded twice.
 */
import { type Kind, parseFormatId } from "#formats/index.ts";

export type Passage = {
  readonly from: Kind;
  readonly to: Kind;
  /** Chains of one or two hubs, in order. */
  readonly via: readonly (readonly string[])[];
  /** Only for these targets. */
  readonly targets?: ReadonlySet<string>;
  /** The first hop may keep a part of the source, as that part is what the target is about. */
  readonly partIsEnough: boolean;
};

/** Page by page, as printed. */
const paged = "pdf pdfa djvu xps";
/** Text of a page, by reading it. */
const read = "txt hocr";
/** What a page, a slide, a sheet or a frame is shown in; an icon or a picture for the screens of old is not. */
const shown = "png jpg webp gif avif heic jxl jp2 tiff bmp ppm";
/** What a drawing is made into, icons and the pictures of image editors and games besides. */
const rendered = `${shown} ico psd tga dds pcx qoi pgm pbm pam exr xpm`;

/** Data that holds the records of one sheet. */
const rows = "csv tsv psv yaml xml toml ndjson parquet avro sqlite ini properties plist msgpack cbor bson json5";

const shownMap = "png jpg webp";

type Cells = readonly [from: Kind, to: Kind, via: string, targets?: string | undefined, part?: "part"];

const table: readonly Cells[] = [
  // Pixels survive PNG and TIFF, outlines are traced in BMP; a picture becomes a page, or the text that is read from it.
  ["image", "image", "png, tiff"],
  ["image", "vector", "bmp, png bmp", "svg eps dxf"],
  ["image", "document", "png, tiff, pdf, png pdf", paged],
  // Not by way of a PDF, which would hold the picture and no text.
  ["image", "document", "png, tiff", read],
  // As text that was read in it, with its structure.
  ["image", "document", "pdf, png pdf", "html"],
  ["image", "document", "pdf html", "docx odt rtf md"],
  // Drawings go by SVG where shapes matter and by PDF where the look matters.
  ["vector", "vector", "svg, pdf, pdf svg"],
  ["vector", "image", "png, svg, pdf, svg png, pdf png", rendered],
  ["vector", "document", "svg, pdf, svg pdf", paged],
  // What only one program reads says the same in DXF, which others draw.
  ["vector", "vector", "dxf", "svg odg"],
  ["vector", "image", "dxf", "png jpg webp"],
  ["vector", "document", "dxf", "pdf"],
  // Text keeps its structure in DOCX, ODT and HTML; after a PDF come pages alone, as HTML is what is read in it.
  ["document", "document", "docx, odt, html, docx html"],
  ["document", "document", "pdf, docx pdf, odt pdf, html pdf", paged],
  ["document", "image", "png, html, pdf, html png, pdf png, docx pdf, odt pdf, html pdf", shown],
  ["document", "vector", "pdf, docx pdf, odt pdf, html pdf, pdf svg"],
  ["document", "ebook", "docx, odt, html, epub, docx epub, odt epub, html epub"],
  ["document", "presentation", "pptx, odp"],
  ["ebook", "document", "epub, html, docx, odt, epub html, epub docx, epub odt, html docx, html odt"],
  ["ebook", "document", "pdf, epub pdf, cbz, cbz pdf", paged],
  ["ebook", "ebook", "epub, html epub"],
  ["ebook", "image", "pdf, epub pdf, cbz pdf, pdf png", shown],
  // Slides are pages once they are shown.
  ["presentation", "presentation", "odp, pptx"],
  ["presentation", "document", "pdf, odp, pptx, odp pdf, pptx pdf", `${paged} hocr html xhtml`],
  ["presentation", "document", "odp, pptx", "html"],
  // As text with titles, lists, tables and what is said to each slide, which its page does not show.
  ["presentation", "document", "html, odp html, pptx html", "xhtml txt docx odt rtf md rst org adoc tex mediawiki"],
  ["presentation", "data", "odp, pptx", "json"],
  ["presentation", "image", "png, pdf, pdf png, odp pdf, pptx pdf", shown],
  ["presentation", "vector", "pdf, odp pdf, pptx pdf, pdf svg"],
  ["document", "data", "docx, html", "json"],
  ["ebook", "data", "epub", "json"],
  // The tables of its pages, a sheet each.
  ["document", "spreadsheet", "xlsx", "ods", "part"],
  // Cells keep formulas in XLSX and ODS; as records they are one sheet, which CSV holds.
  ["spreadsheet", "spreadsheet", "xlsx, ods"],
  ["spreadsheet", "document", "xlsx, ods, pdf, xlsx pdf, ods pdf", `${paged} html xhtml`],
  // As tables of text.
  ["spreadsheet", "document", "html, xlsx html, ods html", "xhtml"],
  ["spreadsheet", "document", "xlsx, ods", "md"],
  ["spreadsheet", "image", "pdf, pdf png, xlsx pdf, ods pdf", shown],
  ["spreadsheet", "vector", "pdf, pdf svg, xlsx pdf, ods pdf"],
  ["spreadsheet", "data", "xlsx, ods, csv, xlsx csv, ods csv", rows, "part"],
  // JSON holds all sheets, of which CSV has one.
  ["spreadsheet", "data", "xlsx, ods", "json"],
  ["data", "spreadsheet", "xlsx, ods, csv, csv xlsx"],
  // Data goes to data directly or not at all: what has no direct way makes no sense, such as rows as settings.
  ["data", "document", "xlsx, ods, html", `${paged} html xhtml`],
  // Samples survive WAV. A film's sound or subtitles are whole in themselves, a still is one frame.
  ["audio", "audio", "wav"],
  ["video", "audio", "wav", undefined, "part"],
  ["video", "subtitle", "srt, vtt", undefined, "part"],
  ["video", "image", "png", shown, "part"],
  ["subtitle", "subtitle", "srt, vtt, ass"],
  ["archive", "archive", "tar"],
  // What is in an archive is joined: sounds as samples, chapters as one page.
  ["archive", "audio", "wav", "mp3 m4a flac ogg opus"],
  ["archive", "document", "html", "docx odt"],
  ["archive", "ebook", "html", "epub"],
  ["font", "font", "otf, ttf"],
  ["model", "model", "glb, obj"],
  // Maps keep all they have in GeoPackage and GeoJSON, tracks of devices in GPX; a map that is shown is a page.
  ["geo", "geo", "geojson, gpkg, gpx, gpx geojson, geojson gpx"],
  ["geo", "data", "gpkg, geojson, gpx, gpx geojson", "csv json"],
  ["geo", "spreadsheet", "gpkg, geojson", "xlsx"],
  ["geo", "document", "pdf, gpkg, geojson, gpx geojson", "pdf"],
  ["geo", "vector", "pdf, gpkg, geojson, gpkg pdf, geojson pdf", "svg dxf"],
  ["geo", "image", "pdf, gpkg pdf, geojson pdf", shownMap],
  ["data", "geo", "geojson, gpkg"],
  ["email", "email", "eml"],
  ["email", "document", "eml, html, eml html, html docx, html odt", "pdf pdfa html xhtml txt md rtf docx odt doc"],
  ["email", "image", "html, eml html, html png", shown],
  ["diagram", "vector", "svg"],
  ["diagram", "image", "png, svg, svg png", rendered],
  ["diagram", "document", "svg, pdf", paged],
];

export const passages: readonly Passage[] = table.map(([from, to, via, targets, part]) => ({
  from,
  to,
  via: via.split(", ").map((chain) => chain.split(" ")),
  ...(targets === undefined ? {} : { targets: new Set(targets.split(" ")) }),
  partIsEnough: part === "part",
}));

/** Whether a hop, or the proof of one or more, may be of use on the way from one format to another; what others are for need not be read. */
export function mayServe(query: { readonly from: string; readonly to: string }): (from: string, to: string) => boolean {
  const [source, target] = [parseFormatId(query.from), parseFormatId(query.to)];
  const chains = passages.filter(({ from, to }) => from === source?.kind && to === target?.kind).flatMap(({ via }) => via);
  const sources = new Set([source?.id, ...chains.flat()]);
  const targets = new Set([target?.id, ...chains.flat()]);
  return (from, to) => sources.has(from) && targets.has(to);
}
