/** Detects text formats: by a mark that the format requires, otherwise by the name. */
import { type Content, contentOfFormat } from "./content.ts";
import { markupContentOf } from "./xml.ts";

/** How much of the text the patterns see. */
const patternChars = 4096;

/** Patterns at the beginning, after whitespace, of formats that the content identifies even against the name. */
const strong: readonly (readonly [RegExp, string])[] = [
  [/^%!PS-Adobe-\S+ EPSF/, "eps"],
  [/^%!(PS-AdobeFont|FontType1)/, "pfa"],
  [/^%!PS-TrueTypeFont/, "t42"],
  [/^%!/, "ps"],
  [/^%PDF-/, "pdf"],
  [/^\{\\rtf/, "rtf"],
  [/^WEBVTT(\s|$)/, "vtt"],
  [/^BEGIN:VCALENDAR\b/i, "ics"],
  [/^BEGIN:VCARD\b/i, "vcf"],
  [/^\[Script Info\]/i, "ass"],
  [/^\d+\s*\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3}\s*-->/, "srt"],
  [/^<SAMI\b/i, "smi"],
  [/^ISO-10303-21;/, "step"],
  [/^solid\b[^\n]*\n\s*(facet|endsolid)\b/, "stl"],
  [/^ply\r?\nformat /, "ply"],
  [/^C?OFF\s*(?:#[^\n]*\n\s*)*\d+[ \t]+\d+[ \t]+\d+/, "off"],
  [/^AC3D[ab]\b/, "ac"],
  [/^xof 0\d/, "x"],
  [/^\*3DSMAX_ASCIIEXPORT/, "ase"],
  [/^HIERARCHY\s+ROOT\b/, "bvh"],
  [/^MD5Version \d/, "md5mesh"],
  [/^LWSC\b/, "lws"],
  [/^#VRML V/, "vrml"],
  [/^; FBX \d/, "fbx"],
  [/^(DBRep_DrawableShape|CASCADE Topology)/, "brep"],
  [/^(999\r?\n[^\n]*\n\s*)*0\s*\r?\nSECTION\b/, "dxf"],
  [/^#FIG \d/, "fig"],
  [/^\/\* XPM \*\//, "xpm"],
  [/^(\/\*[^*]*\*\/\s*)?#define \S+_width \d/, "xbm"],
  [/^P1\s(?:\s|#[^\r\n]*[\r\n])*\d+\s+\d+\s/, "pbm"],
  [/^P2\s(?:\s|#[^\r\n]*[\r\n])*\d+\s+\d+\s/, "pgm"],
  [/^P3\s(?:\s|#[^\r\n]*[\r\n])*\d+\s+\d+\s/, "ppm"],
  // All raw samples of a small picture may be letters.
  [/^P4\s(?:\s|#[^\r\n]*[\r\n])*\d+\s+\d+\s/, "pbm"],
  [/^P5\s(?:\s|#[^\r\n]*[\r\n])*\d+\s+\d+\s+\d+\s/, "pgm"],
  [/^P6\s(?:\s|#[^\r\n]*[\r\n])*\d+\s+\d+\s+\d+\s/, "ppm"],
  [/^!table\b/i, "tab"],
  [/^SplineFontDB:/, "sfd"],
  [/^ID;P[^\r\n]*[\r\n]{1,2}[A-Z];/, "slk"],
  [/^TABLE\r?\n0,1\r?\n/, "dif"],
  [/^OziExplorer Track/, "plt"],
  [/^YUV4MPEG2 /, "y4m"],
  [/^SIMPLE {2}=/, "fits"],
  [/^NIST_1A/, "sph"],
  [/^LBLSIZE=/, "vicar"],
  [/^id=ImageMagick/, "miff"],
  [/^srcdocid:/, "cals"],
  [/^\p{Cc}P[\d;]*q/u, "sixel"],
  [/^#!AMR\b/, "amr"],
  [/^WARC\/\d/, "warc"],
  [/^!<arch>\n/, "ar"],
  [/^<stata_dta>/, "dta"],
  [/^.{72}S {6}1\r?\n/, "iges"],
  [/^From \S.*\d{4}\r?\n/, "mbox"],
];

/** Patterns that decide only if the name does not. */
const weak: readonly (readonly [RegExp, string])[] = [
  [/^\{\d*\}\{\d*\}/, "sub"],
  [/^\[INFORMATION\]/i, "sbvw"],
  [/^\[\d+\]\[\d+\]/, "mpl"],
  [/^\d+:\d\d:\d\d\.\d{3},\d+:\d\d:\d\d\.\d{3}/, "sbv"],
  [/^(\[(ti|ar|al|by|offset|length):[^\]\n]*\]\s*)*\[\d+:\d\d[.:]\d\d/, "lrc"],
  [/^(strict\s+)?(di)?graph\b[^{\n]{0,200}\{/i, "gv"],
  [/^\$G[PNL][A-Z]{3},/, "nmea"],
  [/^\\documentclass\b/, "tex"],
  [/^-----BEGIN [A-Z0-9 ]+-----/, "pem"],
  [/^X:\s*\d+\r?\n/, "abc"],
  [/^\\version "/, "ly"],
];

/** Formats without a mark: plain text whose name decides. */
const namedTexts: readonly string[] = (
  "txt md rst tex html csv tsv psv yaml toml json json5 hjson ndjson csljson bib ini properties sql xml srt vtt ass ssa lrc sub smi sbv " +
  "jss mpl rt stlsub sbvw pjs ttml org adoc textile mediawiki dokuwiki jira muse haddock creole t2t twiki tikiwiki vimwiki xwiki zimwiki " +
  "markua texinfo context ms man obj gv fig dxf mif tab gmt igc nmea loc plt vdv abc ly eml mhtml mbox ics vcf pem hpgl smd nff uc ogex " +
  "ion geojsonl xface xdot beamer opml ipynb geojson topojson gltf pandocjson esrijson graphml docbook jats"
).split(" ");

export function textContentOf(text: string): Content {
  const start = text.slice(0, patternChars).trimStart();
  const marked = strong.find(([pattern]) => pattern.test(start));
  if (marked !== undefined) return refined(marked[1], start);
  const markup = markupContentOf(text);
  if (markup !== undefined) return markup;
  if (isMail(start)) {
    const [head = ""] = start.split(/\r?\n\r?\n/, 1);
    // Saved pages were never sent.
    const isPage = /^content-type:\s*multipart\/related/im.test(head) && !/^(?:received|message-id|to):/im.test(head);
    return contentOfFormat(isPage ? "mhtml" : "eml", { orNamed: namedTexts });
  }
  const json = jsonContentOf(text);
  if (json !== undefined) return { format: json, orNamed: namedTexts };
  const guess = weak.find(([pattern]) => pattern.test(start));
  return { format: guess?.[1] ?? "txt", orNamed: namedTexts };
}

function refined(format: string, start: string): Content {
  if (format === "ass") return contentOfFormat(/^ScriptType:\s*v4\.00\s*$/im.test(start) ? "ssa" : "ass");
  if (format === "step") return contentOfFormat(/FILE_SCHEMA\s*\(\s*\(\s*'IFC/i.test(start) ? "ifc" : "step");
  return contentOfFormat(format);
}

const mailHeader =
  /^(from|to|received|return-path|date|subject|mime-version|message-id|delivered-to|content-type|reply-to|x-[\w-]+):\s?\S/i;

/** Two consecutive header lines of RFC 5322, ignoring folded ones. */
function isMail(start: string): boolean {
  const lines = start.split(/\r?\n/, 40).filter((line) => !/^[ \t]/.test(line));
  const [first = "", second = ""] = lines;
  return mailHeader.test(first) && mailHeader.test(second);
}

/** JSON (RFC 8259) and formats based on it. Only the beginning is examined, so that a large file is not parsed. */
function jsonContentOf(text: string): string | undefined {
  const start = text.trimStart();
  if (!/^(\{\s*("|\})|\[\s*(\[\s*)*([{"\]]|-?\d[\d.eE+-]*\s*[,\]]|true|false|null))/.test(start)) return undefined;
  const lines = start.split("\n", 3).filter((line) => line.trim() !== "");
  if (lines.length > 1 && lines.every((line, index) => index === 2 || isJson(line))) return "ndjson";
  if (/"type"\s*:\s*"FeatureCollection"/.test(start)) return "geojson";
  if (/"type"\s*:\s*"Topology"/.test(start)) return "topojson";
  if (/"geometryType"\s*:\s*"esriGeometry/.test(start)) return "esrijson";
  if (/"nbformat"\s*:/.test(start)) return "ipynb";
  if (/"asset"\s*:\s*\{[^{}]*"version"/.test(start)) return "gltf";
  return "json";
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
