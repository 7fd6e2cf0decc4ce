/** Colour spaces of pictures, with charts that Pillow reads back. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { ffmpegStillsEngine } from "#services/conversion/engines/media/ffmpeg-stills.ts";
import { imagemagickEngine } from "#services/conversion/engines/pictures/imagemagick.ts";
import { libheifEngine } from "#services/conversion/engines/pictures/libheif.ts";
import { libjxlEngine } from "#services/conversion/engines/pictures/libjxl.ts";
import { sharpEngine } from "#services/conversion/engines/pictures/sharp.ts";
import { byPillow, differenceOf, type Halves, halvesOf } from "#test/contract/colours.ts";
import { useBench } from "#test/contract/engine.ts";
import {
  chart,
  each,
  floats,
  height,
  hybrid,
  numbers,
  perceptual,
  png,
  pngOf,
  samplesOf,
  screen,
  tiff,
  value,
  wide,
  wider,
  width,
} from "./colour-charts.ts";
import { withColourNumbers } from "./turned-heic.ts";

const run = promisify(execFile);

const benches = {
  sharp: useBench(sharpEngine),
  magick: useBench(imagemagickEngine),
  heif: useBench(libheifEngine),
  jxl: useBench(libjxlEngine),
  stills: useBench(ffmpegStillsEngine),
};

/** Distance of a result from the chart, in levels of 255. */
const errorOf = async (path: string, to: string): Promise<number> => differenceOf(await halvesOf(path, to, byPillow), chart);
const linear = png(samplesOf(each((share) => share)), ["gAMA", numbers(100_000)]);
const inP3 = png(samplesOf(wide(wider.p3, value)), ["cICP", Buffer.from([12, 13, 0, 1])]);
const bright = png(samplesOf(wide(wider.bt2020, perceptual)), ["cICP", Buffer.from([9, 16, 0, 1])]);

describe("colours that a PNG declares by numbers", () => {
  const corners = numbers(31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000);
  const power = png(samplesOf(wide(wider.p3, (share) => share ** (1 / 2.2))), ["gAMA", numbers(45_455)], ["cHRM", corners]);
  it.each([
    ["gAMA of light", linear],
    ["gAMA with cHRM", power],
    ["cICP of Display P3", inP3],
    ["cICP of PQ", bright],
    ["cICP of HLG", png(samplesOf(wide(wider.bt2020, hybrid)), ["cICP", Buffer.from([9, 18, 0, 1])])],
  ])("are converted to sRGB: %s", async (_, bytes) => {
    const { path, notes } = await benches.sharp.convert(await benches.sharp.given(bytes, "png"), "png", "jpg", { quality: 95 });
    expect(notes.has("PROFILE_CONVERTED")).toBe(true);
    expect(await errorOf(path, "jpg")).toBeLessThan(8);
  });

  it("are converted to sRGB for every tool besides libvips", async () => {
    for (const [bench, to] of [
      [benches.stills, "tga"],
      [benches.magick, "bmp"],
    ] as const) {
      const { path, notes } = await bench.convert(await benches.sharp.given(inP3, "png"), "png", to);
      expect([...notes.keys()].sort(), to).toEqual(["MEDIA_CHANGED", "PROFILE_CONVERTED"]);
      expect(await errorOf(path, to), to).toBeLessThan(4);
    }
    const heic = await benches.heif.convert(await benches.sharp.given(inP3, "png"), "png", "heic", { quality: 95 });
    const back = await benches.heif.convert(heic.path, "heic", "png", { profile: "srgb" });
    expect(await errorOf(back.path, "png")).toBeLessThan(8);
  });

  it("stay unchanged if they are sRGB", async () => {
    const { notes } = await benches.sharp.convert(await benches.sharp.given(png(screen, ["gAMA", numbers(45_455)]), "png"), "png", "tiff");
    expect([...notes.keys()]).toEqual([]);
  });
});

describe("an ICC profile", () => {
  const eight = sharp(png(screen)).toColourspace("srgb").png();

  it("of a 16-bit picture is converted to sRGB", async () => {
    const marked = await sharp(await eight.clone().toBuffer())
      .withIccProfile("p3")
      .png()
      .toBuffer();
    const { icc = Buffer.alloc(0) } = await sharp(marked).metadata();
    const profile = Buffer.concat([Buffer.from("p3\0\0"), deflateSync(icc)]);
    const deep = await benches.sharp.given(png(samplesOf(wide(wider.p3, value)), ["iCCP", profile]), "png");
    for (const to of ["jpg", "tiff"]) {
      const { path, notes } = await benches.sharp.convert(deep, "png", to, to === "jpg" ? { quality: 95 } : {});
      expect(notes.has("PROFILE_CONVERTED"), to).toBe(true);
      expect(await errorOf(path, to), to).toBeLessThan(8);
    }
  });

  it("of a PNG is converted to sRGB for Targa", async () => {
    const marked = await sharp(await eight.clone().toBuffer())
      .withIccProfile("p3")
      .png()
      .toBuffer();
    const { path, notes } = await benches.stills.convert(await benches.sharp.given(marked, "png"), "png", "tga");
    expect(notes.has("PROFILE_CONVERTED")).toBe(true);
    expect(await errorOf(path, "tga")).toBeLessThan(4);
  });
});

