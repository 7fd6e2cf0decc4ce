/**
 * Which routes through other formats make sense. Each engine decides what it does in a single hop. Hops are combined only as this table
 * says, so that composition never produces nonsense.
 *
 * A hub preserves what its kind contains: PNG, TIFF and SVG for pictures, PDF for paged content, DOCX, ODT and HTML for text, and so on.
 * JPEG, MP3, GIF and TXT are never hubs. Kinds that are not paired here have only direct routes: pictures do not become sound or tables,
 * and a video is not encoded twice.
 */
import { type Kind, parseFormatId } from "#formats/index.ts";

export type Passage = {
  readonly from: Kind;
  readonly to: Kind;
  /** Chains of one or two hubs, in order. */
  readonly via: readonly (readonly string[])[];
  /** Only for these sources. */
  readonly sources?: ReadonlySet<string>;
  /** Only for these targets. */
  readonly targets?: ReadonlySet<string>;
  /** The first hop may extract a part of the source, because the target is about that part. */
  readonly partIsEnough: boolean;
};

/** Paged formats, as printed. */
const paged = "pdf pdfa djvu xps";
/** Text recognised on a page. */
const read = "txt hocr";
/** Formats that show a page, slide, sheet or frame. Icons and the formats of old displays are not among them. */
const shown = "png jpg webp gif avif heic jxl jp2 tiff bmp ppm";
/** Targets for drawings: also icons, and the formats of image editors and games. */
const rendered = `${shown} ico psd tga dds pcx qoi pgm pbm pam exr xpm`;

/** Data formats that hold the records of one sheet. */
const rows = "csv tsv psv yaml xml toml ndjson parquet avro sqlite ini properties plist msgpack cbor bson json5";

const shownMap = "png jpg webp";

type Cells = readonly [from: Kind, to: Kind, via: string, targets?: string | undefined, part?: "part" | undefined, sources?: string];

