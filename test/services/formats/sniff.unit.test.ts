import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sniffed, sniff } from "#formats/sniff/sniff.ts";
import {
  adtsFrames,
  bytes,
  compoundOf,
  id3Of,
  isoMediaOf,
  mp3Frames,
  oggOf,
  openDocumentOf,
  packageOf,
  pngOf,
  tarOf,
  tiffOf,
  zipOf,
} from "./fixtures.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-sniff-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function sniffed(content: Buffer | string, name: string): Promise<Sniffed> {
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, content);
  return sniff(path, name);
}

const word = "openxmlformats-officedocument.wordprocessingml";
const sheet = "openxmlformats-officedocument.spreadsheetml";
const slides = "openxmlformats-officedocument.presentationml";
const oasis = "application/vnd.oasis.opendocument";
const asf = "3026b2758e66cf11a6d900aa0062ce6c";
const ebml = (type: string) => Buffer.from(`\x1aE\xdf\xa3\x8b\x42\x82${String.fromCharCode(0x80 + type.length)}${type}\0\0`, "latin1");

/** Content that identifies its format, whatever the name. */
const telling: readonly (readonly [string, Buffer | string])[] = [
  [
    "svgfont",
    '<svg xmlns="http://www.w3.org/2000/svg"><defs><font id="f"><font-face units-per-em="1000"/><glyph d="M0 0"/></font></defs></svg>',
  ],
  ["esrijson", '{"geometryType":"esriGeometryPoint","features":[]}'],
  ["xgl", "<WORLD>\n<LIGHTING></LIGHTING></WORLD>"],
  ["png", pngOf("IDAT")],
  ["apng", pngOf("acTL", "IDAT")],
  // Was once mistaken for text in a legacy encoding.
  ["png", Buffer.from("\x89PNG\r\n\x1a\nrubbish", "latin1")],
  ["jpg", bytes("ffd8ffe000104a464946")],
  ["gif", bytes("474946383961")],
  ["webp", Buffer.from("RIFF\x20\0\0\0WEBPVP8 \0\0\0\0\0\0\0\0", "latin1")],
  ["bmp", bytes("424d 3a000000 00000000 36000000 28000000")],
  ["ico", bytes("00000100 0100 10100000 01002000 68040000 16000000")],
  ["cur", bytes("00000200 0100 10100000 01002000 68040000 16000000")],
  ["tiff", tiffOf(100_000, 256, 257)],
  ["dng", tiffOf(100_000, 256, 50_706)],
  ["dcm", Buffer.concat([Buffer.from("II*\0\x08\0\0\0"), Buffer.alloc(120), Buffer.from("DICM\x02\0\0\0UL\x04\0")])],
  ["psd", bytes("38425053 0001")],
  ["psb", bytes("38425053 0002")],
  ["qoi", bytes("716f6966")],
  ["avif", isoMediaOf("avif")],
  ["avif", isoMediaOf("mif1", "mif1avifmiaf")],
  ["heic", isoMediaOf("heic")],
  ["heic", isoMediaOf("mif1", "mif1heic")],
  ["jxl", bytes("ff0a fa1f")],
  ["jp2", bytes("0000000c6a5020200d0a870a 00000014 66747970 6a703220")],
  ["ppm", Buffer.from("P6\n1 1\n255\n\0\0\0", "latin1")],
  // Raw samples that happen to be letters, in one code page or in all.
  ["ppm", "P6 1 1 255 RGB"],
  ["pbm", "P1\n# by hand\n#\r\n1 1\n0\n"],
  ["pgm", "P2 # a\r\n# 1 1\n\n2 1\n255\n0 1\n"],
  ["txt", `P1 ${"# ".repeat(60)}x`],
  ["pgm", "P5\n# one\n1 1\n255\n`"],
  ["pbm", Buffer.from("P4\n1 1\n\x80", "latin1")],
  ["svg", '<?xml version="1.0"?><!-- a --><!DOCTYPE svg PUBLIC "x" "y"><svg xmlns="http://www.w3.org/2000/svg"/>'],
  ["svg", "<svg width='1'/>"],
  ["svgz", gzipSync('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ["eps", "%!PS-Adobe-3.0 EPSF-3.0\n"],
  ["ps", "%!PS-Adobe-3.0\n"],
  ["emf", Buffer.concat([bytes("01000000", 40), Buffer.from(" EMF\0\0\x01\0", "latin1")])],
  ["pdf", "%PDF-1.4\n"],
  ["pdf", Buffer.from(`\0\0\0 garbage %PDF-1.4`, "latin1")],
  ["docx", packageOf(`${word}.document.main+xml`)],
  ["dotx", packageOf(`${word}.template.main+xml`)],
  ["docm", packageOf("ms-word.document.macroEnabled.main+xml")],
  ["xlsx", packageOf(`${sheet}.sheet.main+xml`)],
  ["xltx", packageOf(`${sheet}.template.main+xml`)],
  ["xlsm", packageOf("ms-excel.sheet.macroEnabled.main+xml")],
  ["xlsb", packageOf("ms-excel.sheet.binary.macroEnabled.main")],
  ["pptx", packageOf(`${slides}.presentation.main+xml`)],
  ["ppsx", packageOf(`${slides}.slideshow.main+xml`)],
  ["pptm", packageOf("ms-powerpoint.presentation.macroEnabled.main+xml")],
  ["vsdx", packageOf("ms-visio.drawing.main+xml")],
  ["odt", openDocumentOf(`${oasis}.text`)],
  ["ott", openDocumentOf(`${oasis}.text-template`)],
  ["ods", openDocumentOf(`${oasis}.spreadsheet`)],
  ["odp", openDocumentOf(`${oasis}.presentation`)],
  ["odg", openDocumentOf(`${oasis}.graphics`)],
  ["sxw", zipOf({ "META-INF/manifest.xml": '<m><e manifest:media-type="application/vnd.sun.xml.writer" manifest:full-path="/"/></m>' })],
  ["epub", openDocumentOf("application/epub+zip")],
  ["jar", zipOf({ "META-INF/MANIFEST.MF": "Manifest-Version: 1.0" })],
  ["kmz", zipOf({ "doc.kml": "<kml/>" })],
  ["zip", zipOf({ "readme.txt": "hello" })],
  ["doc", compoundOf("WordDocument", "1Table")],
  ["xls", compoundOf("Workbook")],
  ["ppt", compoundOf("PowerPoint Document")],
  ["msg", compoundOf("__properties_version1.0", "WordDocument")],
  ["vsd", compoundOf("VisioDocument")],
  ["rtf", "{\\rtf1\\ansi hello}"],
  ["fb2", '<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"/>'],
  ["docbook", '<?xml version="1.0"?><article xmlns="http://docbook.org/ns/docbook"/>'],
  ["jats", '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "a.dtd"><article/>'],
  ["opml", '<?xml version="1.0"?><opml version="2.0"/>'],
  ["kml", '<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"/>'],
  ["gpx", '<gpx version="1.1"/>'],
  ["fodt", '<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"/>'],
  ["xml", '<?xml version="1.0"?><records><record/></records>'],
  ["html", "<!doctype html><title>x</title>"],
  ["html", "\n<!-- a --><HTML><body>"],
  ["xhtml", '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'],
  ["mp3", mp3Frames()],
  ["mp3", Buffer.concat([id3Of(100_000), mp3Frames()])],
  ["aac", adtsFrames()],
  ["flac", Buffer.concat([id3Of(300), bytes("664c6143")])],
  ["wav", Buffer.from("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0", "latin1")],
  ["rf64", Buffer.from("RF64\xff\xff\xff\xffWAVEds64\0", "latin1")],
  ["aiff", Buffer.from("FORM\0\0\0\x20AIFFCOMM\0", "latin1")],
  ["aifc", Buffer.from("FORM\0\0\0\x20AIFCCOMM\0", "latin1")],
  ["ogg", oggOf("\x01vorbis")],
  ["opus", oggOf("OpusHead")],
  ["spx", oggOf("Speex   ")],
  ["oga", oggOf("\x7fFLAC")],
  ["ogv", oggOf("\x80theora")],
  ["m4a", isoMediaOf("M4A ")],
  ["alac", isoMediaOf("M4A ", "", "moov....alac")],
  ["mp4", isoMediaOf("isom", "isomiso2avc1mp41")],
  ["m4v", isoMediaOf("M4V ")],
  ["mov", isoMediaOf("qt  ")],
  ["3gp", isoMediaOf("3gp5")],
  ["3g2", isoMediaOf("3g2a")],
  ["mkv", ebml("matroska")],
  ["webm", ebml("webm")],
  ["avi", Buffer.from("RIFF\x20\0\0\0AVI LIST\0\0\0\0", "latin1")],
  ["wmv", bytes(`${asf} 00000000 c0ef19bc4d5bcf11a8fd00805f5c442b`)],
  ["wma", bytes(`${asf} 00000000 409e69f84d5bcf11a8fd00805f5c442b`)],
  ["flv", bytes("464c5601 05000000 09")],
  ["mpg", bytes("000001ba 44000400")],
  ["ts", Buffer.concat(Array.from({ length: 5 }, () => bytes("47", 188)))],
  ["m2ts", Buffer.concat(Array.from({ length: 5 }, () => bytes("00000000 47", 192)))],
  ["ac3", bytes("0b77 0000 00 40")],
  ["eac3", bytes("0b77 0000 00 80")],
  ["awb", Buffer.from("#!AMR-WB\n\0\0", "latin1")],
  ["mid", bytes("4d546864 00000006")],
  ["tar", tarOf("a.txt")],
  ["tgz", gzipSync(tarOf("a.txt"))],
  ["gz", gzipSync("hello")],
  ["hwp5", compoundOf("FileHeader", "DocInfo", "BodyText")],
  ["one", Buffer.from(`e4525c7b8cd8a74daeb15378d02996d3${"00".repeat(64)}`, "hex")],
  ["7z", bytes("377abcaf271c")],
  ["rar", bytes("526172211a0700")],
  ["ttf", bytes("0001000000 0a")],
  ["otf", bytes("4f54544f00")],
  ["woff2", bytes("774f4632 00010000")],
  ["gpkg", Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(52), Buffer.from("GPKG"), Buffer.alloc(60)])],
  ["glb", bytes("676c5446 02000000")],
  ["stl", bytes("", 84)],
  ["step", "ISO-10303-21;\nHEADER;"],
  ["vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\nhi"],
  ["srt", "1\n00:00:01,000 --> 00:00:02,000\nhi\n"],
  ["ass", "[Script Info]\nScriptType: v4.00+\n"],
  ["ics", "BEGIN:VCALENDAR\r\n"],
  ["vcf", "BEGIN:VCARD\r\n"],
];

