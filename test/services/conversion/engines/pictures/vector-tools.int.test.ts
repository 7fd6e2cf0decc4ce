import { execFile } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { ffmpegStillsEngine } from "#services/conversion/engines/media/ffmpeg-stills.ts";
import { ghostscriptEngine } from "#services/conversion/engines/pdf/ghostscript.ts";
import { tesseractEngine } from "#services/conversion/engines/pdf/tesseract.ts";
import { libtiffEngine } from "#services/conversion/engines/pictures/libtiff.ts";
import { potraceEngine } from "#services/conversion/engines/pictures/potrace.ts";
import { rsvgEngine } from "#services/conversion/engines/pictures/rsvg.ts";
import { byNetpbm, differenceOf, halvesOf, isLightThenDark } from "#test/contract/colours.ts";
import { type Bench, openBench, testEngine } from "#test/contract/engine.ts";
import { readingOf } from "#test/contract/readers.ts";
import { pdfOf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";
import { noise, turnedPng } from "./picture-samples.ts";
import { pixels, rasterSample } from "./raster-samples.ts";

const run = promisify(execFile);
const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="48"><rect width="48" height="48" fill="#fadc28"/><rect x="48" width="48" height="48" fill="#1428d2"/></svg>';
const postscript = `%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 96 48
0.98 0.86 0.16 setrgbcolor 0 0 48 48 rectfill
0.08 0.16 0.82 setrgbcolor 48 0 48 48 rectfill
showpage
%%EOF
`;

async function put(folder: string, name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** A page rendered by MuPDF or Ghostscript, whichever did not write it. */
async function drawn(path: string, format: string): Promise<string> {
  const target = `${path}.drawn.png`;
  if (format === "pdf" || format === "pdfa") await run("pdftoppm", ["-png", "-r", "96", "-singlefile", path, `${path}.drawn`]);
  else await run("gs", ["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dEPSCrop", "-sDEVICE=png16m", `-sOutputFile=${target}`, path]);
  return target;
}

testEngine(rsvgEngine, {
  sample: (format, folder) => put(folder, `drawing.${format}`, format === "svgz" ? gzipSync(drawing) : drawing),
  async check(hop, _reading, path) {
    if (hop.to === "svg") return expect(await readFile(path, "utf8")).toBe(drawing);
    const picture = hop.to === "png" ? path : await drawn(path, hop.to);
    expect(isLightThenDark(await halvesOf(picture, "png"))).toBe(true);
  },
});

testEngine(ghostscriptEngine, {
  sample: (format, folder) => put(folder, `page.${format}`, format === "pdf" ? pdfOf(["Quokka"]) : postscript),
  async check(hop, reading, path) {
    expect(reading.pages).toBe(1);
    if (hop.from === "eps") expect(isLightThenDark(await halvesOf(await drawn(path, "pdf"), "png"))).toBe(true);
    if (hop.from === "pdf") expect((await run("pdftotext", [path, "-"])).stdout).toContain("Quokka");
  },
});

testEngine(potraceEngine, {
  sample: rasterSample,
  async check(hop, _reading, path) {
    if (hop.to === "dxf") return expect((await readFile(path, "latin1")).match(/\bPOLYLINE\b/g)?.length).toBeGreaterThan(0);
    const picture =
      hop.to === "svg" ? await sharp(path).flatten({ background: "#fff" }).png().toBuffer() : await readFile(await drawn(path, "eps"));
    const still = await put(join(path, ".."), `${hop.from}-${hop.to}.png`, picture);
    // Dark areas become black, and the paper shows on the left.
    expect(differenceOf(await halvesOf(still, "png"), { left: [255, 255, 255], right: [0, 0, 0] })).toBeLessThan(12);
  },
});

testEngine(ffmpegStillsEngine, {
  sample: rasterSample,
  async check(hop, _reading, path) {
    if (hop.to === "qoi") return expect((await qoiPixels(path)).equals(pixels)).toBe(true);
    expect(differenceOf(hop.to === "tga" ? await halvesOf(path, "tga", byNetpbm("tgatoppm")) : await halvesOf(path, "png"))).toBeLessThan(
      3,
    );
  },
});

describe("a PNG", () => {
  it.each([2, 3, 6, 8] as const)("of orientation %i is rotated upright", async (orientation) => {
    await using bench = await openBench(ffmpegStillsEngine);
    const stored = join(bench.folder, "stored.png");
    await writeFile(stored, await turnedPng(orientation));
    const { path } = await bench.convert(stored, "png", "qoi");
    const { left, right } = await halvesOf(path, "qoi");
    expect([left[0] > 180, right[2] > 180]).toEqual([true, true]);
  });
});

describe("an APNG", () => {
  it("becomes its first frame, with a note if there are more", async () => {
    await using bench = await openBench(ffmpegStillsEngine);
    const path = join(bench.folder, "moving.apng");
    const frames = ["-f", "lavfi", "-i", "color=red:s=20x10:r=2:d=1", "-f", "lavfi", "-i", "color=blue:s=20x10:r=2:d=1"];
    const joined = ["-filter_complex", "[0][1]concat=n=2", "-f", "apng"];
    await run("ffmpeg", ["-nostdin", "-v", "error", ...frames, ...joined, path]);
    const { path: still, notes } = await bench.convert(path, "apng", "png");
    expect(notes.get("ANIMATION_REDUCED")).toBe("Only frame 1 of 4 was converted.");
    const [red = 0, , blue = 255] = await sharp(still).removeAlpha().raw().toBuffer();
    expect(red > 200 && blue < 60).toBe(true);
  });
});

testEngine(libtiffEngine, {
  sample: rasterSample,
  check: async (_hop, _reading, path) => expect(differenceOf(await halvesOf(await drawn(path, "pdf"), "png"))).toBeLessThan(12),
});

const page =
  '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="200"><rect width="900" height="200" fill="white"/><text x="30" y="80" font-family="DejaVu Sans" font-size="44">Quokka and zebra</text><text x="30" y="150" font-family="DejaVu Sans" font-size="44">live in the picture.</text></svg>';

testEngine(tesseractEngine, {
  async sample(format, folder) {
    const path = join(folder, `page.${format}`);
    await sharp(Buffer.from(page))
      .toFormat(format === "png" ? "png" : "tiff")
      .toFile(path);
    return path;
  },
  check: async (_hop, _reading, path) => expect(await readFile(path, "utf8")).toMatch(/Quokka[\s\S]*zebra[\s\S]*picture/),
});

describe("options", () => {
  const benches: Bench[] = [];
  const benchOf = async (...args: Parameters<typeof openBench>) => {
    const bench = await openBench(...args);
    benches.push(bench);
    return bench;
  };
  afterAll(() => Promise.all(benches.map((bench) => bench[Symbol.asyncDispose]())));
  const widthOf = async (path: string) => Number(/Page size:\s+([\d.]+)/.exec((await run("pdfinfo", [path])).stdout)?.[1]);

  it("of rsvg: density sets the page size; decompression bombs are refused", async () => {
    const bench = await benchOf(rsvgEngine);
    const source = await put(bench.folder, "drawing.svg", drawing);
    expect(await widthOf((await bench.convert(source, "svg", "pdf")).path)).toBe(72);
    expect(await widthOf((await bench.convert(source, "svg", "pdf", { density: 48 })).path)).toBe(144);
    const bomb = await put(bench.folder, "bomb.svgz", gzipSync(Buffer.alloc(60_000_000, 0x20)));
    await expect(bench.convert(bomb, "svgz", "svg")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  });

  it("of ghostscript: PDF/A is declared, EPS cropped and pictures reduced; no other file is read", async () => {
    const bench = await benchOf(ghostscriptEngine);
    const source = await put(bench.folder, "page.pdf", pdfOf(["Quokka"]));
    const archive = await readFile((await bench.convert(source, "pdf", "pdfa")).path, "latin1");
    expect(archive).toMatch(/pdfaid:part="2"/);
    expect(archive).toContain("/OutputIntents");
    const eps = await put(bench.folder, "wide.eps", postscript.replace("0 0 96 48", "0 0 192 96"));
    expect(await widthOf((await bench.convert(eps, "eps", "pdf")).path)).toBe(192);
    expect(await widthOf((await bench.convert(eps, "eps", "pdf", { crop: false })).path)).not.toBe(192);
    // A box that is told at the end was a page of paper, as was one in a file that does not call itself EPS.
    const late = postscript.replace("0 0 96 48", "(atend)").replace("%%EOF", "%%Trailer\n%%BoundingBox: 10 10 82 46\n%%EOF");
    for (const odd of [late, postscript.replace(/ EPSF\S*/, "").replace("0 0 96 48", "10 10 82 46")]) {
      const path = await put(bench.folder, "odd.eps", odd);
      expect(await widthOf((await bench.convert(path, "eps", "pdf")).path)).toBe(72);
    }
    const photo = await noise(300, 300).jpeg({ quality: 90 }).toBuffer();
    const hex = photo.toString("hex");
    const picture = await put(
      bench.folder,
      "photo.ps",
      `%!PS\n72 72 scale /DeviceRGB setcolorspace << /ImageType 1 /Width 300 /Height 300 /BitsPerComponent 8 /Decode [0 1 0 1 0 1] /ImageMatrix [300 0 0 -300 0 300] /DataSource currentfile /ASCIIHexDecode filter /DCTDecode filter >> image\n${hex}>\nshowpage\n`,
    );
    const sizeOf = async (pictures: string) => (await stat((await bench.convert(picture, "ps", "pdf", { pictures })).path)).size;
    expect(await sizeOf("72")).toBeLessThan((await sizeOf("keep")) / 2);
    const thief = await put(bench.folder, "thief.ps", "%!PS\n(/etc/fonts/fonts.conf) (r) file pop showpage\n");
    await expect(bench.convert(thief, "ps", "pdf")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it.each([0, 255])("of potrace: transparent pixels are traced as white (alpha %d)", async (alpha) => {
    const bench = await benchOf(potraceEngine);
    const path = join(bench.folder, "cut.bmp");
    const disc = ["-size", "64x64", `xc:rgba(0,0,0,${alpha / 255})`, "-fill", "black", "-draw", "rectangle 0,0 31,63"];
    await run("convert-im6.q16", [...disc, "-define", "bmp:format=bmp4", path]);
    const traced = await bench.convert(path, "bmp", "svg");
    const { data, info } = await sharp(traced.path)
      .flatten({ background: "#ffffff" })
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const lightAt = (x: number) => data[(32 * info.width + Math.floor(x * info.width)) * info.channels];
    expect([lightAt(0.25), lightAt(0.75)]).toEqual([0, alpha === 0 ? 255 : 0]);
    expect(traced.notes.has("ALPHA_FLATTENED")).toBe(alpha === 0);
  });

  it("of potrace: a picture whose end is missing is called damaged", async () => {
    const bench = await benchOf(potraceEngine);
    const [header, pixels] = [Buffer.from("P5\n60 40\n255\n"), Buffer.alloc(1200)];
    const path = await put(bench.folder, "short.pgm", Buffer.concat([header, pixels]));
    expect((await bench.convert(path, "pgm", "svg")).notes.has("INPUT_DAMAGED")).toBe(true);
  });

  it("of potrace: threshold, invert, speckles and smoothness take effect", async () => {
    const bench = await benchOf(potraceEngine);
    const source = join(bench.folder, "gray.pgm");
    await put(
      bench.folder,
      "gray.pgm",
      Buffer.concat([
        Buffer.from("P5\n60 40\n255\n"),
        Buffer.from(Array.from({ length: 2400 }, (_, index) => (index % 60 < 30 ? 140 : 240))),
      ]),
    );
    const traced = async (options: Record<string, number | boolean>) =>
      readFile((await bench.convert(source, "pgm", "svg", options)).path, "utf8");
    const nothing = await traced({});
    expect(nothing).not.toContain("<path");
    expect(await traced({ threshold: 0.7 })).toContain("<path");
    expect(await traced({ invert: true })).toContain("<path");
    expect(await traced({ threshold: 0.7, speckles: 5000 })).not.toContain("<path");
    await sharp({ create: { width: 60, height: 60, channels: 3, background: "#fff" } })
      .composite([{ input: Buffer.from('<svg width="60" height="60"><circle cx="30" cy="30" r="20"/></svg>') }])
      .toColourspace("b-w")
      .raw()
      .toBuffer()
      .then((data) => put(bench.folder, "round.pgm", Buffer.concat([Buffer.from("P5\n60 60\n255\n"), data.subarray(0, 3600)])));
    const round = join(bench.folder, "round.pgm");
    expect(await readFile((await bench.convert(round, "pgm", "svg")).path, "utf8")).toMatch(/ c/);
    expect(await readFile((await bench.convert(round, "pgm", "svg", { smoothness: 0 })).path, "utf8")).not.toMatch(/c-?\d/);
  });

  it("of libtiff: every page is kept, in the requested size", async () => {
    const bench = await benchOf(libtiffEngine);
    const one = await rasterSample("tiff", bench.folder);
    const many = join(bench.folder, "many.tiff");
    await run("tiffcp", [one, one, one, many]);
    const { path } = await bench.convert(many, "tiff", "pdf");
    expect((await readingOf(path)).pages).toBe(3);
    expect(await widthOf((await bench.convert(many, "tiff", "pdf", { pageSize: "a4" })).path)).toBeCloseTo(595, -1);
  });

  it("of tesseract: segmentation takes effect; unknown languages and blank pages are refused", async () => {
    const bench = await benchOf(tesseractEngine);
    const source = join(bench.folder, "page.png");
    await sharp(Buffer.from(page)).png().toFile(source);
    await expect(bench.convert(source, "png", "txt", { language: "tlh" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
    const sparse = await readFile((await bench.convert(source, "png", "txt", { segmentation: "sparse" })).path, "utf8");
    expect(sparse).not.toBe(await readFile((await bench.convert(source, "png", "txt", { segmentation: "line" })).path, "utf8"));
    const blank = join(bench.folder, "blank.png");
    await sharp({ create: { width: 300, height: 200, channels: 3, background: "#fff" } })
      .png()
      .toFile(blank);
    await expect(bench.convert(blank, "png", "txt")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });
});

/** Decodes according to the specification, as there is no other QOI reader. @see https://qoiformat.org/qoi-specification.pdf */
async function qoiPixels(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  const count = bytes.readUInt32BE(4) * bytes.readUInt32BE(8);
  const seen = Array.from({ length: 64 }, () => [0, 0, 0, 0]);
  const result: number[] = [];
  let [r, g, b, a] = [0, 0, 0, 255];
  let at = 14;
  while (result.length < count * 3) {
    const tag = bytes[at++] ?? 0;
    let times = 1;
    if (tag >= 0xfe) {
      [r, g, b] = [bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0];
      at += 3;
      if (tag === 0xff) a = bytes[at++] ?? 0;
    } else if (tag < 0x40) [r = 0, g = 0, b = 0, a = 0] = seen[tag] ?? [];
    else if (tag < 0x80)
      [r, g, b] = [r + ((tag >> 4) & 3) - 2, g + ((tag >> 2) & 3) - 2, b + (tag & 3) - 2].map((value) => value & 255) as [
        number,
        number,
        number,
      ];
    else if (tag < 0xc0) {
      const green = (tag & 63) - 32;
      const more = bytes[at++] ?? 0;
      [r, g, b] = [r + green - 8 + (more >> 4), g + green, b + green - 8 + (more & 15)].map((value) => value & 255) as [
        number,
        number,
        number,
      ];
    } else times = (tag & 63) + 1;
    seen[(r * 3 + g * 5 + b * 7 + a * 11) % 64] = [r, g, b, a];
    for (; times > 0; times--) result.push(r, g, b);
  }
  return Buffer.from(result);
}
