import { execFile } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { profileOf } from "#services/conversion/engines/pictures/icc-profile.mjs";
import { libheifEngine } from "#services/conversion/engines/pictures/libheif.ts";
import { byFfmpeg, byGraphicsMagick, differenceOf, halvesOf } from "#test/contract/colours.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { photo } from "#test/contract/options/samples.ts";
import { halfTransparent, noise } from "./picture-samples.ts";
import { rasterSample } from "./raster-samples.ts";
import { withRotation } from "./turned-heic.ts";

const run = promisify(execFile);

async function heic(source: string, folder: string): Promise<string> {
  const path = join(folder, "sample.heic");
  await run("/usr/bin/convert-im6.q16", [source, `heic:${path}`]);
  return path;
}

testEngine(libheifEngine, {
  sample: async (format, folder) =>
    format === "heic" ? heic(await rasterSample("png", folder), folder) : await rasterSample(format, folder),
  async check(hop, _reading, path) {
    expect(differenceOf(await halvesOf(path, hop.to, hop.to === "heic" ? byGraphicsMagick : byFfmpeg))).toBeLessThan(12);
  },
});

describe("engine libheif, in detail", () => {
  const bench = useBench(libheifEngine);
  let rough: string;
  beforeAll(async () => {
    rough = join(bench.folder, "noise.png");
    await noise(160, 120).png().toFile(rough);
  });
  const bytesOf = async (path: string) => (await stat(path)).size;

  it("keeps the resolution of a PNG, in EXIF", async () => {
    const printed = join(bench.folder, "printed.png");
    await run("convert-im6.q16", ["-size", "64x64", "xc:teal", "-units", "PixelsPerInch", "-density", "240", `png24:${printed}`]);
    const { path, notes } = await bench.convert(printed, "png", "heic");
    expect(notes.has("MEDIA_CHANGED")).toBe(false);
    expect((await run("exiftool", ["-s3", "-XResolution", path])).stdout.trim()).toBe("240");
  });

  it("converts greys with a profile to sRGB, because readers refuse such a profile beside colours", async () => {
    const [grey, profile, back] = ["grey.png", "grey.icc", "grey-again.png"].map((name) => join(bench.folder, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(
      profile,
      profileOf({ name: "grey", primaries: [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329], lightOf: (value) => value, isGrey: true }),
    );
    await run("convert-im6.q16", ["-size", "64x64", "xc:gray(50%)", "-colorspace", "Gray", "-depth", "8", "-profile", profile, grey]);
    const { path } = await bench.convert(grey, "png", "heic");
    await run("heif-convert", [path, back]);
    // Half of the light is 188 of 255 in sRGB.
    expect((await sharp(back).stats()).channels[0]?.mean).toBeCloseTo(188, -1);
  });

  it("names the bits that a JPEG lacks", async () => {
    const deep = join(bench.folder, "deep.png");
    await run("convert-im6.q16", ["-size", "64x64", "gradient:red-blue", "-depth", "16", `png48:${deep}`]);
    const ten = join(bench.folder, "ten.heic");
    await run("heif-enc", ["-b", "10", "-o", ten, deep]);
    expect((await bench.convert(ten, "heic", "jpg")).notes.get("MEDIA_CHANGED")).toBe("Colours have 8 bits instead of 10.");
    expect((await bench.convert(await heic(rough, bench.folder), "heic", "jpg")).notes.has("MEDIA_CHANGED")).toBe(false);
  });

  it("applies quality and effort", async () => {
    const coarse = await bytesOf((await bench.convert(rough, "png", "heic", { quality: 20 })).path);
    const fine = await bytesOf((await bench.convert(rough, "png", "heic", { quality: 90 })).path);
    expect(coarse).toBeLessThan(fine / 2);
    const hurried = await bytesOf((await bench.convert(rough, "png", "heic", { effort: "ultrafast" })).path);
    expect(await bytesOf((await bench.convert(rough, "png", "heic", { effort: "medium" })).path)).not.toBe(hurried);
    const sample = await heic(rough, bench.folder);
    const small = await bytesOf((await bench.convert(sample, "heic", "jpg", { quality: 20 })).path);
    expect(small).toBeLessThan(await bytesOf((await bench.convert(sample, "heic", "jpg", { quality: 95 })).path));
  });

  it("embeds a photo in a PDF as JPEG, with its ICC profile", async () => {
    const source = join(bench.folder, "wide.png");
    await noise(160, 120).withIccProfile("p3").png().toFile(source);
    const { path: taken } = await bench.convert(source, "png", "heic");
    const { path, notes } = await bench.convert(taken, "heic", "pdf", { density: 72, pageSize: "fit" });
    expect((await run("pdfimages", ["-list", path])).stdout).toMatch(/160\s+120\s+icc\s+3\s+8\s+jpeg/);
    expect((await run("pdfinfo", [path])).stdout).toMatch(/Page size: +160 x 120 pts/);
    expect([...notes.keys()]).toEqual([]);
  });

  it("keeps transparency in PNG and flattens it for JPEG", async () => {
    const source = join(bench.folder, "clear.png");
    await writeFile(source, await halfTransparent().png().toBuffer());
    const { path } = await bench.convert(source, "png", "heic");
    const back = await bench.convert(path, "heic", "png");
    expect((await run("ffprobe", ["-v", "error", "-show_entries", "stream=pix_fmt", "-of", "csv=p=0", back.path])).stdout.trim()).toBe(
      "rgba",
    );
    expect((await bench.convert(path, "heic", "jpg")).notes.has("ALPHA_FLATTENED")).toBe(true);
  });

  it.each([
    ["of eight bits through JPEG", 8, "yuv420p"],
    ["of ten bits through PNG", 10, "yuv420p10"],
  ])("shrinks a HEIC %s without losing colours", async (_way, bits) => {
    const [source, path, direct] = [
      join(bench.folder, "plain.png"),
      join(bench.folder, `bits-${bits}.heic`),
      join(bench.folder, "direct.png"),
    ];
    const picture = `-v error -y -f lavfi -i testsrc2=size=320x240 -frames:v 1 -pix_fmt ${bits === 10 ? "rgb48be" : "rgb24"}`;
    await run("ffmpeg", [...picture.split(" "), source]);
    await run("/usr/bin/heif-enc", ["-q", "95", "-b", String(bits), "-o", path, source]);
    await run("/usr/bin/heif-convert", ["--quiet", path, direct]);
    const { path: made } = await bench.convert(path, "heic", "png", { width: 100 });
    const wanted = await sharp(direct).resize(100).toColourspace("srgb").raw().toBuffer();
    const found = await sharp(made).toColourspace("srgb").raw().toBuffer();
    expect(found.length).toBe(wanted.length);
    expect(wanted.reduce((sum, value, at) => sum + Math.abs(value - (found[at] ?? 0)), 0) / wanted.length).toBeLessThan(0.6);
    expect((await sharp(made).metadata()).depth).toBe(bits === 10 ? "ushort" : "uchar");
  });

  it("refuses a truncated picture", async () => {
    const cut = join(bench.folder, "cut.heic");
    await run("sh", ["-c", 'head -c 300 "$1" > "$2"', "sh", await heic(rough, bench.folder), cut]);
    await expect(bench.convert(cut, "heic", "png")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  /** As a JPEG, in which ImageMagick honours the orientation. */
  async function uprightCorners(orientation: number): Promise<readonly string[]> {
    const path = join(bench.folder, `upright-${orientation}.jpg`);
    await quarters().withMetadata({ orientation }).jpeg({ quality: 100 }).toFile(path);
    return await cornersOf(path, "-auto-orient");
  }

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("rotates a PNG of orientation %i, as HEIC readers ignore EXIF", async (orientation) => {
    const source = join(bench.folder, `turned-${orientation}.png`);
    await quarters().withMetadata({ orientation }).png().toFile(source);
    const { path, notes } = await bench.convert(source, "png", "heic", { quality: 95 });
    expect(notes.has("ORIENTATION_APPLIED")).toBe(orientation > 1);
    expect(await cornersOf(path)).toEqual(await uprightCorners(orientation));
  });

  it.each([
    [6, 3, "jpg"],
    [3, 2, "png"],
    [8, 1, "jpg"],
    [6, 3, "png"],
  ] as const)("rotates a phone's picture of orientation %i only once, despite its EXIF", async (orientation, turns, to) => {
    const lying = join(bench.folder, "lying.png");
    await quarters().withMetadata({ orientation }).png().toFile(lying);
    await run("heif-enc", ["-q", "95", lying, "-o", join(bench.folder, "lying.heic")]);
    const source = join(bench.folder, "phone.heic");
    await writeFile(source, withRotation(await readFile(join(bench.folder, "lying.heic")), turns));
    for (const options of [{}, { width: 24, enlarge: true }]) {
      const { path } = await bench.convert(source, "heic", to, options);
      expect(await cornersOf(path, "-auto-orient")).toEqual(await uprightCorners(orientation));
      expect((await sharp(path).metadata()).orientation ?? 1).toBe(1);
    }
  });

  it("converts the main picture of several, also if it is not the first", async () => {
    const names = ["wide", "tall"].map((name) => join(bench.folder, `${name}.png`));
    for (const [place, name] of names.entries())
      await noise(64 / (place + 1), 48)
        .png()
        .toFile(name);
    const source = join(bench.folder, "several.heic");
    await run("heif-enc", [...names, "-o", source]);
    const [, last = "0"] = /.*\(id=(\d+)/s.exec((await run("heif-info", [source])).stdout) ?? [];
    const bytes = await readFile(source);
    bytes.writeUInt16BE(Number(last), bytes.indexOf("pitm") + 8);
    await writeFile(source, bytes);
    const { path, notes } = await bench.convert(source, "heic", "png");
    expect((await sharp(path).metadata()).width).toBe(32);
    expect([...notes]).toEqual([["PAGES_LEFT_OUT", "Only the main one of 2 pictures was converted."]]);
  });

  it("resizes a HEIC, and keeps its author unless metadata is to be stripped", async () => {
    const source = join(bench.folder, "photo.heic");
    await photo(source, bench.folder);
    const small = await bench.convert(source, "heic", "heic", { width: 32 });
    expect((await run("identify-im6.q16", ["-format", "%wx%h", small.path])).stdout).toBe("32x24");
    expect((await readFile(small.path)).includes("Quokka")).toBe(true);
    const stripped = await bench.convert(source, "heic", "heic", { metadata: "strip" });
    expect((await readFile(stripped.path)).includes("Quokka")).toBe(false);
  });
});

/** Red, green, blue and white, so that every rotation and reflection looks different. */
function quarters() {
  const [width, height] = [64, 48];
  const colours = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 255],
  ] as const;
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at++) {
    pixels.set(colours[(at % width < width / 2 ? 0 : 1) + (at < (width * height) / 2 ? 0 : 2)] ?? [], at * 3);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** Whether it is in portrait format, and the colours in its corners, according to ImageMagick. */
async function cornersOf(path: string, ...operators: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run("convert-im6.q16", [path, ...operators, "-format", "%[fx:w<h] ", "-write", "info:", ...corner], {
    encoding: "buffer",
  });
  const [stands = "", pixels = Buffer.alloc(0)] = [stdout.toString("latin1", 0, 2), stdout.subarray(2)];
  return [stands, ...Array.from(pixels, (value) => (value > 128 ? "1" : "0"))];
}
const corner = "-filter point -resize 2x2! -depth 8 rgb:-".split(" ");
