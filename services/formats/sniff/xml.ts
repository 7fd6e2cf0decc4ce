/** XML formats, distinguished by the root element. */
import { type Content, contentOfFormat } from "./content.ts";

/** Root elements that stand for one format, without prefix, in lower case. */
const roots: Readonly<Record<string, string>> = {
  svg: "svg",
  fictionbook: "fb2",
  opml: "opml",
  kml: "kml",
  gpx: "gpx",
  trainingcenterdatabase: "tcx",
  osm: "osm",
  plist: "plist",
  collada: "dae",
  x3d: "x3d",
  amf: "amf3d",
  tt: "ttml",
  sami: "smi",
  worddocument: "docx2003",
  visiodocument: "vdx",
  abiword: "abw",
  tei: "tei",
  "score-partwise": "musicxml",
  "score-timewise": "musicxml",
  graphml: "graphml",
  gxl: "graphml",
  "mapml-": "mapml",
  mapml: "mapml",
  jcsdatafile: "jml",
  loc: "loc",
  lmx: "lmx",
  mesh: "ogrexml",
  xgl: "xgl",
  world: "xgl",
  alto: "alto",
  pdf2xml: "pdfxml",
};

const flatDocuments: readonly (readonly [RegExp, string])[] = [
  [/opendocument\.text/, "fodt"],
  [/opendocument\.spreadsheet/, "fods"],
  [/opendocument\.presentation/, "fodp"],
  [/opendocument\.graphics/, "fodg"],
];

/** Undefined if the text does not start like XML or HTML. */
export function markupContentOf(text: string): Content | undefined {
  const start = text.trimStart();
  if (!start.startsWith("<")) return undefined;
  const { prolog, root, attributes } = rootOf(start);
  if (root === undefined) return start.startsWith("<?xml") ? contentOfFormat("xml", { orNamed: xmlNames }) : undefined;
  const local = root.replace(/^.*:/, "").toLowerCase();
  if (local === "html" || /<!doctype\s+html/i.test(prolog)) return htmlContentOf(prolog, attributes, text);
  if (local === "svg" && isFont(attributes, text.slice(0, 8192))) return contentOfFormat("svgfont", { under: ["svg", "xml"] });
  const format = roots[local] ?? ambiguousRoot(local, prolog + attributes, text);
  if (format !== undefined) return contentOfFormat(format, { under: ["xml"] });
  const isXml = prolog.startsWith("<?xml") || /\bxmlns(:|=)/.test(attributes);
  return isXml ? contentOfFormat("xml", { orNamed: xmlNames }) : undefined;
}

/** Drawings may contain the fonts of their text too; then they have a size or text. */
function isFont(attributes: string, start: string): boolean {
  if (/\sviewBox\s{0,9}=|\s(?:width|height)\s{0,9}=\s{0,9}["'](?!100%)/.test(attributes) || /<text[\s>]/.test(start)) return false;
  return /<font[\s>]/.test(start) && /<(font-face|missing-glyph)\b/.test(start);
}

/** Names that are accepted for XML with an uninformative root. */
const xmlNames = [
  "docbook",
  "jats",
  "georss",
  "gml",
  "ttml",
  "rt",
  "mapml",
  "tei",
  "uot",
  "uos",
  "uop",
  "icml",
  "xaml",
  "jml",
  "musicxml",
  "xml",
];

function htmlContentOf(prolog: string, attributes: string, text: string): Content {
  if (/\bocr_page\b|name=["']ocr-system/.test(text.slice(0, 8192))) return contentOfFormat("hocr");
  const isXhtml = prolog.startsWith("<?xml") || /xmlns=["']http:\/\/www\.w3\.org\/1999\/xhtml/.test(attributes);
  return contentOfFormat(isXhtml ? "xhtml" : "html");
}

function ambiguousRoot(local: string, before: string, text: string): string | undefined {
  switch (local) {
    case "document":
      return flatDocuments.find(([pattern]) => pattern.test(text.slice(0, 16_384)))?.[1];
    case "uof":
      return /<(uof:)?电子表格/.test(text)
        ? "uos"
        : /<(uof:)?演示文稿/.test(text)
          ? "uop"
          : /<(uof:)?文字处理/.test(text)
            ? "uot"
            : undefined;
    case "workbook":
      return /office:spreadsheet/.test(before) ? "xlsx2003" : undefined;
    case "article":
      return /jats|nlm|journal/i.test(before) || /<(front|journal-meta|article-meta)\b/.test(text.slice(0, 8192))
        ? "jats"
        : /docbook/i.test(before) || /<(title|info|articleinfo|section|sect1)\b/.test(text.slice(0, 4096))
          ? "docbook"
          : undefined;
    case "book":
    case "chapter":
    case "section":
    case "refentry":
      return /docbook/i.test(before) ? "docbook" : undefined;
    case "featurecollection":
      return /opengis\.net\/gml|ogr\.maptools/.test(before) ? "gml" : undefined;
    case "rss":
    case "feed":
      return /georss|w3\.org\/2003\/01\/geo/.test(before) ? "georss" : undefined;
    case "canvas":
    case "viewbox":
      return /winfx\/2006\/xaml/.test(before) ? "xaml" : undefined;
    default:
      return undefined;
  }
}

/** What precedes the root element, its name and its attributes. Runs in linear time on any input. */
function rootOf(text: string): { prolog: string; root: string | undefined; attributes: string } {
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("<", at);
    if (open < 0) break;
    if (text.slice(at, open).trim() !== "") break;
    const end = prologItemEnd(text, open);
    if (end === undefined) {
      const close = text.indexOf(">", open);
      const tag = text.slice(open + 1, close < 0 ? open + 8192 : close);
      const root = /^[\p{L}_][\p{L}\p{N}_.:-]*/u.exec(tag)?.[0];
      return { prolog: text.slice(0, open), root, attributes: root === undefined ? "" : tag.slice(root.length) };
    }
    at = end;
  }
  return { prolog: text.slice(0, at), root: undefined, attributes: "" };
}

/** The end of a declaration, comment, processing instruction or document type; undefined if an element starts here. */
function prologItemEnd(text: string, open: number): number | undefined {
  const after = (mark: string) => {
    const found = text.indexOf(mark, open);
    return found < 0 ? text.length : found + mark.length;
  };
  if (text.startsWith("<?", open)) return after("?>");
  if (text.startsWith("<!--", open)) return after("-->");
  if (!text.startsWith("<!", open)) return undefined;
  const subset = text.indexOf("[", open);
  const close = after(">");
  return subset >= 0 && subset < close ? after("]>") : close;
}
