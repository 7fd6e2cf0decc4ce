import { execFile } from "node:child_process";
import { promisify } from "node:util";
import {
  becomes,
  bytes,
  differs,
  effectsOf,
  gains,
  larger,
  latin1,
  loses,
  member,
  pdfInfo,
  pdfPictures,
  pdfText,
  pictured,
  size,
  smaller,
  text,
} from "./effect.ts";

const execute = promisify(execFile);
const toHtml = { hop: "md>html", sample: "prose.md" } as const;
const toPng = { hop: "pdf>png", sample: "pages.pdf" } as const;
const three = { hop: "pdf>pdf", sample: "pages.pdf" } as const;
const wordText = member("word/document.xml");
const rich = { hop: "pdf>pdf", sample: "rich.pdf" } as const;
const pdfColours = async (path: string): Promise<string> => (await execute("pdfimages", ["-list", path])).stdout;
const toTiff = { hop: "pdf>tiff", sample: "pages.pdf" } as const;
/** Page count, printed once per page. */
const pagesOfTiff = async (path: string): Promise<string> => (await execute("identify-im6.q16", ["-format", "%n ", path])).stdout;
const toTxt = { hop: "pdf>txt", sample: "pages.pdf" } as const;
const toPdf = { hop: "fods>pdf", sample: "book.fods" } as const;
const pageSize = pdfInfo("Page size");
const pages = async (path: string): Promise<number> => Number(await pdfInfo("Pages")(path));

