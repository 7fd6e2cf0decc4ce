/** What a new user tries on the first day, over HTTP and on the command line: a scan, photos, joining files, a web page. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { startServer } from "#test/harness/server.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { pdfOf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";

const run = promisify(execFile);
const script = fileURLToPath(new URL("../../gateway/setup/filemill.mjs", import.meta.url));
const server = opened(startServer);
let folder: string;
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-newcomer-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A single request, as curl sends it: the answer is the result, however long it takes. */
async function ask(name: string, file: Uint8Array, to: string, options: Readonly<Record<string, string>> = {}): Promise<Buffer> {
  const form = new FormData();
  form.set("to", to);
  form.set("file", new File([Buffer.from(file)], name));
  const query = new URLSearchParams({ download: "wait", ...options });
  const headers = { authorization: `Bearer ${server.key}` };
  const answer = await fetch(`${server.url}/api/v1/convert?${query}`, { method: "POST", body: form, headers });
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(answer.status, answer.headers.get("content-type")?.startsWith("application/json") ? bytes.toString() : "").toBe(200);
  return bytes;
}

/** Runs the command in the folder with the files. */
async function filemill(...words: readonly string[]): Promise<void> {
  const env = { PATH: process.env.PATH, INIT_CWD: folder, FILEMILL_SERVER: server.url, FILEMILL_API_KEY: server.key };
  await run(process.execPath, [script, ...words], { cwd: folder, env });
}

const textOf = async (path: string): Promise<string> => (await run("pdftotext", [path, "-"])).stdout;
const pagesOf = async (path: string): Promise<readonly string[]> => (await textOf(path)).split("\f").slice(0, -1);

