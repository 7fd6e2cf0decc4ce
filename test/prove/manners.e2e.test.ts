/**
 * What every conversion has to preserve, on routes of the whole product and read by other programs: see corpus/make/manners.py for the files.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { read, utils } from "@e965/xlsx";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { framesOf, type Pixels, readingsOf } from "./readers/pixels.ts";
import { textFrom } from "./readers/program.ts";
import { squeezed, textOf } from "./readers/words.ts";
import { type KnownFile, kindOf } from "./samples.ts";

const odd = join(import.meta.dirname, "../corpus/odd");

let server: TestServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-manners-"));
  server = await startServer();
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

type Result = KnownFile & { readonly notes: readonly string[] };

async function converted(name: string, to: string, options = ""): Promise<Result> {
  const headers = { authorization: `Bearer ${server.key}` };
  const body = new FormData();
  body.set("to", to);
  body.set("file", new Blob([new Uint8Array(await readFile(join(odd, name)))]), name);
  const answer = await fetch(`${server.url}/api/v1/convert${options}`, { method: "POST", body, headers });
  const { job: accepted, error } = JSON.parse(await answer.text());
  expect([answer.ok, error?.message], `${name} as ${to}`).toEqual([true, undefined]);
  const job = await doneOf(accepted.id, headers);
  const path = join(folder, `${name}.${to}`);
  await writeFile(path, new Uint8Array(await (await fetch(job.download, { headers })).arrayBuffer()));
  return { path, format: to, kind: kindOf(to), notes: job.notes.map(({ code }) => code) };
}

/** Waits for the job to finish, since a video is converted after the answer. */
async function doneOf(id: string, headers: Readonly<Record<string, string>>): Promise<Job> {
  const ask = async (): Promise<Job> => JSON.parse(await (await fetch(`${server.url}/api/v1/jobs/${id}`, { headers })).text()).job;
  await expect.poll(async () => (await ask()).status, { timeout: 90_000 }).toBe("done");
  return ask();
}

type Job = { readonly status: string; readonly download: string; readonly notes: readonly { readonly code: string }[] };

async function pixelsOf(file: KnownFile): Promise<Pixels> {
  for await (const pixels of readingsOf(file)) return pixels;
  throw new Error(`nobody reads ${file.format}`);
}

/** Red, green, blue and alpha, if any, at fractions of width and height; in sRGB, as a screen shows them. */
async function colourAt({ picture, width, height }: Pixels, x: number, y: number): Promise<readonly number[]> {
  const { data, info } = await sharp(picture).toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(y * height) * width + Math.floor(x * width)) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}

function expectColour(found: readonly number[], wanted: readonly number[], what: string): void {
  for (const [channel, value] of wanted.entries()) {
    expect(Math.abs((found[channel] ?? 0) - value), `${what}: ${found.join(" ")} for ${wanted.join(" ")}`).toBeLessThan(32);
  }
}

const [red, green, blue, yellow] = [
  [220, 30, 30],
  [30, 180, 30],
  [30, 30, 220],
  [230, 220, 30],
] as const;

describe("orientation", () => {
  it.each("png webp avif tiff gif bmp heic jxl jp2 pdf".split(" "))("is applied for all eight values in %s", async (to) => {
    for (let value = 1; value <= 8; value++) {
      const pixels = await pixelsOf(await converted(`turned-${value}.jpg`, to));
      const what = `orientation ${value} as ${to}`;
      expect(pixels.width / pixels.height, what).toBeCloseTo(1.5, 1);
      for (const [x, y, wanted] of [
        [0.2, 0.2, red],
        [0.8, 0.2, green],
        [0.2, 0.8, blue],
        [0.8, 0.8, yellow],
      ] as const) {
        expectColour(await colourAt(pixels, x, y), wanted, what);
      }
    }
  });
});

describe("transparency", () => {
  it.each("webp avif tiff gif jxl ico".split(" "))("is kept by %s", async (to) => {
    const pixels = await pixelsOf(await converted("clear.png", to));
    const { channels } = await sharp(pixels.picture).metadata();
    expect(channels).toBe(4);
    expect((await colourAt(pixels, 0.75, 0.5))[3]).toBe(0);
    expect((await colourAt(pixels, 0.25, 0.5))[3]).toBe(255);
  });

  it.each("jpg ppm".split(" "))("is flattened onto white in %s, with a note", async (to) => {
    const made = await converted("clear.png", to);
    const pixels = await pixelsOf(made);
    expectColour(await colourAt(pixels, 0.75, 0.5), [255, 255, 255], to);
    expectColour(await colourAt(pixels, 0.25, 0.5), red, to);
    expect(made.notes).toContain("ALPHA_FLATTENED");
  });
});

