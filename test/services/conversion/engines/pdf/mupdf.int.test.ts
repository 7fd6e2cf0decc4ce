import { execFile } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { mupdfEngine } from "#services/conversion/engines/pdf/mupdf.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { readingOf } from "#test/contract/readers.ts";
import { halfTransparent, twoColours } from "#test/services/conversion/engines/pictures/picture-samples.ts";
import { rasterSample } from "#test/services/conversion/engines/pictures/raster-samples.ts";
import { pdfOf } from "./pdf-by-hand.ts";

const run = promisify(execFile);
const corpus = (name: string) => fileURLToPath(new URL(`../../../../corpus/${name}`, import.meta.url));

async function textOfPdf(path: string): Promise<string> {
  return (await run("pdftotext", ["-enc", "UTF-8", path, "-"])).stdout;
}

/** The first page, rendered at one pixel per point. */
async function drawnPage(path: string): Promise<Buffer> {
  return (await run("pdftoppm", ["-png", "-r", "72", "-singlefile", path], { encoding: "buffer", maxBuffer: 2 ** 26 })).stdout;
}

async function sample(format: string, folder: string): Promise<string> {
  const path = join(folder, `sample.${format}`);
  switch (format) {
    case "pdf":
      await writeFile(path, pdfOf(["Quokka"]));
      return path;
    case "epub":
      return corpus("markup/book.epub");
    case "mobi":
      return corpus("ebook/book.mobi");
    case "fb2":
      await writeFile(join(folder, "book.md"), "# Quokka\n\nA zebra and a Quokka.\n");
      await run("pandoc", ["--standalone", "-o", path, join(folder, "book.md")]);
      return path;
    case "cbz": {
      await mkdir(join(folder, "pages"), { recursive: true });
      for (const name of ["1.png", "2.png"]) await copyFile(await rasterSample("png", folder), join(folder, "pages", name));
      await run("python3", ["-m", "zipfile", "-c", path, join(folder, "pages", "1.png"), join(folder, "pages", "2.png")]);
      return path;
    }
    case "xps":
      await writeFile(join(folder, "page.pdf"), pdfOf(["Quokka"]));
      await run("gs", ["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=xpswrite", `-sOutputFile=${path}`, join(folder, "page.pdf")]);
      return path;
    default:
      return rasterSample(format, folder);
  }
}

testEngine(mupdfEngine, {
  sample,
  async check(hop, reading, path) {
    if (["epub", "fb2", "mobi"].includes(hop.from)) expect(await textOfPdf(path)).toMatch(/Quokka/);
    if (hop.from === "cbz") expect(reading.pages).toBe(2);
    if (hop.to === "cbz") expect(reading.entries).toHaveLength(1);
    if (hop.from === "xps") expect((await sharp(await drawnPage(path)).stats()).channels[0]?.min).toBeLessThan(100);
  },
});

