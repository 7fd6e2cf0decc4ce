/** Texts, tables, models and subtitles that raise notes. */

import { docx } from "#test/attacks/office-files.ts";
import { halfScannedPdf, scannedPdf } from "#test/contract/scanned-pdf.ts";
import { revised } from "#test/contract/word-file.ts";
import { tarFile } from "#test/harness/tar-file.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { pdfOf, tablePdf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";
import { copy, latin, type Occurrence, undrawn } from "./occurrence.ts";
import { run } from "./tools.ts";

const text = (name: string) => `<table:table-cell office:value-type="string"><text:p>${name}</text:p></table:table-cell>`;
const number = '<table:table-cell office:value-type="float" office:value="0.1234567890123456"/>';
const sheets = (name: string) => `<table:table table:name="${name}"><table:table-row>${text(name)}</table:table-row></table:table>`;
export const book = `<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>${sheets("One")}${sheets("Two")}</office:spreadsheet></office:body></office:document>`;

const slideWithPicture = `<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation><draw:page draw:name="A"><draw:frame svg:width="3cm" svg:height="3cm"><draw:image><office:binary-data>iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC</office:binary-data></draw:image></draw:frame></draw:page></office:presentation></office:body></office:document>`;
const slides = `<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:automatic-styles><style:style style:name="dp1" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style></office:automatic-styles><office:body><office:presentation><draw:page draw:name="One"/><draw:page draw:name="Two" draw:style-name="dp1"/></office:presentation></office:body></office:document>`;

const withHeads = pdfOf(
  ["one", "two", "three"].map((body) => `Minutes of the society) Tj 1 0 0 1 20 250 Tm (Page ${body} of the minutes`),
  "0 0 300 500",
);
const restrictedPdf = async (path: string) => {
  await richPdf(`${path}.open`);
  await run("qpdf", [`${path}.open`, "--encrypt", "", "owner", "256", "--extract=n", "--", path]);
};
const richPdf = (path: string) => run("/usr/bin/python3", ["test/services/conversion/engines/pdf/rich-pdf.py", path, "signed"]);
/** A file that cannot be made any smaller. */
const smallDocx = (path: string) => run("/usr/bin/python3", ["-c", repacked, path, "test/corpus/typical/document/typical.docx"]);
const repacked =
  "import sys, zipfile\ns = zipfile.ZipFile(sys.argv[2])\nwith zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as t:\n for n in s.namelist(): t.writestr(n, s.read(n))";
const signedDocx = docx('<w:p><w:ins w:id="1" w:author="Numbat"><w:r><w:t>a</w:t></w:r></w:ins></w:p>', {
  extra: [{ name: "_xmlsignatures/origin.sigs", content: "" }],
});
/** As fontTools writes it. */
const fewLetters = (path: string) =>
  run("/usr/bin/python3", ["-I", "-m", "fontTools.subset", "test/corpus/typical/font/typical.ttf", "--text=a", `--output-file=${path}`]);
/** The last field of a ZIP is the length of its comment. */
const commented = (zip: Buffer) => Buffer.concat([zip.subarray(0, -2), Buffer.from("\x01\0x")]);
const fontSamples = "test/services/conversion/engines/fonts/font-samples.py";
const fontOf = (kind: string) => (path: string) => run("/usr/bin/python3", ["-I", fontSamples, "write", kind, path]);
/** As small as pikepdf makes it. */
const smallest = (path: string) =>
  run("/usr/bin/python3", [
    "-c",
    "import sys, pikepdf; pdf = pikepdf.new(); pdf.add_blank_page(); pdf.save(sys.argv[1], object_stream_mode=pikepdf.ObjectStreamMode.generate)",
    path,
  ]);
const twoTables = tablePdf([
  ["Animal", "Count"],
  ["Quokka", "42"],
  ["And now to other animals, which are larger."],
  ["Animal", "Count"],
  ["Zebra", "7"],
]);