describe("high dynamic range", () => {
  it("of a HEIC and a JPEG XL is mapped to the standard range", async () => {
    const source = await benches.sharp.given(bright, "png");
    await run("heif-enc", ["-q", "95", "-p", "chroma=444", "-o", `${source}.heic`, source]);
    const heic = await benches.sharp.given(withColourNumbers(await readFile(`${source}.heic`), 9, 16), "heic");
    const still = await benches.heif.convert(heic, "heic", "jpg", { quality: 95 });
    expect(still.notes.get("PROFILE_CONVERTED")).toContain("dynamic range");
    expect(await errorOf(still.path, "jpg")).toBeLessThan(14);
    await run("cjxl", [source, `${source}.jxl`, "-d", "0", "-x", "color_space=RGB_D65_202_Rel_PeQ"]);
    const other = await benches.jxl.convert(`${source}.jxl`, "jxl", "jpg", { quality: 95 });
    expect(await errorOf(other.path, "jpg")).toBeLessThan(8);
  });
});

describe("samples of a TIFF", () => {
  const grey = screen.filter((_, index) => index % 3 === 1);
  const greyChart: Halves = { left: [120, 120, 120], right: [110, 110, 110] };
  it.each([
    ["floating point up to 1", tiff(floats(screen), { bits: 32, kind: 3, photometric: 2, channels: 3 }), chart],
    ["floating-point grey up to 1", tiff(floats(grey), { bits: 32, kind: 3, photometric: 1, channels: 1 }), greyChart],
    [
      "32 bits",
      tiff(Buffer.from(new Uint32Array(screen.map((share) => share * (2 ** 32 - 1))).buffer), {
        bits: 32,
        kind: 1,
        photometric: 2,
        channels: 3,
      }),
      chart,
    ],
  ])("of %s become 16 bits, with a note", async (_, bytes, wanted) => {
    for (const to of ["png", "jpg"]) {
      const { path, notes } = await benches.sharp.convert(await benches.sharp.given(bytes, "tiff"), "tiff", to);
      expect(notes.get("MEDIA_CHANGED"), to).toMatch(/^Samples of .+ became ones of 16 bits/);
      const found = await sharp(path).toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
      const at = (x: number) => [...found.data.subarray((8 * width + x) * found.info.channels).subarray(0, 3)] as unknown as Halves["left"];
      expect(differenceOf({ left: at(8), right: at(24) }, wanted), to).toBeLessThan(8);
    }
  });

  it("with a sign are scaled to the range in use", async () => {
    const bytes = tiff(Buffer.from(new Int16Array(grey.map((share) => share * 65_535 - 32_768)).buffer), {
      ...{ bits: 16, kind: 2, photometric: 1, channels: 1 },
    });
    const made = await benches.sharp.convert(await benches.sharp.given(bytes, "tiff"), "tiff", "png");
    const greys = await sharp(made.path).toColourspace("b-w").raw().toBuffer();
    expect([greys[8], greys[24]]).toEqual([255, 0]);
    expect(made.notes.get("MEDIA_CHANGED")).toMatch(/, -4\d+ as black and -1\d+ as white\.$/);
  });
});