const table: readonly Cells[] = [
  // PNG and TIFF preserve pixels, and outlines are traced from BMP. A picture becomes a page, or the text recognised in it.
  ["image", "image", "png, tiff"],
  ["image", "vector", "bmp, png bmp", "svg eps dxf"],
  ["image", "document", "png, tiff, pdf, png pdf", paged],
  // Not through a PDF, which would hold the picture but no text.
  ["image", "document", "png, tiff", read],
  // As recognised text with its structure.
  ["image", "document", "pdf, png pdf", "html"],
  ["image", "document", "pdf html", "docx odt rtf md"],
  // Drawings go through SVG where shapes matter and through PDF where the appearance matters.
  ["vector", "vector", "svg, pdf, pdf svg"],
  ["vector", "image", "png, svg, pdf, svg png, pdf png", rendered],
  ["vector", "document", "svg, pdf, svg pdf", paged],
  // DXF carries the content of formats that only one program reads, and other programs can draw it.
  ["vector", "vector", "dxf", "svg odg"],
  ["vector", "image", "dxf", "png jpg webp"],
  ["vector", "document", "dxf", "pdf"],
  // DOCX, ODT and HTML preserve the structure of text. After a PDF only paged formats follow, because HTML from a PDF is recognised text.
  ["document", "document", "docx, odt, html, docx html"],
  ["document", "document", "pdf, docx pdf, odt pdf, html pdf", paged],
  // These have only pages, so that nothing is lost on the way through PDF.
  ["document", "document", "pdf, pdf html", "txt html docx odt rtf md", undefined, "djvu xps"],
  ["document", "image", "png, html, pdf, html png, pdf png, docx pdf, odt pdf, html pdf", shown],
  ["document", "vector", "pdf, docx pdf, odt pdf, html pdf, pdf svg"],
  ["document", "ebook", "docx, odt, html, epub, docx epub, odt epub, html epub"],
  ["document", "presentation", "pptx, odp"],
  ["ebook", "document", "epub, html, docx, odt, epub html, epub docx, epub odt, html docx, html odt"],
  ["ebook", "document", "pdf, epub pdf, cbz, cbz pdf", paged],
  ["ebook", "ebook", "epub, html epub"],
  ["ebook", "image", "pdf, epub pdf, cbz pdf, pdf png", shown],
  // Rendered slides are pages.
  ["presentation", "presentation", "odp, pptx"],
  ["presentation", "document", "pdf, odp, pptx, odp pdf, pptx pdf", `${paged} hocr html xhtml`],
  ["presentation", "document", "odp, pptx", "html"],
  // As text with titles, lists, tables and speaker notes, which the slide's page does not show.
  ["presentation", "document", "html, odp html, pptx html", "xhtml txt docx odt rtf md rst org adoc tex mediawiki"],
  ["presentation", "data", "odp, pptx", "json"],
  ["presentation", "image", "png, pdf, pdf png, odp pdf, pptx pdf", shown],
  ["presentation", "vector", "pdf, odp pdf, pptx pdf, pdf svg"],
  ["document", "data", "docx, html", "json"],
  ["ebook", "data", "epub", "json"],
  // The tables of its pages, one sheet each.
  ["document", "spreadsheet", "xlsx", "ods", "part"],
  // XLSX and ODS preserve formulas. As records, cells are a single sheet, which CSV holds.
  ["spreadsheet", "spreadsheet", "xlsx, ods"],
  ["spreadsheet", "document", "xlsx, ods, pdf, xlsx pdf, ods pdf", `${paged} html xhtml`],
  // As tables of text.
  ["spreadsheet", "document", "html, xlsx html, ods html", "xhtml"],
  ["spreadsheet", "document", "xlsx, ods", "md"],
  ["spreadsheet", "image", "pdf, pdf png, xlsx pdf, ods pdf", shown],
  ["spreadsheet", "vector", "pdf, pdf svg, xlsx pdf, ods pdf"],
  ["spreadsheet", "data", "xlsx, ods, csv, xlsx csv, ods csv", rows, "part"],
  // JSON holds all sheets, CSV only one.
  ["spreadsheet", "data", "xlsx, ods", "json"],
  ["data", "spreadsheet", "xlsx, ods, csv, csv xlsx"],
  // Data has only direct routes to data: a pair without one makes no sense, such as rows as settings.
  ["data", "document", "xlsx, ods, html", `${paged} html xhtml`],
  // WAV preserves samples. The sound or the subtitles of a video are complete in themselves; a still is one frame.
  ["audio", "audio", "wav"],
  ["video", "audio", "wav", undefined, "part"],
  ["video", "subtitle", "srt, vtt", undefined, "part"],
  ["video", "image", "png", shown, "part"],
  ["subtitle", "subtitle", "srt, vtt, ass"],
  ["archive", "archive", "tar"],
  // The contents of an archive are joined: sounds as samples, chapters as one page.
  ["archive", "audio", "wav", "mp3 m4a flac ogg opus"],
  ["archive", "document", "html", "docx odt"],
  ["archive", "ebook", "html", "epub"],
  ["font", "font", "otf, ttf"],
  ["model", "model", "glb, obj"],
  // GeoPackage and GeoJSON preserve everything in a map, and GPX the tracks of devices. A rendered map is a page.
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

export const passages: readonly Passage[] = table.map(([from, to, via, targets, part, sources]) => ({
  from,
  to,
  via: via.split(", ").map((chain) => chain.split(" ")),
  ...(sources === undefined ? {} : { sources: new Set(sources.split(" ")) }),
  ...(targets === undefined ? {} : { targets: new Set(targets.split(" ")) }),
  partIsEnough: part === "part",
}));

/** Whether a hop, or the proof of one or more hops, can be part of a route between the two formats. Other proofs need not be read. */
export function mayServe(query: { readonly from: string; readonly to: string }): (from: string, to: string) => boolean {
  const [source, target] = [parseFormatId(query.from), parseFormatId(query.to)];
  const chains = passages.filter(({ from, to }) => from === source?.kind && to === target?.kind).flatMap(({ via }) => via);
  const sources = new Set([source?.id, ...chains.flat()]);
  const targets = new Set([target?.id, ...chains.flat()]);
  return (from, to) => sources.has(from) && targets.has(to);
}
