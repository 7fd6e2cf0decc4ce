/** What GDAL does not read from a KML: styles, and the times of a track's single points. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Notes } from "../exchange.ts";
import { textOfXml } from "./gpx.ts";
import { plainKml } from "./kml-source.ts";
import { addNote, named } from "./notes.ts";
import { entriesIn } from "./zip-entries.ts";

export function inspectKml(bytes: Buffer, notes: Notes): void {
  const files = isArchive(bytes) ? entriesIn(bytes, /(?<!\.kml|\/)$/i).map(({ name }) => name) : [];
  if (files.length > 0) addNote(notes, "METADATA_DROPPED", `Pictures and other files of the archive were left out: ${named(files)}.`);
  for (const text of textsOf(bytes)) {
    plainKml(text, notes);
    if (/<(\w{1,20}:)?(Style|StyleMap)[\s>]/.test(text)) notes.set("STYLING_DROPPED", "Colours, lines and icons were left out.");
    if (/<gx:Track[\s>]/.test(text))
      addNote(notes, "METADATA_DROPPED", "The times of tracks' points were left out but for the first and the last.");
  }
}

/** Writes the only document of a KML or KMZ in a form that GDAL reads correctly. */
export function rewriteKml(input: string, output: string): void {
  const [text = ""] = textsOf(readFileSync(input));
  writeFileSync(output, plainKml(text, new Map()));
}

const isArchive = (bytes: Buffer): boolean => bytes.toString("latin1", 0, 2) === "PK";

function textsOf(bytes: Buffer): readonly string[] {
  const texts = isArchive(bytes) ? entriesIn(bytes, /\.kml$/i).map(({ content }) => content()) : [bytes];
  return texts.map((each) => textOfXml(each));
}
