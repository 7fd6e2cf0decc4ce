/** Many into one: order, completeness of the result, and the entry that a failure names. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { joinComicEngine } from "#services/conversion/engines/archives/join-comic.ts";
import { joinHtmlEngine } from "#services/conversion/engines/archives/join-html.ts";
import { joinPdfEngine } from "#services/conversion/engines/archives/join-pdf.ts";
import { joinTiffEngine } from "#services/conversion/engines/archives/join-tiff.ts";
import { type ZipPart, zipFile } from "#test/harness/zip-file.ts";
import { joining } from "#test/services/conversion/engines/archives/joining.ts";
import { pdfOf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";

const run = promisify(execFile);
const said = async (program: string, ...args: readonly string[]) => (await run(program, [...args])).stdout;
const picture = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();

describe("engine join-pdf", () => {
  const { join: made } = joining(joinPdfEngine);

  it("joins PDFs and pictures in natural order, with every page", async () => {
    const { path, notes } = await made(
      [
        { name: "10.pdf", content: pdfOf(["last"]) },
        { name: "2.pdf", content: pdfOf(["first", "second"]) },
        { name: "3.png", content: await picture(30, 20, "red") },
        { name: ".DS_Store", content: "x" },
      ],
      "pdf",
    );
    const pages = (await said("pdftotext", path, "-")).split("\f").slice(0, -1);
    expect(pages.map((page) => page.trim())).toEqual(["first", "second", "", "last"]);
    expect((await run("qpdf", ["--check", path])).stdout).toContain("No syntax or stream encoding errors");
    expect([...notes]).toEqual([]);
  });

  it("follows the list in the archive, and notes what changed in an entry", async () => {
    const turned = await sharp(await picture(30, 20, "red"))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { path, notes } = await made(
      [
        { name: "order.txt", content: "b.pdf\na.pdf\nfoto.png\n" },
        { name: "a.pdf", content: pdfOf(["alpha"]) },
        { name: "b.pdf", content: pdfOf(["beta"]) },
        { name: "c.pdf", content: pdfOf(["not listed"]) },
        { name: "foto.png", content: turned },
      ],
      "pdf",
    );
    const pages = (await said("pdftotext", path, "-")).split("\f").slice(0, -1);
    expect(pages.map((page) => page.trim())).toEqual(["beta", "alpha", ""]);
    expect(notes.get("ENTRIES_LEFT_OUT")).toBe("One file that is not in `order.txt` was left out.");
    expect(notes.get("ENTRIES_CHANGED")).toMatch(/^foto\.png: The file's content does not match its name.* The picture was rotated/);
  });

  it.each([
    ["a damaged picture", { name: "b.png", content: Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1") }, "INVALID_INPUT"],
    ["an empty file", { name: "b.txt", content: "" }, "INVALID_INPUT"],
    ["a file of an unknown format", { name: "b.unheardof", content: Buffer.from([1, 2, 3, 0, 5]) }, "INVALID_INPUT"],
    ["an archive", { name: "b.zip", content: zipFile([{ name: "a.txt", content: "x" }]) }, "INPUT_TOO_COMPLEX"],
    [
      "a file without a route to the target",
      { name: "b.mp3", content: Buffer.from("ID3\x03\0\0\0\0\0\0\xff\xfb\x90\0", "latin1") },
      "UNSUPPORTED_CONVERSION",
    ],
  ])("names the entry that fails: %s", async (_, part, code) => {
    const good = { name: "a.pdf", content: pdfOf(["good"]) };
    await expect(made([good, part], "pdf")).rejects.toMatchObject({ code, message: expect.stringMatching(/^b\.\w+: /) });
  });

  it("asks for the password of a protected entry", async () => {
    const content = await readFile(join(import.meta.dirname, "../../../../corpus/protected/protected.pdf"));
    await expect(made([{ name: "secret.pdf", content }], "pdf")).rejects.toMatchObject({
      code: "PASSWORD_REQUIRED",
      message: expect.stringMatching(/^secret\.pdf: /),
    });
  });
});

describe("engine join-tiff", () => {
  const { join: made } = joining(joinTiffEngine);

  it("keeps every page", async () => {
    const { path } = await made(
      [
        { name: "1.png", content: await picture(30, 20, "red") },
        { name: "2.pdf", content: pdfOf(["one", "two"]) },
      ],
      "tiff",
    );
    expect((await said("identify-im6.q16", "-format", "%w ", path)).trim().split(" ")).toHaveLength(3);
  });
});

describe("engine join-html", () => {
  const { join: made } = joining(joinHtmlEngine);

  it("joins chapters in their order, with pictures between them", async () => {
    const { path } = await made(
      [
        { name: "ch10.md", content: "# Ten\n\nlast words\n" },
        { name: "ch2.md", content: "# Two\n\nfirst words\n" },
        { name: "ch3.png", content: await picture(30, 20, "red") },
      ],
      "html",
    );
    const html = await said("cat", path);
    expect(html.replace(/\s+/g, " ")).toMatch(/first words.*src="data:image\/png;base64,.*last words/);
    expect(html).toMatch(/<img [^>]*alt=""/);
  });
});

describe("chapters with pictures beside them", () => {
  const { join: page } = joining(joinHtmlEngine);
  const { join: print } = joining(joinPdfEngine);
  const book = async (): Promise<readonly ZipPart[]> => [
    { name: "book/2.md", content: "# Two\n\n![one](../img/a%20b.png) and <img src='/img/c.jpg' width=9> and ![gone](lost.png)\n" },
    { name: "book/1.rst", content: "One\n===\n\nfirst\n\n.. image:: own.webp\n" },
    {
      name: "book/own.webp",
      content: await sharp(await picture(20, 30, "blue"))
        .webp()
        .toBuffer(),
    },
    { name: "img/a b.png", content: await picture(30, 20, "red") },
    {
      name: "img/c.jpg",
      content: await sharp(await picture(40, 20, "green"))
        .jpeg()
        .toBuffer(),
    },
    { name: "img/z.png", content: await picture(50, 20, "white") },
  ];

  it("show them in place, and pictures that no chapter shows on their own", async () => {
    const { path, notes } = await page(await book(), "html");
    const html = await readFile(path, "utf8");
    const pictures = [...html.matchAll(/src="data:image\/(\w+);base64,([^"]+)"/g)];
    const seen = pictures.map(([, , data = ""]) => sharp(Buffer.from(data, "base64")).metadata());
    expect((await Promise.all(seen)).map(({ width, height, format }) => `${format} ${width}x${height}`)).toEqual([
      "png 20x30",
      "png 30x20",
      "jpeg 40x20",
      "png 50x20",
    ]);
    // Each title is a heading, even that of a whole chapter, and the first one becomes the book's.
    expect(html.match(/<(title|h1)[^>]*>[^<]*/g)?.map((tag) => tag.replace(/ [^>]*/, ""))).toEqual(["<title>One", "<h1>One", "<h1>Two"]);
    expect(notes.get("ENTRIES_CHANGED")).toBe("book/2.md: One picture was left out.");
  });

  it("are printed with them", async () => {
    const { path } = await print((await book()).slice(0, -1), "pdf");
    const pages = (await said("pdftotext", path, "-")).split("\f").slice(0, -1);
    expect(pages.map((text) => /(One|Two)/.exec(text)?.[1])).toEqual(["One", "Two"]);
    const sizes = (await said("pdfimages", "-list", path))
      .split("\n")
      .slice(2, -1)
      .map((line) => line.trim().split(/\s+/));
    expect(sizes.map(([page, , , width, height]) => `${page}: ${width}x${height}`)).toEqual(["1: 20x30", "2: 30x20", "2: 40x20"]);
  });
});

