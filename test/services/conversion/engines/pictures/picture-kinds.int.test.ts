import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { ffmpegStillsEngine } from "#services/conversion/engines/media/ffmpeg-stills.ts";
import { imagemagickEngine, imagemagickExrEngine } from "#services/conversion/engines/pictures/imagemagick.ts";
import { libjxlEngine } from "#services/conversion/engines/pictures/libjxl.ts";
import { sharpEngine } from "#services/conversion/engines/pictures/sharp.ts";
import { failureOfCut } from "#services/conversion/engines/pictures/sharp-failures.mjs";
import { isCutOff } from "#services/conversion/engines/pictures/sharp-headers.mjs";
import { openBench, useBench } from "#test/contract/engine.ts";
import { height, pngOf, width } from "./colour-charts.ts";
import { noise } from "./picture-samples.ts";
import { exrOf } from "./raster-samples.ts";

const benches = { magick: useBench(imagemagickEngine), jxl: useBench(libjxlEngine), stills: useBench(ffmpegStillsEngine) };

/** The first pixels, as red, green, blue and alpha. */
async function pixelsOf(path: string, pixels: number): Promise<readonly number[]> {
  const { data } = await sharp(path).toColourspace("srgb").ensureAlpha().raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
  return [...data.subarray(0, pixels * 4)];
}

/** Rows of a PNG, 32 by 16 pixels of as many bits; the first of each row is white, the second black. */
const greyRows = (bits: number): Buffer => {
  const row = Buffer.alloc(1 + (width * bits) / 8);
  row[1] = bits === 8 ? 255 : (0xff << (8 - bits)) & 0xff;
  return Buffer.concat(Array(height).fill(row));
};

describe("greys of few bits", () => {
  it.each([1, 2, 4])("of %d keep their brightness through JPEG XL", async (bits) => {
    const made = await benches.jxl.convert(await benches.magick.given(pngOf(greyRows(bits), [bits, 0]), "png"), "png", "jxl", {
      lossless: true,
    });
    for (const to of ["png", "jpg"]) {
      const { path } = await benches.jxl.convert(made.path, "jxl", to);
      const [white = 0, , , , black = 255] = await pixelsOf(path, 2);
      expect([white > 200, black < 60], to).toEqual([true, true]);
    }
  });

  it.each([
    ["tga", 1],
    ["tga", 4],
    ["qoi", 2],
  ] as const)("keep their transparent one in %s", async (to, bits) => {
    const keyed = pngOf(greyRows(bits), [bits, 0], ["tRNS", Buffer.from([0, 0])]);
    const made = await benches.stills.convert(await benches.magick.given(keyed, "png"), "png", to);
    const { path } = await benches.stills.convert(made.path, to, "png");
    expect(await pixelsOf(path, 2)).toEqual([255, 255, 255, 255, 0, 0, 0, 0]);
  });
});

it.each([
  ["no alpha declared and all bytes zero", 0x20, 0, 255],
  ["no alpha declared, but there is some", 0x20, 128, 128],
  ["alpha declared and all transparent", 0x28, 0, 0],
] as const)("reads a Targa of 32 bits: %s", async (_, described, alpha, expected) => {
  const head = Buffer.from([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 32, described]);
  const pixels = Buffer.from(Array(4).fill([10, 20, 200, alpha]).flat());
  const { path } = await benches.stills.convert(await benches.magick.given(Buffer.concat([head, pixels]), "tga"), "tga", "png");
  expect(await pixelsOf(path, 1)).toEqual([200, 20, 10, expected]);
});