describe("a scan", () => {
  const options = { ocr: "auto", optimise: "ebook", language: "eng" };

  /** Small sheets of paper at 200 dpi, in colour and with scanner grain. */
  async function writeScan(path: string): Promise<void> {
    const sheets: string[] = [];
    for (const [index, word] of ["Quokka", "Zebra"].entries()) {
      const lines = Array.from(
        { length: 12 },
        (_, line) => `<text x="120" y="${230 + line * 60}">${word} and ${line + 2} other animals</text>`,
      );
      const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="1165" height="1654" font-family="DejaVu Serif" font-size="38">${lines.join("")}</svg>`;
      const grain = {
        width: 1165,
        height: 1654,
        channels: 3,
        background: "white",
        noise: { type: "gaussian", mean: 240, sigma: 6 },
      } as const;
      sheets.push(at(`sheet-${index}.jpg`));
      await sharp({ create: grain })
        .composite([{ input: Buffer.from(drawing) }])
        .jpeg({ quality: 95 })
        .withDensity(200)
        .toFile(sheets.at(-1) ?? "");
    }
    await run("/usr/bin/python3", ["-c", fromJpegs, path, ...sheets]);
  }

  async function expectSearchable(path: string, before: number): Promise<void> {
    const pages = await pagesOf(path);
    expect(pages.map((text) => /(Quokka|Zebra) and \d+ other animals/.exec(text)?.[1])).toEqual(["Quokka", "Zebra"]);
    expect((await stat(path)).size).toBeLessThan(before / 3);
    expect((await run("qpdf", ["--check", path])).stdout).toContain("No syntax or stream encoding errors");
  }

  it("becomes searchable and less than a third of its size", async () => {
    await writeScan(at("scan.pdf"));
    const { size } = await stat(at("scan.pdf"));
    expect((await textOf(at("scan.pdf"))).trim()).toBe("");
    await writeFile(at("asked.pdf"), await ask("scan.pdf", await readFile(at("scan.pdf")), "pdf", options));
    await expectSearchable(at("asked.pdf"), size);
    await filemill("convert", "scan.pdf", "told.pdf", ...Object.entries(options).flatMap(([name, value]) => ["--opt", `${name}=${value}`]));
    await expectSearchable(at("told.pdf"), size);
  });
});

/** Unchanged JPEGs, one per page. */
const fromJpegs = `
import sys, pikepdf
from PIL import Image
pdf = pikepdf.new()
for path in sys.argv[2:]:
    width, height = Image.open(path).size
    picture = pikepdf.Stream(pdf, open(path, "rb").read(), Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Image, Width=width, Height=height,
        ColorSpace=pikepdf.Name.DeviceRGB, BitsPerComponent=8, Filter=pikepdf.Name.DCTDecode)
    page = pdf.add_blank_page(page_size=(width * 72 / 200, height * 72 / 200))
    page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(A=picture))
    page.Contents = pikepdf.Stream(pdf, b"q %f 0 0 %f 0 0 cm /A Do Q" % (width * 72 / 200, height * 72 / 200))
pdf.save(sys.argv[1])
`;

describe("a folder of photos", () => {
  it("is resized, each photo in its own format", async () => {
    await mkdir(at("photos/holiday"), { recursive: true });
    const photo = sharp({ create: { width: 800, height: 600, channels: 3, background: "teal" } });
    for (const name of ["a.jpg", "b.png", "holiday/c.webp"]) await photo.clone().toFile(at(`photos/${name}`));
    await filemill("convert", "photos/a.jpg", "photos/holiday", "--out-dir", "small", "--to", "jpg", "--opt", "width=200");
    expect((await readdir(at("small"))).sort()).toEqual(["a.jpg", "c.jpg"]);
    const resized = [
      await readFile(at("small/a.jpg")),
      await readFile(at("small/c.jpg")),
      await ask("b.png", await readFile(at("photos/b.png")), "png", { width: "200" }),
    ];
    const seen = await Promise.all(resized.map((bytes) => sharp(bytes).metadata()));
    expect(seen.map(({ format, width, height }) => `${format} ${width}x${height}`)).toEqual([
      "jpeg 200x150",
      "jpeg 200x150",
      "png 200x150",
    ]);
  });
});

describe("several files", () => {
  it("become one PDF, and chapters with a picture become a book", async () => {
    const picture = await sharp({ create: { width: 90, height: 60, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    const files = [
      { name: "1.pdf", content: pdfOf(["alpha", "beta"]) },
      { name: "2.png", content: picture },
      { name: "3.txt", content: "gamma" },
      { name: "4.html", content: "<!DOCTYPE html><p>delta" },
      { name: "10.csv", content: "name,age\nepsilon,7\n" },
    ];
    for (const { name, content } of files) await writeFile(at(name), content);
    const wanted = ["alpha", "beta", undefined, "gamma", "delta", "epsilon"];
    const words = (pages: readonly string[]) => pages.map((text) => /alpha|beta|gamma|delta|epsilon/.exec(text)?.[0]);
    await writeFile(at("asked-one.pdf"), await ask("files.zip", zipFile(files), "pdf"));
    expect(words(await pagesOf(at("asked-one.pdf")))).toEqual(wanted);
    await filemill("join", ...files.map(({ name }) => name), "told-one.pdf");
    expect(words(await pagesOf(at("told-one.pdf")))).toEqual(wanted);

    const chapters = zipFile([
      { name: "ch1.md", content: "# One\n\nzeta ![a](img/a.png)\n" },
      { name: "ch2.md", content: "# Two\n\neta\n" },
      { name: "img/a.png", content: picture },
    ]);
    for (const [to, kind] of [
      ["epub", /\.(png|jpe?g)$/m],
      ["docx", /^word\/media\/.*\.png$/m],
    ] as const) {
      await writeFile(at(`book.${to}`), await ask("book.zip", chapters, to));
      expect((await run("bsdtar", ["-tf", at(`book.${to}`)])).stdout).toMatch(kind);
    }
  });
});

describe("a web page", () => {
  it("is printed as displayed", async () => {
    const cell = (word: string) => `<div style="background:#fadc28">${word}</div>`;
    const page = `<!DOCTYPE html><meta charset="utf-8"><title>Numbat</title><style>@page { size: A5 landscape } main { display: grid; grid-template-columns: 1fr 1fr 1fr }</style><main>${["one", "two", "three"].map(cell).join("")}</main>`;
    await writeFile(at("page.html"), page);
    await writeFile(at("asked-page.pdf"), await ask("page.html", Buffer.from(page), "pdf"));
    await filemill("convert", "page.html", "told-page.pdf");
    for (const name of ["asked-page.pdf", "told-page.pdf"]) {
      // Three grid columns form one line.
      expect((await run("pdftotext", ["-layout", at(name), "-"])).stdout).toMatch(/^\s*one\s+two\s+three\s*$/m);
      expect((await run("pdfinfo", [at(name)])).stdout).toMatch(/Page size:\s+59[45]\S* x (419|420)/);
    }
  });
});