describe("a Photoshop file", () => {
  /** No layers, raw planes. @see Adobe Photoshop File Formats Specification */
  function photoshop(planes: Buffer, mode: number, channels: number, bits: number, profile?: Buffer): Buffer {
    const head = Buffer.alloc(26);
    head.write("8BPS\0\x01", "latin1");
    head.writeUInt16BE(channels, 12);
    head.writeUInt32BE(height, 14);
    head.writeUInt32BE(width, 18);
    head.writeUInt16BE(bits, 22);
    head.writeUInt16BE(mode, 24);
    const resource =
      profile === undefined
        ? []
        : [Buffer.from("8BIM\x04\x0f\0\0", "latin1"), numbers(profile.length), profile, Buffer.alloc(profile.length % 2)];
    const resources = Buffer.concat(resource);
    return Buffer.concat([head, numbers(0, resources.length), resources, numbers(0), Buffer.alloc(2), planes]);
  }

  it("of 32 bits keeps its brightness in 16 bits", async () => {
    const lights = samplesOf(each((share) => share));
    const planes = Buffer.alloc(lights.length * 4);
    for (const [index, share] of lights.entries()) planes.writeFloatBE(share, ((index % 3) * width * height + Math.floor(index / 3)) * 4);
    const file = await benches.sharp.given(photoshop(planes, 3, 3, 32), "psd");
    for (const to of ["png", "tiff"]) {
      const { path, notes } = await benches.magick.convert(file, "psd", to);
      expect(notes.get("MEDIA_CHANGED")).toBe("Colours have 16 bits instead of 32.");
      expect((await sharp(path).metadata()).depth, to).toBe("ushort");
      expect(await errorOf(path, to), to).toBeLessThan(2);
    }
  });

  it("in CMYK is converted by its profile", async () => {
    const ink = sharp(png(screen)).toColourspace("cmyk").withIccProfile("cmyk");
    const jpeg = await ink.clone().jpeg({ quality: 100, chromaSubsampling: "4:4:4" }).toBuffer();
    const { icc } = await sharp(jpeg).metadata();
    const inks = await sharp(jpeg).pipelineColourspace("cmyk").toColourspace("cmyk").raw().toBuffer();
    const planes = Buffer.alloc(inks.length);
    for (const [index, amount] of inks.entries()) planes[(index % 4) * width * height + Math.floor(index / 4)] = 255 - amount;
    const { path, notes } = await benches.magick.convert(await benches.sharp.given(photoshop(planes, 4, 4, 8, icc), "psd"), "psd", "png");
    expect(notes.has("PROFILE_CONVERTED")).toBe(true);
    const other = await benches.sharp.convert(await benches.sharp.given(jpeg, "jpg"), "jpg", "png");
    expect(differenceOf(await halvesOf(path, "png", byPillow), await halvesOf(other.path, "png", byPillow))).toBeLessThan(6);
  });
});

describe("transparency in HEIC", () => {
  it.each([
    [
      "a palette",
      pngOf(
        Buffer.alloc((width + 1) * height, Buffer.from([0])),
        [8, 3],
        ["PLTE", Buffer.from([200, 120, 60])],
        ["tRNS", Buffer.from([0])],
      ),
    ],
    ["one grey", pngOf(Buffer.alloc((width + 1) * height), [8, 0], ["tRNS", Buffer.from([0, 0])])],
    ["one colour", pngOf(Buffer.alloc((width * 3 + 1) * height), [8, 2], ["tRNS", Buffer.alloc(6)])],
  ])("is kept from %s of a PNG", async (_, bytes) => {
    const { path } = await benches.heif.convert(await benches.sharp.given(bytes, "png"), "png", "heic");
    await run("heif-convert", [path, `${path}.png`]);
    const { data, info } = await sharp(`${path}.png`).raw().toBuffer({ resolveWithObject: true });
    expect([info.channels, data[info.channels - 1]]).toEqual([4, 0]);
  });
});

it.each([0, 255, 128])("notes only the loss of partial transparency in GIF (alpha %d)", async (alpha) => {
  const source = await benches.sharp.given(
    pngOf(Buffer.alloc((width * 4 + 1) * height, Buffer.from([0, ...Buffer.alloc(width * 4, alpha)])), [8, 6]),
    "png",
  );
  const { notes } = await benches.sharp.convert(source, "png", "gif");
  expect(notes.has("ALPHA_FLATTENED")).toBe(alpha === 128);
});

it.each([
  ["nothing", undefined, 72],
  ["the shape of pixels", [1, 0], 72],
  ["300", [11_811, 1], 300],
] as const)("writes the resolution to Photoshop files of a source that states %s", async (_, stated, expected) => {
  const [side = 0, unit = 0] = stated ?? [];
  const printed = png(screen, ["pHYs", Buffer.concat([numbers(side, side), Buffer.from([unit])])]);
  const source = await benches.magick.given(stated === undefined ? png(screen) : printed, "png");
  const bytes = await readFile((await benches.magick.convert(source, "png", "psd")).path);
  // The resource with the resolution. @see Adobe Photoshop File Formats Specification
  expect(Math.round(bytes.readUInt32BE(bytes.indexOf("8BIM\x03\xed", 0, "latin1") + 12) / 65_536)).toBe(expected);
});

it("notes when 16 bits are reduced", async () => {
  const deep = await benches.sharp.given(png(screen), "png");
  for (const [to, bits] of [
    ["jpg", 8],
    ["webp", 8],
    ["avif", 10],
  ] as const) {
    const { path, notes } = await benches.sharp.convert(deep, "png", to);
    expect(notes.get("MEDIA_CHANGED"), to).toBe(`Colours have ${bits} bits instead of 16.`);
    expect((await sharp(path).metadata()).bitsPerSample ?? 8, to).toBe(bits);
  }
});
