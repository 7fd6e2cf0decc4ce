/** What GDAL does not read from a KML: styles, and the times of a track's single points. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Notes } from "../exchange.ts";
import { tooComplex } from "../failure.ts";
import { textOfXml } from "./gpx.ts";
import { plainKml } from "./kml-source.ts";
import { addNote, named } from "./notes.ts";
import { entriesIn } from "./zip-entries.ts";

export function inspectKml(bytes: Buffer, notes: Notes): void {
  const names = isArchive(bytes) ? entriesIn(bytes, /[^/]$/).map(({ name }) => name) : [];
  const [maps, files] = [names.filter((name) => isMap.test(name)), names.filter((name) => !isMap.test(name))];
  if (files.length > 0) addNote(notes, "METADATA_DROPPED", `Pictures and other files of the archive were left out: ${named(files)}.`);
  const texts = textsOf(bytes);
  const links = texts.flatMap(linksIn).filter((link) => !maps.some((name) => name.endsWith(link)));
  if (links.length > 0) addNote(notes, "EXTERNAL_CONTENT_BLOCKED", `Maps that the file links to were not fetched: ${named(links)}.`);
  for (const text of texts) {
    plainKml(text, notes);
    if (/<(\w{1,20}:)?(Style|StyleMap|styleUrl)[\s>]/.test(text)) notes.set("STYLING_DROPPED", "Colours, lines and icons were left out.");
    if (/<(gx:)?Track[\s>]/.test(text))
      addNote(notes, "METADATA_DROPPED", "The times of tracks' points were left out, except for the first and the last.");
  }
}

/** Addresses of further maps, relative ones without the folders above. */
function linksIn(text: string): readonly string[] {
  const links = text.split(/<NetworkLink[\s>]/).slice(1);
  return links.map((link) => (/<href>\s{0,99}([^<]{0,400})</.exec(link)?.[1] ?? "").trim().replace(/^(\.{1,2}\/){1,9}/, ""));
}

/** Far more than an archive of maps contains. GDAL runs once for each. */
const mostDocuments = 64;

/** Writes the documents of a KML or KMZ in a form that GDAL reads correctly. Of an archive, GDAL reads one document and no value types. */
export function rewriteKml(input: string, folder: string): unknown {
  const texts = textsOf(readFileSync(input));
  const filled = texts.filter((text) => /<(Placemark|GroundOverlay)[\s>]/.test(text));
  if (filled.length > mostDocuments)
    throw tooComplex(`The archive holds ${filled.length} maps, more than the ${mostDocuments} that can be joined.`);
  const documents = filled.length > 0 ? filled : texts.slice(0, 1);
  for (const [place, text] of documents.entries()) writeFileSync(`${folder}/plain-${place}.kml`, plainKml(text, new Map()));
  return { ok: true, notes: [], documents: documents.length };
}

const isArchive = (bytes: Buffer): boolean => bytes.toString("latin1", 0, 2) === "PK";
const isMap = /\.kml$/i;

/** The documents of an archive in its order, except that the main one, doc.kml, comes first. */
function textsOf(bytes: Buffer): readonly string[] {
  if (!isArchive(bytes)) return [textOfXml(bytes)];
  const maps = entriesIn(bytes, isMap).toSorted((a, b) => Number(b.name === "doc.kml") - Number(a.name === "doc.kml"));
  return maps.map(({ content }) => textOfXml(content()));
}
