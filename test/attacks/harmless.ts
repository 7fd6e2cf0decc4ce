/** A small good file for each engine, which must convert after every attack. */
import { globSync, readFileSync } from "node:fs";
import sharp from "sharp";
import { silence } from "#test/harness/hostile-files.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import type { AimedEngine } from "./attack.ts";
import { docx, paragraph } from "./office-files.ts";
import { onePage } from "./pdf-attacks.ts";
import { png } from "./picture-files.ts";
import { tiff } from "./tiff-files.ts";

const [typeface = ""] = globSync("/usr/share/fonts/*/liberation*/LiberationMono-Regular.ttf");
const writing = await sharp({ text: { text: "Good morning", dpi: 300, font: "sans 20" } })
  .flatten({ background: "black" })
  .negate({ alpha: false })
  .extend({ top: 40, bottom: 40, left: 40, right: 40, background: "white" })
  .png()
  .toBuffer();

const typical = (name: string): Uint8Array => readFileSync(new URL(`../corpus/typical/${name}`, import.meta.url));

type Harmless = { readonly fileName: string; readonly to: string; readonly content: Uint8Array | string };

export const harmless: Readonly<Record<AimedEngine, Harmless>> = {
  imagemagick: { fileName: "a.png", to: "pcx", content: png({ width: 16, height: 16 }) },
  libheif: { fileName: "a.png", to: "heic", content: png({ width: 64, height: 64 }) },
  libjxl: { fileName: "a.png", to: "jxl", content: png({ width: 16, height: 16 }) },
  libtiff: { fileName: "a.tiff", to: "pdf", content: tiff([{ 256: 8, 257: 8 }]) },
  potrace: { fileName: "a.pbm", to: "svg", content: "P1\n8 8\n00000000 01111110 01111110 01111110 01111110 01111110 01111110 00000000\n" },
  tesseract: { fileName: "a.png", to: "txt", content: writing },
  mupdf: { fileName: "a.png", to: "pdf", content: png({ width: 16, height: 16 }) },
  fontforge: { fileName: "a.ttf", to: "pfb", content: readFileSync(typeface) },
  fonttools: { fileName: "a.ttf", to: "ttf", content: readFileSync(typeface) },
  mail: { fileName: "a.vcf", to: "json", content: "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Good\r\nN:Good;;;;\r\nEND:VCARD\r\n" },
  subtitle: { fileName: "a.srt", to: "vtt", content: "1\n00:00:01,000 --> 00:00:02,000\nGood\n" },
  sharp: { fileName: "a.png", to: "webp", content: png({ width: 16, height: 16 }) },
  pdf: { fileName: "a.pdf", to: "html", content: typical("document/typical.pdf") },
  "pdf-change": { fileName: "a.pdf", to: "pdf", content: onePage("0 0 9 9 re f") },
  "office-change": { fileName: "a.docx", to: "docx", content: docx(paragraph("Good")) },
  poppler: { fileName: "a.pdf", to: "png", content: onePage("0 0 9 9 re f") },
  pandoc: { fileName: "a.md", to: "html", content: "# Good\n" },
  chromium: { fileName: "a.html", to: "pdf", content: "<!DOCTYPE html><p>Good</p>" },
  libreoffice: { fileName: "a.docx", to: "pdf", content: docx(paragraph("Good")) },
  ghostscript: { fileName: "a.ps", to: "pdf", content: "%!PS\n9 9 99 99 rectfill showpage\n" },
  rsvg: {
    fileName: "a.svg",
    to: "pdf",
    content: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0L9 9Z"/></svg>',
  },
  svgo: {
    fileName: "a.svg",
    to: "svg",
    content: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M 0.0 0.0 L 9.0 9.0"/></svg>',
  },
  archive: { fileName: "a.zip", to: "tar", content: zipFile([{ name: "a.txt", content: "good" }]) },
  "join-pdf": { fileName: "a.zip", to: "pdf", content: zipFile([{ name: "a.png", content: png({ width: 16, height: 16 }) }]) },
  data: { fileName: "a.json", to: "yaml", content: '{"a":1}' },
  libraw: { fileName: "a.dng", to: "tiff", content: typical("image/typical.dng") },
  icnsutils: { fileName: "a.icns", to: "png", content: typical("image/typical.icns") },
  fluidsynth: { fileName: "a.mid", to: "wav", content: typical("audio/typical.mid") },
  graphviz: { fileName: "a.gv", to: "svg", content: "digraph { a -> b }" },
  assimp: { fileName: "a.obj", to: "stl", content: "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n" },
  meshoptimizer: { fileName: "a.stl", to: "stl", content: typical("model/typical.stl") },
  shapes: { fileName: "a.3mf", to: "glb", content: typical("model/typical.3mf") },
  djvulibre: { fileName: "a.djvu", to: "pdf", content: typical("document/typical.djvu") },
  calibre: { fileName: "a.fb2", to: "mobi", content: typical("ebook/typical.fb2") },
  gdal: { fileName: "a.geojson", to: "kml", content: '{"type":"Point","coordinates":[1,2]}' },
  gpsbabel: { fileName: "a.tcx", to: "gpx", content: typical("geo/typical.tcx") },
  ffmpeg: { fileName: "a.wav", to: "flac", content: silence(20_000) },
};