describe("engine mupdf, in detail", () => {
  const bench = useBench(mupdfEngine);

  async function sizeOf(path: string): Promise<readonly number[]> {
    const { stdout } = await run("pdfinfo", [path]);
    const found = /Page size:\s+([\d.]+) x ([\d.]+)/.exec(stdout);
    return [Math.round(Number(found?.[1])), Math.round(Number(found?.[2]))];
  }

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("rotates a JPEG of orientation %i without re-encoding it", async (orientation) => {
    const source = join(bench.folder, `turned-${orientation}.jpg`);
    const mark = { input: { create: { width: 30, height: 20, channels: 3 as const, background: "#0f0" } }, left: 0, top: 0 };
    const marked = await twoColours(120, 80).png().toBuffer();
    await sharp(marked).composite([mark]).jpeg({ quality: 95 }).withMetadata({ orientation }).toFile(source);
    const { path } = await bench.convert(source, "jpg", "pdf", { density: 72 });
    const wanted = await sharp(source).autoOrient().raw().toBuffer();
    const drawn = await sharp(await drawnPage(path))
      .raw()
      .toBuffer();
    expect(drawn.length).toBe(wanted.length);
    const difference = drawn.reduce((sum, value, index) => sum + Math.abs(value - (wanted[index] ?? 0)), 0) / drawn.length;
    expect(difference).toBeLessThan(4);
    expect((await run("pdfimages", ["-list", path])).stdout).toMatch(/120\s+80\s+(rgb|icc)\s+3\s+8\s+jpeg/);
  });

  it("places pictures by density, page size and margin", async () => {
    const picture = await rasterSample("png", bench.folder);
    expect(await sizeOf((await bench.convert(picture, "png", "pdf")).path)).toEqual([48, 36]);
    expect(await sizeOf((await bench.convert(picture, "png", "pdf", { density: 144 })).path)).toEqual([32, 24]);
    expect(await sizeOf((await bench.convert(picture, "png", "pdf", { pageSize: "a4" })).path)).toEqual([842, 595]);
    const { path } = await bench.convert(picture, "png", "pdf", { margin: 25.4 });
    expect(await sizeOf(path)).toEqual([192, 180]);
    expect(
      (
        await sharp(await drawnPage(path))
          .raw()
          .toBuffer()
      ).subarray(0, 3),
    ).toEqual(Buffer.from([255, 255, 255]));
    const scan = join(bench.folder, "scan.jpg");
    await twoColours(600, 300).jpeg().withMetadata({ density: 300 }).toFile(scan);
    expect(await sizeOf((await bench.convert(scan, "jpg", "pdf")).path)).toEqual([144, 72]);
    for (const format of ["jpg", "png"]) {
      const fax = join(bench.folder, `fax.${format}`);
      await run("convert-im6.q16", ["-size", "600x300", "xc:red", "-units", "PixelsPerInch", "-density", "300x150", fax]);
      expect(await sizeOf((await bench.convert(fax, format, "pdf")).path), "twice the resolution across").toEqual([144, 144]);
    }
  });

  it.each([
    [[58, 58], { density: 300 }, [14, 14]],
    [[1, 1], {}, [1, 1]],
    [[30_000, 24], {}, [14_400, 12]],
  ])("shows a PNG of %j pixels to its edges, on a page that readers show", async ([width = 0, height = 0], options, page) => {
    const source = join(bench.folder, `edge-${width}.png`);
    await sharp({ create: { width, height, channels: 3, background: "#f00" } })
      .png()
      .toFile(source);
    const { path } = await bench.convert(source, "png", "pdf", options);
    expect(await sizeOf(path)).toEqual(page);
  });

  it("a small PNG on a paper size keeps its proportions", async () => {
    const source = join(bench.folder, "small.png");
    await sharp({ create: { width: 16, height: 10, channels: 3, background: "#f00" } })
      .withMetadata({ density: 300 })
      .png()
      .toFile(source);
    const { path } = await bench.convert(source, "png", "pdf", { pageSize: "a4" });
    const { data, info } = await sharp(await drawnPage(path))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const greenAt = (down: number) => data[Math.round(info.height * down) * info.width * info.channels + 1];
    expect([0.03, 0.1, 0.9, 0.97].map(greenAt)).toEqual([255, 0, 0, 255]);
  });

  it("keeps the colours of a JPEG: ICC profiles and inverted CMYK", async () => {
    const wide = join(bench.folder, "wide.jpg");
    await twoColours(120, 80).withIccProfile("p3").jpeg().toFile(wide);
    const { path } = await bench.convert(wide, "jpg", "pdf");
    expect((await run("pdfimages", ["-list", path])).stdout).toMatch(/120\s+80\s+icc\s+3\s+8\s+jpeg/);
    const ink = join(bench.folder, "ink.jpg");
    await twoColours(120, 80).toColourspace("cmyk").jpeg({ quality: 95 }).toFile(ink);
    const print = await drawnPage((await bench.convert(ink, "jpg", "pdf", { density: 72 })).path);
    const [r = 0, g = 0, b = 0] = await sharp(print)
      .extract({ left: 5, top: 5, width: 40, height: 40 })
      .resize(1, 1)
      .removeAlpha()
      .raw()
      .toBuffer();
    expect([r > 150, g < 100, b < 100]).toEqual([true, true, true]);
  });

  it("keeps the colours of a PNG with a colour profile, as sRGB and with a note", async () => {
    const picture = join(bench.folder, "wide.png");
    const create = { width: 60, height: 40, channels: 3 as const, background: "rgb(118, 160, 116)" };
    await sharp(await sharp({ create }).png().toBuffer())
      .withIccProfile("p3", { attach: true })
      .png()
      .toFile(picture);
    const { path, notes } = await bench.convert(picture, "png", "pdf");
    expect([...notes.keys()]).toEqual(["PROFILE_CONVERTED"]);
    const pixel = await sharp(await drawnPage(path))
      .extract({ left: 5, top: 5, width: 1, height: 1 })
      .removeAlpha()
      .raw()
      .toBuffer();
    for (const [at, value] of [118, 160, 116].entries()) expect(Math.abs((pixel[at] ?? 0) - value)).toBeLessThanOrEqual(3);
  });

  it("keeps transparency", async () => {
    const clear = join(bench.folder, "clear.png");
    await halfTransparent().png().toFile(clear);
    expect((await run("pdfimages", ["-list", (await bench.convert(clear, "png", "pdf")).path])).stdout).toContain("smask");
  });

  it("applies page and font size to books", async () => {
    const book = corpus("markup/book.epub");
    expect(await sizeOf((await bench.convert(book, "epub", "pdf", { pageSize: "a4" })).path)).toEqual([595, 842]);
    const [small, large] = [
      await bench.convert(book, "epub", "pdf", { fontSize: 6 }),
      await bench.convert(book, "epub", "pdf", { fontSize: 40 }),
    ];
    expect((await readingOf(large.path)).pages).toBeGreaterThan((await readingOf(small.path)).pages ?? 0);
  });

  it("keeps title and author of a book", async () => {
    const { stdout } = await run("pdfinfo", [(await bench.convert(corpus("markup/book.epub"), "epub", "pdf")).path]);
    expect(stdout).toMatch(/^Title: +Quokka Title$[\s\S]*^Author: +Zebra Author$/m);
  });

  it("keeps every property and the language of a book", async () => {
    const words =
      "<title-info><genre>sf</genre><author><last-name>Зебра</last-name></author><book-title>Книга</book-title><lang>ru</lang></title-info>";
    const description = `<description>${words}<publish-info><publisher>Emu &amp; Sons</publisher><isbn>978-3-16-148410-0</isbn></publish-info></description>`;
    const source = await bench.put(
      "said.fb2",
      `<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0">${description}<body><section><p>A</p></section></body></FictionBook>`,
    );
    const { path } = await bench.convert(source, "fb2", "pdf");
    const { stdout } = await run("pdfinfo", ["-custom", path]);
    expect(stdout.replace(/ {2,}/g, " ")).toBe(
      "Author: Зебра\nISBN: 978-3-16-148410-0\nKeywords: sf\nPublisher: Emu & Sons\nTitle: Книга\n",
    );
    expect((await run("qpdf", ["--json", path])).stdout).toContain('"/Lang": "u:ru"');
  });

  it("converts the requested pages at the requested resolution", async () => {
    const source = join(bench.folder, "three.pdf");
    await writeFile(source, pdfOf(["Quokka", "zebra", "giraffe"]));
    const pictures = await bench.convert(source, "pdf", "cbz", { pages: "1,3", dpi: 36 });
    const fine = await bench.convert(source, "pdf", "cbz", { pages: "1", dpi: 144 });
    expect((await readingOf(pictures.path)).entries).toHaveLength(2);
    const widthOf = async (path: string) => {
      const { stdout } = await run("unzip", ["-p", path], { encoding: "buffer" });
      return stdout.readUInt32BE(16);
    };
    expect([await widthOf(pictures.path), await widthOf(fine.path)]).toEqual([100, 400]);
  });
});