export const documents: readonly Occurrence[] = [
  {
    ...{ engine: "libreoffice", hop: "dxf>png", code: "DRAWINGS_LEFT_OUT" },
    content: "0\nSECTION\n2\nENTITIES\n0\nLINE\n8\n0\n10\n0\n20\n0\n11\n9\n21\n9\n0\n3DSOLID\n8\n0\n0\nENDSEC\n0\nEOF\n",
  },
  { engine: "libreoffice", hop: "csv>ods", code: "ENCODING_GUESSED", content: latin("name\nJ\xfcrgen\n") },
  { engine: "libreoffice", hop: "csv>ods", code: "DIALECT_GUESSED", content: "a;b\n1;2\n" },
  { engine: "libreoffice", hop: "csv>ods", code: "ENTRIES_LEFT_OUT", content: "a,b\n1,2\n\n3,4\n" },
  { engine: "libreoffice", hop: "csv>ods", code: "CHARACTERS_REPLACED", content: 'a,b\n"1\r\n2",2\n' },
  { engine: "libreoffice", hop: "fods>ods", code: "NUMBERS_ROUNDED", content: book.replace(text("One"), number) },
  { engine: "libreoffice", hop: "xlsx>dbf", code: "TYPES_AS_TEXT", content: (path) => copy("../values/types.xlsx", path) },
  { engine: "libreoffice", hop: "csv>dbf", code: "NAMES_CHANGED", content: "a long name,B\nx,y\n" },
  { engine: "libreoffice", hop: "csv>dbf", code: "METADATA_DROPPED", content: "A,B\nИван,Αθήνα\n" },
  { engine: "libreoffice", hop: "rtf>pdf", code: "FONT_SUBSTITUTED", content: "{\\rtf1{\\fonttbl{\\f0 Quokka Grotesk;}}\\f0 Text}" },
  {
    ...{ engine: "rsvg", hop: "svg>pdf", code: "EXTERNAL_CONTENT_BLOCKED" },
    content: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="photo.png" width="9" height="9"/></svg>',
  },
  { engine: "rsvg", hop: "svg>pdf", code: "TEXT_LEFT_OUT", content: undrawn },
  { engine: "rsvg", hop: "svg>pdf", code: "IMAGES_REMOVED", content: undrawn },
  { engine: "rsvg", hop: "svg>pdf", code: "STYLING_DROPPED", content: undrawn },
  {
    engine: "rsvg",
    hop: "svg>pdf",
    code: "FONT_SUBSTITUTED",
    content:
      '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><text y="15" font-family="Quokka Grotesk, serif">Numbat</text></svg>',
  },
  { engine: "libreoffice", hop: "fods>csv", code: "SHEETS_LEFT_OUT", content: book },
  { engine: "libreoffice", hop: "fodp>json", code: "IMAGES_REMOVED", content: slideWithPicture },
  { engine: "libreoffice", hop: "fodp>pdf", code: "PAGES_LEFT_OUT", content: slides },
  { engine: "chromium", hop: "html>pdf", code: "EXTERNAL_CONTENT_BLOCKED", content: '<img src="https://example.org/a.png">' },
  { engine: "chromium", hop: "html>pdf", code: "FONT_SUBSTITUTED", content: '<p style="font-family: Quokka Grotesk">A' },
  { engine: "chromium", hop: "html>pdf", code: "SCRIPTS_NOT_RUN", content: "<p>A<script>document.write('b')</script>" },
  { engine: "chromium", hop: "html>pdf", code: "ENCODING_GUESSED", content: latin("<p>J\xfcrgen f\xe4hrt \xfcber die Stra\xdfe\n") },
  { engine: "chromium", hop: "html>pdf", code: "ENTRIES_LEFT_OUT", content: '<a href="b.html">B</a>' },
  { engine: "pdf", hop: "pdf>html", code: "ENTRIES_LEFT_OUT", content: withHeads },
  { engine: "pdf", hop: "pdf>html", code: "PAGES_EMPTY", content: pdfOf([" "]) },
  { engine: "poppler", hop: "pdf>txt", code: "STRUCTURE_DROPPED", content: richPdf },
  { engine: "poppler", hop: "pdf>txt", code: "PAGES_EMPTY", content: pdfOf([" "]) },
  { engine: "pdf", hop: "pdf>json", code: "DRAWINGS_LEFT_OUT", content: pdfOf(["Pie) Tj ET 20 20 m 50 90 l 90 20 l f BT 0 0 Td ("]) },
  { engine: "pdf", hop: "pdf>csv", code: "SHEETS_LEFT_OUT", content: twoTables },
  { engine: "pdf", hop: "pdf>csv", code: "ENTRIES_LEFT_OUT", content: twoTables },
  { engine: "pdf", hop: "pdf>html", code: "TEXT_RECOGNISED", content: scannedPdf },
  { engine: "pdf", hop: "pdf>html", code: "TEXT_NOT_RECOGNISED", content: halfScannedPdf, options: { ocr: "never" } },
  { engine: "office-change", hop: "docx>docx", code: "SOURCE_KEPT", content: smallDocx },
  { engine: "office-change", hop: "docx>docx", code: "SIGNATURES_VOID", content: signedDocx, options: { metadata: "strip" } },
  { engine: "poppler", hop: "pdf>txt", code: "TEXT_RECOGNISED", content: scannedPdf },
  { engine: "poppler", hop: "pdf>txt", code: "TEXT_NOT_RECOGNISED", content: halfScannedPdf, options: { ocr: "never" } },
  { engine: "pdf-change", hop: "pdf>pdf", code: "TEXT_RECOGNISED", content: scannedPdf, options: { ocr: "auto" } },
  { engine: "pdf-change", hop: "pdf>pdf", code: "TEXT_NOT_RECOGNISED", content: pdfOf([") Tj ("]), options: { ocr: "auto" } },
  { engine: "pdf-change", hop: "pdf>pdf", code: "STRUCTURE_DROPPED", content: richPdf, options: { nUp: "2" } },
  { engine: "pdf-change", hop: "pdf>pdf", code: "TEXT_LEFT_OUT", content: richPdf, options: { flatten: true } },
  { engine: "pdf-change", hop: "pdf>pdf", code: "SIGNATURES_VOID", content: richPdf },
  { engine: "pdf-change", hop: "pdf>pdf", code: "METADATA_DROPPED", content: restrictedPdf },
  { engine: "ghostscript", hop: "pdf>pdfa", code: "STRUCTURE_DROPPED", content: richPdf },
  { engine: "pdf", hop: "pdf>json", code: "TEXT_LEFT_OUT", content: richPdf },
  { engine: "pdf", hop: "pdf>json", code: "STRUCTURE_DROPPED", content: richPdf },
  { engine: "ghostscript", hop: "pdf>pdfa", code: "SIGNATURES_VOID", content: richPdf },
  {
    engine: "pdf-change",
    hop: "pdf>pdf",
    code: "SOURCE_KEPT",
    content: smallest,
    options: { optimise: "print" },
  },
  { engine: "pdf", hop: "pdf>json", code: "IMAGES_REMOVED", content: halfScannedPdf, options: { ocr: "never" } },
  { engine: "pandoc", hop: "md>html", code: "ENCODING_GUESSED", content: latin("# J\xfcrgen\n") },
  { engine: "pandoc", hop: "csv>md", code: "DIALECT_GUESSED", content: "a;b\n1;2\n" },
  { engine: "pandoc", hop: "csv>md", code: "ENTRIES_LEFT_OUT", content: "a,b\n1,2\n\n3,4\n" },
  { engine: "pandoc", hop: "csv>md", code: "CHARACTERS_REPLACED", content: 'a,b\n"x  y",2\n' },
  { engine: "gdal", hop: "csv>geojson", code: "DIALECT_GUESSED", content: "name;lat;lon\nA;1;2\n" },
  { engine: "gdal", hop: "csv>geojson", code: "ENCODING_GUESSED", content: latin("name,lat,lon\nJ\xfcrgen,1,2\n") },
  { engine: "pandoc", hop: "docx>md", code: "METADATA_DROPPED", content: revised },
  { engine: "pandoc", hop: "md>docx", code: "IMAGES_REMOVED", content: "# A\n\n![b](c.png)\n" },
  {
    engine: "archive",
    hop: "tar>zip",
    code: "ENTRIES_LEFT_OUT",
    content: tarFile([
      { name: "a", content: "b" },
      { name: "c", link: "../../d", type: "2" },
    ]),
  },
  { engine: "fonttools", hop: "ttf>ttf", code: "SOURCE_KEPT", content: fewLetters },
  { engine: "fonttools", hop: "ttf>otf", code: "STRUCTURE_DROPPED", content: fontOf("hinted") },
  { engine: "fonttools", hop: "woff>ttf", code: "METADATA_DROPPED", content: fontOf("described") },
  { engine: "fonttools", hop: "ttf>woff", code: "SIGNATURES_VOID", content: fontOf("signed") },
  { engine: "fontforge", hop: "ttf>pfb", code: "STRUCTURE_DROPPED", content: fontOf("colour") },
  { engine: "fontforge", hop: "ttf>pfb", code: "METADATA_DROPPED", content: fontOf("colour") },
  { engine: "archive", hop: "zip>zip", code: "SOURCE_KEPT", content: zipFile([{ name: "a.txt", content: "b" }]) },
  { engine: "archive", hop: "tar>zip", code: "PERMISSIONS_REDUCED", content: tarFile([{ name: "a", content: "b", mode: "4755" }]) },
  {
    engine: "archive",
    hop: "tar>zip",
    code: "NUMBERS_ROUNDED",
    content: tarFile([
      { name: "x", content: "22 mtime=1700000001.5\n", type: "x" },
      { name: "a", content: "b" },
    ]),
  },
  { engine: "archive", hop: "zip>tar", code: "METADATA_DROPPED", content: commented(zipFile([{ name: "a.txt", content: "b" }])) },
  { engine: "archive", hop: "zip>tar", code: "NAMES_CHANGED", content: zipFile([{ name: "a\\b.txt", content: "c" }]) },
  { engine: "archive", hop: "zip>tar", code: "ENCODING_GUESSED", content: zipFile([{ name: latin("Gr\x81\xe1e.txt"), content: "b" }]) },
  { engine: "graphviz", hop: "gv>svg", code: "PAGES_LEFT_OUT", content: "graph { a } graph { b }" },
  { engine: "graphviz", hop: "gv>svg", code: "ENCODING_GUESSED", content: Buffer.from('graph { "ä" }', "latin1") },
  {
    ...{ engine: "graphviz", hop: "graphml>gv", code: "STYLING_DROPPED" },
    content: '<graphml><graph><node id="a"><data key="d"><ShapeNode/></data></node></graph></graphml>',
  },
  { engine: "graphviz", hop: "graphml>gv", code: "ENTRIES_LEFT_OUT", content: "<graphml><graph><hyperedge/></graph></graphml>" },
  { engine: "graphviz", hop: "gv>svg", code: "EXTERNAL_CONTENT_BLOCKED", content: 'digraph { a [image="a.png"] }' },
  { engine: "subtitle", hop: "srt>vtt", code: "ENCODING_GUESSED", content: latin("1\n00:00:01,000 --> 00:00:02,000\nJ\xfcrgen\n") },
  {
    engine: "subtitle",
    hop: "srt>vtt",
    code: "STYLING_DROPPED",
    content: '1\n00:00:01,000 --> 00:00:02,000\n<font color="red">A</font>\n',
  },
  {
    engine: "subtitle",
    hop: "smi>srt",
    code: "TRACKS_LEFT_OUT",
    content: "<SAMI><BODY><SYNC Start=0><P Class=EN>A<P Class=DE>B<SYNC Start=900></BODY></SAMI>",
  },
  { engine: "subtitle", hop: "sub>srt", code: "MEDIA_CHANGED", content: "{24}{}A\n" },
  { engine: "subtitle", hop: "sub>srt", code: "FRAME_RATE_GUESSED", content: "{24}{48}A\n" },
  { engine: "subtitle", hop: "srt>ass", code: "NUMBERS_ROUNDED", content: "1\n00:00:01,001 --> 00:00:02,000\nA\n" },
  { engine: "subtitle", hop: "srt>ass", code: "CHARACTERS_REPLACED", content: "1\n00:00:01,000 --> 00:00:02,000\n{A}\n" },
  { engine: "subtitle", hop: "srt>lrc", code: "STRUCTURE_FLATTENED", content: "1\n00:00:01,000 --> 00:00:02,000\nA\nB\n" },
  { engine: "subtitle", hop: "lrc>srt", code: "METADATA_DROPPED", content: "[ti:A]\n[00:01.00]B\n" },
];