export const documentEffects = [
  ...effectsOf("mupdf", [
    { hop: "jpg>pdf", sample: "two.jpg", option: "pageSize", given: { pageSize: "a4" }, figure: pageSize, shows: gains(/A4/) },
    { hop: "jpg>pdf", sample: "two.jpg", option: "margin", given: { margin: 20 }, figure: pageSize, shows: differs },
    { hop: "jpg>pdf", sample: "two.jpg", option: "density", given: { density: 300 }, figure: pageSize, shows: differs },
    {
      hop: "fb2>pdf",
      sample: "book.fb2",
      option: "fontSize",
      given: { fontSize: 30 },
      figure: pages,
      shows: larger,
    },
    { hop: "fb2>pdf", sample: "book.fb2", option: "margin", given: { margin: 50 }, figure: pages, shows: larger },
    { hop: "pdf>cbz", sample: "pages.pdf", option: "pages", given: { pages: "2" }, figure: bytes, shows: smaller },
    { hop: "pdf>cbz", sample: "pages.pdf", option: "dpi", given: { dpi: 36 }, figure: bytes, shows: smaller },
  ]),
  ...effectsOf("pdf", [
    { hop: "pdf>html", sample: "pages.pdf", option: "pages", given: { pages: "2" }, figure: text, shows: loses(/first/) },
    { hop: "pdf>docx", sample: "tables.pdf", option: "layout", given: { layout: "exact" }, figure: wordText, shows: gains(/w:framePr/) },
    { hop: "pdf>csv", sample: "tables.pdf", option: "table", given: { table: 2 }, figure: text, shows: gains(/Zebra/) },
    { hop: "pdf>json", sample: "tables.pdf", option: "content", given: { content: "tables" }, figure: text, shows: loses(/"blocks"/) },
    { hop: "pdf>html", sample: "half.pdf", option: "ocr", given: { ocr: "never" }, figure: text, shows: loses(/bergr/) },
    { hop: "pdf>html", sample: "german.pdf", option: "language", given: { language: "deu" }, figure: text, shows: gains(/Übergröße/) },
  ]),
  ...effectsOf("office-change", [
    { hop: "odt>odt", sample: "picture.odt", option: "optimise", given: { optimise: "screen" }, figure: bytes, shows: smaller },
    {
      hop: "docx>docx",
      sample: "revised.docx",
      option: "metadata",
      given: { metadata: "strip" },
      figure: wordText,
      shows: gains(/w:author="Author"/),
    },
    {
      hop: "docx>docx",
      sample: "revised.docx",
      option: "comments",
      given: { comments: "strip" },
      figure: wordText,
      shows: loses(/commentReference/),
    },
  ]),
  ...effectsOf("pdf-change", [
    { ...rich, option: "optimise", given: { optimise: "screen" }, figure: bytes, shows: smaller },
    { hop: "pdf>pdf", sample: "half.pdf", option: "ocr", given: { ocr: "auto" }, figure: pdfText, shows: gains(/bergr/) },
    {
      ...{ hop: "pdf>pdf", sample: "german.pdf", option: "language", base: { ocr: "auto" } },
      ...{ given: { ocr: "auto", language: "deu" }, figure: pdfText, shows: gains(/Übergröße/) },
    },
    { ...three, option: "pages", given: { pages: "3,1" }, figure: pdfText, shows: gains(/^third[\s\S]*first/) },
    { ...three, option: "remove", given: { remove: "2" }, figure: pdfText, shows: loses(/second/) },
    { ...three, option: "rotate", given: { rotate: "90" }, figure: pdfInfo("Page rot"), shows: becomes("90") },
    {
      ...{ ...three, option: "rotatePages", base: { rotate: "90" }, given: { rotate: "90", rotatePages: "2-" } },
      ...{ figure: pdfInfo("Page rot"), shows: becomes("0") },
    },
    { ...three, option: "nUp", given: { nUp: "4" }, figure: pages, shows: becomes(1) },
    { ...three, option: "stamp", given: { stamp: "Draft", stampPlace: "top" }, figure: pdfText, shows: gains(/Draft/) },
    { ...three, option: "stampPlace", base: { stamp: "D" }, given: { stamp: "D", stampPlace: "top" }, figure: bytes, shows: differs },
    { ...rich, option: "grayscale", given: { grayscale: true }, figure: pdfColours, shows: loses(/rgb/) },
    { ...rich, option: "flatten", given: { flatten: true }, figure: pdfInfo("Form"), shows: becomes("none") },
    { ...rich, option: "metadata", given: { metadata: "strip" }, figure: pdfInfo("Author"), shows: becomes("") },
    { ...three, option: "title", given: { title: "Größe" }, figure: pdfInfo("Title"), shows: becomes("Größe") },
    { ...three, option: "author", given: { author: "Bo" }, figure: pdfInfo("Author"), shows: becomes("Bo") },
    { ...three, option: "subject", given: { subject: "S" }, figure: pdfInfo("Subject"), shows: becomes("S") },
    { ...three, option: "keywords", given: { keywords: "a, b" }, figure: pdfInfo("Keywords"), shows: becomes("a, b") },
    { ...three, option: "permissions", given: { permissions: "read" }, figure: pdfInfo("Encrypted"), shows: gains(/print:no copy:no/) },
    { ...three, option: "linearise", given: { linearise: true }, figure: pdfInfo("Optimized"), shows: becomes("yes") },
    { ...three, option: "pdfVersion", given: { pdfVersion: "2.0" }, figure: pdfInfo("PDF version"), shows: becomes("2.0") },
  ]),
  ...effectsOf("calibre", [
    { hop: "fb2>epub", sample: "book.fb2", option: "title", given: { title: "Numbat" }, figure: packaged, shows: gains(/Numbat/) },
    { hop: "fb2>epub", sample: "book.fb2", option: "author", given: { author: "Ada Zebra" }, figure: packaged, shows: gains(/Ada Zebra/) },
  ]),
  ...effectsOf("djvulibre", [
    { hop: "djvu>pdf", sample: "page.djvu", option: "quality", given: { quality: 25 }, figure: bytes, shows: smaller },
    { hop: "jpg>djvu", sample: "noise.jpg", option: "decibels", given: { decibels: 20 }, figure: bytes, shows: smaller },
  ]),
  ...effectsOf("tesseract", [
    { hop: "png>hocr", sample: "text.png", option: "dpi", given: { dpi: 240 }, figure: text, shows: gains(/scan_res 240/) },
    { hop: "png>txt", sample: "text.png", option: "segmentation", given: { segmentation: "word" }, figure: text, shows: differs },
    { hop: "png>txt", sample: "german.png", option: "language", given: { language: "deu" }, figure: text, shows: gains(/Übergröße/) },
  ]),
  ...effectsOf("libreoffice", [
    { ...toPdf, option: "pages", given: { pages: "1" }, figure: pdfText, shows: loses(/two/) },
    { ...toPdf, option: "pdfVersion", given: { pdfVersion: "pdfa-2" }, figure: latin1, shows: gains(/pdfaid/) },
    { hop: "fods>pdfa", sample: "book.fods", option: "part", given: { part: "3" }, figure: latin1, shows: gains(/pdfaid:part>3/) },
    { hop: "odt>pdf", sample: "picture.odt", option: "imageQuality", given: { imageQuality: 10 }, figure: bytes, shows: smaller },
    { hop: "odt>pdf", sample: "picture.odt", option: "imageDpi", given: { imageDpi: "75" }, figure: pdfPictures, shows: smaller },
    { ...toPdf, option: "pageSize", given: { pageSize: "a3" }, figure: pageSize, shows: gains(/A3/) },
    {
      hop: "odt>pdf",
      sample: "picture.odt",
      option: "pageSize",
      given: { pageSize: "a5" },
      figure: pageSize,
      shows: becomes("419.556 x 595.304 pts"),
    },
    { ...toPdf, option: "margin", given: { margin: 80 }, figure: pages, shows: larger },
    { hop: "fods>csv", sample: "book.fods", option: "quoteText", given: { quoteText: true }, figure: text, shows: gains(/"one"/) },
    { hop: "fods>csv", sample: "book.fods", option: "bom", given: { bom: true }, figure: text, shows: gains(/^\ufeff/) },
    { ...toPdf, option: "landscape", given: { landscape: true }, figure: pageSize, shows: differs },
    {
      hop: "csv>ods",
      sample: "latin.csv",
      option: "encoding",
      given: { encoding: "koi8-r" },
      figure: member("content.xml"),
      shows: loses(/Jürgen/),
    },
    { ...toPdf, option: "sheet", given: { sheet: "Costs" }, figure: pdfText, shows: loses(/one/) },
    { hop: "fods>csv", sample: "book.fods", option: "sheet", given: { sheet: "Costs" }, figure: text, shows: gains(/two/) },
    {
      hop: "fods>csv",
      sample: "book.fods",
      option: "outputDelimiter",
      given: { outputDelimiter: "pipe" },
      figure: text,
      shows: gains(/one\|one/),
    },
    {
      ...toPdf,
      option: "fitWidth",
      given: { fitWidth: true },
      figure: pages,
      shows: smaller,
    },
    {
      hop: "csv>ods",
      sample: "latin.csv",
      option: "delimiter",
      given: { delimiter: "comma" },
      figure: member("content.xml"),
      shows: gains(/name;age/),
    },
  ]),
  ...effectsOf("pandoc", [
    { hop: "docx>md", sample: "revised.docx", option: "changes", given: { changes: "all" }, figure: text, shows: gains(/~~old~~/) },
    {
      hop: "html>md",
      sample: "struck.html",
      option: "dialect",
      given: { dialect: "commonmark" },
      figure: text,
      shows: loses(/~~Quokka~~/),
    },
    { hop: "html>md", sample: "struck.html", option: "pictures", given: { pictures: "describe" }, figure: text, shows: loses(/base64/) },
    { hop: "csv>md", sample: "latin.csv", option: "encoding", given: { encoding: "koi8-r" }, figure: text, shows: loses(/Jürgen/) },
    { hop: "csv>md", sample: "latin.csv", option: "delimiter", given: { delimiter: "comma" }, figure: text, shows: gains(/name;age/) },
    { ...toHtml, option: "standalone", given: { standalone: false }, figure: text, shows: loses(/<html/) },
    { ...toHtml, option: "toc", given: { toc: true }, figure: text, shows: gains(/id="TOC"/) },
    { ...toHtml, option: "tocDepth", given: { toc: true, tocDepth: 1 }, base: { toc: true }, figure: text, shows: loses(/href="#two"/) },
    { ...toHtml, option: "numberSections", given: { numberSections: true }, figure: text, shows: gains(/header-section-number">1/) },
    { ...toHtml, option: "highlight", given: { highlight: "none" }, figure: text, shows: loses(/sourceCode python/) },
    {
      hop: "md>rst",
      sample: "prose.md",
      option: "wrap",
      given: { wrap: "auto" },
      figure: async (path) => longestLine(await text(path)),
      shows: smaller,
    },
    {
      hop: "md>rst",
      sample: "prose.md",
      option: "columns",
      given: { wrap: "auto", columns: 40 },
      base: { wrap: "auto" },
      figure: async (path) => longestLine(await text(path)),
      shows: smaller,
    },
  ]),
  ...effectsOf("poppler", [
    { hop: "pdf>txt", sample: "half.pdf", option: "ocr", given: { ocr: "never" }, figure: text, shows: loses(/bergr/) },
    { hop: "pdf>txt", sample: "german.pdf", option: "language", given: { language: "deu" }, figure: text, shows: gains(/Übergröße/) },
    { hop: "pdf>svg", sample: "pages.pdf", option: "page", given: { page: 2 }, figure: text, shows: differs },
    { ...toPng, option: "dpi", given: { dpi: 72 }, figure: size, shows: becomes("200x100") },
    { ...toPng, option: "width", given: { width: 80 }, figure: size, shows: becomes("80x40") },
    { ...toPng, option: "height", given: { height: 80 }, figure: size, shows: becomes("160x80") },
    { ...toPng, option: "grayscale", given: { grayscale: true }, figure: pictured("%[channels]"), shows: becomes("gray") },
    { hop: "pdf>jpg", sample: "pages.pdf", option: "quality", given: { quality: 5 }, figure: bytes, shows: smaller },
    { ...toTxt, option: "firstPage", given: { firstPage: 2 }, figure: text, shows: loses(/first/) },
    { ...toTxt, option: "lastPage", given: { lastPage: 2 }, figure: text, shows: loses(/third/) },
    { ...toTxt, option: "layout", given: { layout: "page" }, figure: text, shows: differs },
  ]),
  ...effectsOf("poppler-tiff", [
    { ...toTiff, option: "page", given: { page: 2 }, figure: pagesOfTiff, shows: becomes("1 ") },
    { ...toTiff, option: "pages", given: { pages: "1,3" }, figure: pagesOfTiff, shows: becomes("2 2 ") },
    { ...toTiff, option: "dpi", given: { dpi: 72 }, figure: size, shows: becomes("200x100") },
    { ...toTiff, option: "width", given: { width: 80 }, figure: size, shows: becomes("80x40") },
    { ...toTiff, option: "height", given: { height: 80 }, figure: size, shows: becomes("160x80") },
    { ...toTiff, option: "grayscale", given: { grayscale: true }, figure: pictured("%[channels]"), shows: becomes("gray") },
    { ...toTiff, option: "compression", given: { compression: "none" }, figure: bytes, shows: larger },
  ]),
];

/** The package document of an EPUB. */
async function packaged(path: string): Promise<string> {
  return await member("*.opf")(path);
}

function longestLine(given: string): number {
  return Math.max(...given.split("\n").map((line) => line.length));
}
