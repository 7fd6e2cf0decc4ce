import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sniffed, sniff } from "#formats/sniff/sniff.ts";
import { bytes, compoundOf, isoMediaOf, packageOf, pngOf, tarOf, zipOf } from "./fixtures.ts";
import { asf, ebml, telling, word } from "./telling-content.ts";

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

  it("tells a sent message with related parts from a saved page", async () => {
    const related = "MIME-Version: 1.0\r\nSubject: x\r\nContent-Type: multipart/related; boundary=b\r\n\r\n";
    expect((await sniffed(`From: <Saved by Blink>\r\n${related}--b\r\n\r\nTo: all`, "a.msg")).format).toBe("mhtml");
    expect((await sniffed(`Received: by x.example\r\n${related}`, "a.msg")).format).toBe("eml");
  });

  it("identifies SYLK with the line ends of old Macs", async () => {
    expect(await sniffed("ID;PWXL;N;E\rP;PGeneral\rE\r", "a.slk")).toMatchObject({ format: "slk", toldBy: "content" });
  });

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
    ["setup.exe", "zip", Buffer.concat([Buffer.from("MZ".padEnd(999)), zipOf({ a: "x" })])],
    ["single.zip", "zip", Buffer.concat([Buffer.from("PK00"), zipOf({ a: "x" })])],
    ["comic.cbz", "cbz", zipOf({ "1.jpg": "x" })],
    ["comic.cbt", "cbt", tarOf("1.jpg")],
    ["maps.zip", "zip", zipOf({ "doc.kml": "<kml/>" })],
    ["mixed.zip", "zip", zipOf({ "b.shp": "x", "b.dbf": "x", "b.docx": "x" })],
    ["book.m4b", "m4b", isoMediaOf("M4A ")],
    ["tone.m4r", "m4r", isoMediaOf("M4A ")],
    ["song.aif", "aifc", Buffer.from("FORM\0\0\0\x20AIFCFVER", "latin1")],
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