describe("engine join-comic", () => {
  const { join: made } = joining(joinComicEngine);

  it("keeps the bytes of pages in natural order, and notes files that are not pictures", async () => {
    const [ten, two] = [
      await picture(30, 20, "red"),
      await sharp(await picture(40, 20, "blue"))
        .jpeg()
        .toBuffer(),
    ];
    const info = "<?xml version='1.0'?><ComicInfo><Title>Quokka</Title></ComicInfo>";
    const { path, notes } = await made(
      [
        { name: "c/10.png", content: ten },
        { name: "c/2.jpg", content: two },
        {
          name: "c/3.tiff",
          content: await sharp(await picture(50, 20, "green"))
            .tiff()
            .toBuffer(),
        },
        { name: "c/ComicInfo.xml", content: info },
        { name: "c/read me.txt", content: "hello" },
      ],
      "cbz",
    );
    expect((await said("bsdtar", "-tf", path)).trim().split("\n")).toEqual(["0001.jpg", "0002.png", "0003.png", "ComicInfo.xml"]);
    const member = async (name: string) => (await run("bsdtar", ["-xOf", path, name], { encoding: "buffer" })).stdout;
    expect((await member("0001.jpg")).equals(two)).toBe(true);
    expect((await sharp(await member("0002.png")).metadata()).width).toBe(50);
    expect((await member("0003.png")).equals(ten)).toBe(true);
    expect((await member("ComicInfo.xml")).toString()).toBe(info);
    expect(notes.get("ENTRIES_LEFT_OUT")).toBe("Files that are not pictures were left out: c/read me.txt.");
    await expect(made([{ name: "a.txt", content: "no picture" }], "cbz")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});