describe("file content", () => {
  it.each(telling)("identifies %s without a name", async (format, content) => {
    expect(await sniffed(content, "upload")).toEqual({
      format,
      toldBy: "content",
      nameDisagrees: false,
      sizeBytes: Buffer.from(content).length,
    });
  });

  it.each(telling.filter(([format]) => !["zip", "gz", "xml", "stl", "jar", "kmz"].includes(format)))(
    "wins over a different name: %s",
    async (format, content) => {
      const name = format === "wav" || format === "rf64" ? "a.pdf" : "a.wav";
      expect(await sniffed(content, name)).toMatchObject({ format, toldBy: "content", nameDisagrees: true });
    },
  );

  it("identifies a package by its local headers when its directory is cut off", async () => {
    const whole = packageOf(`${word}.document.main+xml`);
    expect(await sniffed(whole.subarray(0, whole.length - 90), "a.docx")).toMatchObject({ format: "docx", nameDisagrees: false });
  });

  it("identifies a package whose directory is in ZIP64, as Windows writes XPS", async () => {
    const xps = zipOf(
      { "[Content_Types].xml": '<Types><Default ContentType="application/vnd.ms-package.xps-fixeddocumentsequence+xml"/></Types>' },
      { zip64: true },
    );
    expect((await sniffed(xps, "print.xps")).format).toBe("xps");
  });

  it("does not take a workbook for a document that is embedded in it", async () => {
    const workbook = compoundOf("Workbook", "WordDocument");
    // The second entry is no longer a sibling of the first, as inside another storage.
    workbook.writeUInt32LE(0xffff_ffff, workbook.indexOf(Buffer.from("Workbook", "utf16le")) + 72);
    expect((await sniffed(workbook, "table.xls")).format).toBe("xls");
  });

  it("is read as text in UTF-16", async () => {
    const text = Buffer.from("\ufeff<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "utf16le");
    expect(await sniffed(text, "a.svg")).toMatchObject({ format: "svg", nameDisagrees: false });
  });
});

describe("ambiguous content", () => {
  it.each([
    ["comic.cbz", "cbz", zipOf({ "1.jpg": "x" })],
    ["comic.cbt", "cbt", tarOf("1.jpg")],
    ["maps.zip", "zip", zipOf({ "doc.kml": "<kml/>" })],
    ["mixed.zip", "zip", zipOf({ "b.shp": "x", "b.dbf": "x", "b.docx": "x" })],
    ["book.m4b", "m4b", isoMediaOf("M4A ")],
    ["tone.m4r", "m4r", isoMediaOf("M4A ")],
    ["film.divx", "divx", Buffer.from("RIFF\x20\0\0\0AVI LIST\0\0\0\0", "latin1")],
    ["sound.mka", "mka", ebml("matroska")],
    ["sound.asf", "asf", bytes(`${asf} 00000000 409e69f84d5bcf11a8fd00805f5c442b`)],
    ["old.dot", "dot", compoundOf("WordDocument")],
    ["graph.dot", "gv", "digraph a { b -> c }"],
    ["secret.xlsx", "xlsx", compoundOf("EncryptedPackage", "EncryptionInfo")],
    ["a.docbook", "docbook", '<?xml version="1.0"?><chapter/>'],
    ["a.tar.gz", "tgz", gzipSync("not seen to be a tar")],
    ["picture.png", "apng", pngOf("acTL", "IDAT")],
    ["picture.tga", "tga", bytes("000002000000000000000000 10001000 2000", 1042)],
    ["notes.md", "md", "# Title\n\ntext"],
    ["table.csv", "csv", "a;b\n1;2\n"],
    ["data.json", "json", '{"type":"FeatureCollection","features":[]}'],
    ["data.geojson", "geojson", '{"type":"FeatureCollection","features":[]}'],
    ["book.ipynb", "ipynb", '{"cells":[]}'],
    ["config.yaml", "yaml", "a: 1\n"],
    ["latin.txt", "txt", Buffer.from("caf\xe9 cr\xe8me, na\xefve", "latin1")],
    ["page.html", "html", "just words"],
    ["shape.stl", "stlsub", "$FontName = Arial\n00:00:01:00 , 00:00:02:00 , hi\n"],
  ])("%s is %s", async (name, format, content) => {
    expect(await sniffed(content, name)).toMatchObject({ format, nameDisagrees: false });
  });

  it("is a shapefile if a ZIP contains nothing else", async () => {
    expect(await sniffed(zipOf({ "a/b.shp": "x", "a/b.shx": "x", "a/b.dbf": "x" }), "b.zip")).toMatchObject({ format: "shp" });
  });

  it("is reported as identified by its name", async () => {
    expect(await sniffed("# Title", "notes.md")).toMatchObject({ toldBy: "name" });
  });
});

describe("a file whose name contradicts its content", () => {
  it.each([
    ["tragick.jpg", "txt", "push graphic-context\nviewbox 0 0 640 480\nfill 'url(https://x\"|touch y)'"],
    ["hls.mp4", "txt", "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n"],
    ["hls.avi", "txt", "#EXTM3U\n#EXTINF:1,\nhttp://x/\n"],
    ["concat.mp4", "txt", "ffconcat version 1.0\nfile secret.ts\n"],
    ["sdp.mp4", "txt", "v=0\no=- 0 0 IN IP4 127.0.0.1\n"],
    ["dash.mp4", "xml", '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"/>'],
    ["cal.epub", "txt", "class A(BasicNewsRecipe):\n  pass\n"],
    ["page.pdf", "html", "<!DOCTYPE html><html></html>"],
    ["movie.docx", "mp4", isoMediaOf("isom")],
    ["not-a-zip.odt", "txt", "I am text"],
    ["photo.txt", "png", pngOf("IDAT")],
    ["junk.png", undefined, Buffer.from("\x01\x02\x03\x00 nothing known \xff", "latin1")],
    ["junk.pdf", undefined, Buffer.alloc(1000, 7)],
    ["text.docx", "txt", "hello"],
    ["plan.pgm", "txt", "P5 3 apples and 2 pears"],
  ])("%s is %s", async (name, format, content) => {
    expect(await sniffed(content, name)).toMatchObject({ format, nameDisagrees: true });
  });
});

describe("unidentified content", () => {
  it("is txt if it is text", async () => {
    expect(await sniffed("hello", "noname")).toMatchObject({ format: "txt", nameDisagrees: false });
    expect(await sniffed("#EXTM3U\n", "list.m3u8")).toMatchObject({ format: "txt", nameDisagrees: false });
  });

  it("is unknown if it is not text", async () => {
    expect(await sniffed(Buffer.alloc(500, 3), "noname")).toMatchObject({ format: undefined, nameDisagrees: false });
  });

  it("is identified by name if it is empty", async () => {
    expect(await sniffed("", "a.pdf")).toEqual({ format: "pdf", toldBy: "name", nameDisagrees: false, sizeBytes: 0 });
    expect(await sniffed("", "a")).toMatchObject({ format: undefined });
  });
});

it("accepts an open file handle and leaves it open", async () => {
  const path = join(folder, "handle");
  await writeFile(path, pngOf("IDAT"));
  const handle = await open(path);
  try {
    expect(await sniff(handle, "a.png")).toMatchObject({ format: "png" });
    expect((await handle.stat()).isFile()).toBe(true);
  } finally {
    await handle.close();
  }
});

it("rejects if there is no file", async () => {
  await expect(sniff(join(folder, "none"), "a.png")).rejects.toThrow("ENOENT");
});