describe("an icon with several pictures of one size", () => {
  /** 16 by 16, bottom-up. @see BITMAPINFOHEADER, with the mask counted in its height */
  function pictureOf(bits: number, palette: Buffer, pixels: Buffer): Buffer {
    const head = Buffer.alloc(40);
    for (const [at, value] of [
      [0, 40],
      [4, 16],
      [8, 32],
    ] as const)
      head.writeUInt32LE(value, at);
    head.writeUInt16LE(1, 12);
    head.writeUInt16LE(bits, 14);
    return Buffer.concat([head, palette, pixels, Buffer.alloc(16 * 4)]);
  }

  it("gives the one with the most colours, even if it is not the first", async () => {
    const poor = pictureOf(8, Buffer.alloc(1024, 60), Buffer.alloc(256));
    const rich = pictureOf(32, Buffer.alloc(0), Buffer.from(Array.from({ length: 256 }, (_, index) => [index, 20, 200, 255]).flat()));
    const head = Buffer.from([0, 0, 1, 0, 2, 0]);
    let at = 6 + 2 * 16;
    const entries = [poor, rich].map((picture) => {
      const entry = Buffer.from([16, 16, 0, 0, 1, 0, picture === rich ? 32 : 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
      entry.writeUInt32LE(picture.length, 8);
      entry.writeUInt32LE(at, 12);
      at += picture.length;
      return entry;
    });
    const { path } = await benches.magick.convert(
      await benches.magick.given(Buffer.concat([head, ...entries, poor, rich]), "ico"),
      "ico",
      "png",
    );
    expect(await pixelsOf(path, 1)).toEqual([200, 20, 240, 255]);
  });
});

it("writes palettes to PSD as colours, and reads a PSD with a palette", async () => {
  const source = await benches.magick.given(
    await sharp({ create: { width: 4, height: 4, channels: 3, background: "#c86432" } })
      .png({ palette: true })
      .toBuffer(),
    "png",
  );
  const written = await benches.magick.convert(source, "png", "psd");
  const { path } = await benches.magick.convert(written.path, "psd", "png");
  expect((await pixelsOf(path, 1)).slice(0, 3)).toEqual([200, 100, 50]);
  const head = Buffer.from([...Buffer.from("8BPS\0\x01", "latin1"), 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 8, 0, 2]);
  const palette = Buffer.alloc(768);
  for (const [ink, value] of [200, 100, 50].entries()) palette[ink * 256 + 1] = value;
  const indexed = await benches.magick.given(
    Buffer.concat([head, Buffer.from([0, 0, 3, 0]), palette, Buffer.alloc(10), Buffer.from([0, 1])]),
    "psd",
  );
  const { path: read } = await benches.magick.convert(indexed, "psd", "png");
  expect((await pixelsOf(read, 2)).slice(0, 8)).toEqual([0, 0, 0, 255, 200, 100, 50, 255]);
});

/** On a canvas of 32 by 16, frames of one pixel, the later ones to the right, or of all 256 colours. @see GIF89a */
function gifOf(frames: number, disposal: number, isFull = false): Buffer {
  const number = (value: number) => [value & 255, value >> 8];
  const head = [...Buffer.from("GIF89a"), ...number(32), ...number(16), 0xf7, 0, 0];
  const palette = Array.from({ length: 256 }, (_, index) => [index, 200, 0]).flat();
  const codes = isFull ? Array.from({ length: 128 }, (_, index) => [256, index * 2, index * 2 + 1]).flat() : [256, 255];
  const bits = [...codes, 257].reduce((sum, code, at) => sum | (BigInt(code) << BigInt(9 * at)), 0n);
  const data = Buffer.from(bits.toString(16).padStart(Math.ceil(((codes.length + 1) * 9) / 8) * 2, "0"), "hex").reverse();
  const blocks = [0, 255, 510].flatMap((at) => (at < data.length ? [Math.min(255, data.length - at), ...data.subarray(at, at + 255)] : []));
  const frame = (index: number) => [
    ...[0x21, 0xf9, 4, disposal << 2, 9, 0, 0, 0],
    ...[0x2c, ...number(index), 0, 0, ...number(isFull ? 16 : 1), ...number(isFull ? 16 : 1), 0, 8, ...blocks, 0],
  ];
  return Buffer.from([...head, ...palette, ...Array.from({ length: frames }, (_, index) => frame(index)).flat(), 0x3b]);
}

it("leaves transparent what a GIF's frames leave uncovered, or notes that it cannot", async () => {
  await using bench = await openBench(sharpEngine);
  for (const [frames, disposal, to] of [
    [1, 0, "png"],
    [2, 2, "webp"],
    [2, 1, "webp"],
  ] as const) {
    const { path, notes } = await bench.convert(
      await benches.magick.given(gifOf(frames, disposal), "gif"),
      "gif",
      to,
      to === "webp" ? { lossless: true } : {},
    );
    const { data } = await sharp(path, { animated: true }).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    const last = (frames - 1) * 32 * 16 * 4;
    expect([...data.subarray(last, last + 12)], `${frames} ${disposal}`).toEqual(
      [
        [255, 200, 0, 255, 0, 0, 0, 0],
        [0, 0, 0, 0, 255, 200, 0, 255],
        [255, 200, 0, 255, 255, 200, 0, 255],
      ][frames === 1 ? 0 : disposal === 2 ? 1 : 2]?.concat([0, 0, 0, 0]),
    );
    expect(notes.has("MEDIA_CHANGED")).toBe(false);
  }
  const full = await bench.convert(await benches.magick.given(gifOf(1, 0, true), "gif"), "gif", "png");
  expect([...full.notes.keys()]).toEqual(["MEDIA_CHANGED"]);
});

it("refuses an OpenEXR with channels in layers only", async () => {
  await using bench = await openBench(imagemagickExrEngine);
  await expect(bench.convert(await benches.magick.given(exrOf({ "diffuse.R": 1 }), "exr"), "exr", "png")).rejects.toMatchObject({
    code: "CONVERSION_FAILED",
  });
  const { path } = await bench.convert(await benches.magick.given(exrOf({ Y: 1 }), "exr"), "exr", "png");
  expect(await pixelsOf(path, 1)).toEqual([255, 255, 255, 255]);
});

it("names the depth, layers and other primaries of an OpenEXR that PNG has no room for", async () => {
  await using bench = await openBench(imagemagickExrEngine);
  const noteOf = async (exr: Buffer) =>
    (await bench.convert(await benches.magick.given(exr, "exr"), "exr", "png")).notes.get("MEDIA_CHANGED");
  expect(await noteOf(exrOf({ B: 0.5, G: 0.5, R: 0.5 }))).toBeUndefined();
  expect(await noteOf(exrOf({ B: 0.5, G: 0.5, R: 0.5, Z: 9, "diffuse.R": 1 }))).toBe("Left out: Z, diffuse.R.");
  const xyz = [1, 0, 0, 1, 0, 0, 1 / 3, 1 / 3];
  expect(await noteOf(exrOf({ B: 0.5, G: 0.5, R: 0.5 }, xyz))).toBe("Colours of other primaries were taken for those of sRGB.");
});

it("divides OpenEXR's colours by their alpha, multiplies them again, and notes values that became full brightness", async () => {
  await using bench = await openBench(imagemagickExrEngine);
  const light = 0.2158605;
  const half = await bench.convert(await benches.magick.given(exrOf({ A: 0.5, B: 0, G: light / 2, R: 0.5 * 0.4 }), "exr"), "exr", "png");
  expect(await pixelsOf(half.path, 1)).toEqual([170, 128, 0, 128]);
  expect([...half.notes.keys()]).toEqual([]);
  const again = await bench.convert((await bench.convert(half.path, "png", "exr")).path, "exr", "png");
  expect(await pixelsOf(again.path, 1)).toEqual([170, 128, 0, 128]);
  const bright = await bench.convert(await benches.magick.given(exrOf({ B: 0, G: light, R: 5 }), "exr"), "exr", "png");
  expect(await pixelsOf(bright.path, 1)).toEqual([255, 128, 0, 255]);
  expect([...bright.notes.keys()]).toEqual(["MEDIA_CHANGED"]);
});

it("notes pixels of PNG and JPEG that become square, and no conversion of a broken profile", async () => {
  await using bench = await openBench(sharpEngine);
  const notesOf = async (bytes: Buffer, from: string, to: string) => [
    ...(await bench.convert(await benches.magick.given(bytes, from), from, to)).notes.keys(),
  ];
  const oblong = pngOf(greyRows(8), [8, 0], ["pHYs", Buffer.from([0, 0, 0, 2, 0, 0, 0, 1, 0])]);
  const jpg = await noise(90, 70).withIccProfile("p3").jpeg().toBuffer();
  const jfif = (across: number, down: number) =>
    Buffer.concat([
      jpg.subarray(0, 2),
      Buffer.from([0xff, 0xe0, 0, 16, ...Buffer.from("JFIF\0\x01\x01\0"), 0, across, 0, down, 0, 0]),
      jpg.subarray(2),
    ]);
  expect(await notesOf(oblong, "png", "webp")).toEqual(["MEDIA_CHANGED"]);
  expect(await notesOf(jfif(2, 1), "jpg", "webp")).toEqual(["MEDIA_CHANGED", "PROFILE_CONVERTED"]);
  const profileAt = jpg.indexOf("ICC_PROFILE\0") + 14;
  for (const [start, end] of [
    [36, 40],
    [128, 300],
  ] as const) {
    const broken = jfif(1, 1).fill(0, 18 + profileAt + start, 18 + profileAt + end);
    expect(await notesOf(broken, "jpg", "png"), `${start}`).toEqual([]);
  }
});

it.each(["jp2", "dds", "bmp", "pcx"])("notes pixels that become square in %s, unless it says so itself", async (to) => {
  const oblong = pngOf(greyRows(8), [8, 0], ["pHYs", Buffer.from([0, 0, 0, 2, 0, 0, 0, 1, 0])]);
  const { notes } = await benches.magick.convert(await benches.magick.given(oblong, "png"), "png", to);
  const square = "Pixels are square now; they were 0.50 times as wide as high.";
  expect(notes.get("MEDIA_CHANGED")).toBe(/bmp|pcx/.test(to) ? undefined : square);
});

it("blames a truncated JPEG even if libvips lost its reader's message", async () => {
  const jpg = await noise(90, 70).jpeg().toBuffer();
  const lost = new Error("vips2png: unable to write to target target");
  const codeOf = (bytes: Buffer): string => failureOfCut(lost, isCutOff("jpg", bytes)).code;
  expect([jpg.subarray(0, -300), jpg.subarray(0, -2)].map(codeOf)).toEqual(["INVALID_INPUT", "INVALID_INPUT"]);
  expect([jpg, Buffer.concat([jpg, Buffer.alloc(9000)])].map(codeOf)).toEqual(["CONVERSION_FAILED", "CONVERSION_FAILED"]);
});