describe("animation", () => {
  it.each("webp apng".split(" "))("is kept by %s", async (to) => {
    const made = await converted("moving.gif", to);
    expect(await framesOf(made)).toBe(3);
    expect(made.notes).not.toContain("ANIMATION_REDUCED");
  });

  it("becomes a video of the same duration", async () => {
    const { path } = await converted("moving.gif", "mp4");
    const seconds = Number(await textFrom("ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path));
    expect(Math.abs(seconds - 0.6)).toBeLessThan(0.15);
  });

  it.each("png jpg".split(" "))("is reduced to a still by %s, with a note", async (to) => {
    const made = await converted("moving.gif", to);
    expect(made.notes).toContain("ANIMATION_REDUCED");
    expectColour(await colourAt(await pixelsOf(made), 0.5, 0.5), red, to);
  });
});

describe("colour profiles", () => {
  it.each("jpg webp tiff avif gif bmp heic".split(" "))("of wide gamut are kept or converted to sRGB by %s", async (to) => {
    const made = await converted("wide.png", to);
    // sharp applies an embedded profile; without one, the values must be sRGB.
    const shown = await sharp(await readFileAs(made))
      .toColourspace("srgb")
      .withIccProfile("srgb")
      .png()
      .toBuffer();
    expectColour(await colourAt({ reader: "sharp", width: 48, height: 48, picture: shown }, 0.5, 0.5), [255, 0, 0], to);
  });

  it.each("png webp gif bmp".split(" "))("for CMYK are converted to RGB by %s", async (to) => {
    const [r = 0, g = 0, b = 0] = await colourAt(await pixelsOf(await converted("inks.jpg", to)), 0.5, 0.5);
    expect(r, `${r} ${g} ${b}`).toBeGreaterThan(180);
    expect(Math.max(g, b), `${r} ${g} ${b}`).toBeLessThan(90);
  });
});

/** Files that sharp does not read, as PNG with their profile. */
async function readFileAs(file: KnownFile): Promise<Buffer> {
  if (["jpg", "webp", "tiff", "avif", "gif"].includes(file.format)) return readFile(file.path);
  return (await pixelsOf(file)).picture;
}

describe("text", () => {
  const line = squeezed("Ünïcødé Quokka café €");

  it.each([
    ["utf16.txt", "pdf"],
    ["utf16.txt", "docx"],
    ["utf16-big.csv", "json"],
    ["utf16-big.csv", "xlsx"],
    ["windows.txt", "pdf"],
    ["windows.txt", "html"],
    ["windows.csv", "json"],
    ["windows.csv", "ods"],
  ])("keeps every character of %s as %s, with a note on a guessed encoding", async (name, to) => {
    const made = await converted(name, to);
    expect(squeezed((await textOf(made)).text)).toContain(line);
    if (name.startsWith("windows")) expect(made.notes).toContain("ENCODING_GUESSED");
  });

  it.each("pdf docx odt html epub".split(" "))("in right-to-left and East Asian scripts is kept and rendered in %s", async (to) => {
    const made = await converted("scripts.md", to);
    const found = squeezed((await textOf(made)).text);
    const missing = ["שלום עולם", "مرحبا بالعالم", "日本語の文書", "한국어 문서", "中文文档"].filter(
      (words) => !found.includes(squeezed(words)),
    );
    expect(missing).toEqual([]);
    // A font that lacks a character is embedded with only a box.
    if (to === "pdf") expect((await textFrom("pdffonts", made.path)).split("\n").length).toBeGreaterThan(4);
  });
});

describe("CSV formulas", () => {
  it.each("xlsx ods xls json".split(" "))("stay text in %s", async (to) => {
    const made = await converted("formulas.csv", to);
    if (to === "json")
      return expect(JSON.parse(await readFile(made.path, "utf8"))[0]).toEqual({
        name: "=1+1",
        value: '=HYPERLINK("http://zebra.example")',
      });
    const book = read(await readFile(made.path), { cellFormula: true });
    const cells = Object.entries(book.Sheets[book.SheetNames[0] ?? ""] ?? {}).filter(([name]) => !name.startsWith("!"));
    expect(cells.filter(([, cell]) => cell.f !== undefined)).toEqual([]);
    const rows: string[][] = utils.sheet_to_json(book.Sheets[book.SheetNames[0] ?? ""] ?? {}, { header: 1, raw: true });
    expect(rows.flat().map(String)).toEqual(
      expect.arrayContaining(["=1+1", "+2+3", "-4+5", "@SUM(A1:A2)", '=HYPERLINK("http://zebra.example")']),
    );
  });
});
