import { execFile } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { srgbProfile } from "#services/conversion/engines/pictures/icc-profile.mjs";
import { imagemagickEngine, imagemagickExrEngine } from "#services/conversion/engines/pictures/imagemagick.ts";
import {
  byFfmpeg,
  byFfmpegFromLight,
  byGraphicsMagick,
  byPillow,
  differenceOf,
  halvesOf,
  isLightThenDark,
  type PictureReader,
} from "#test/contract/colours.ts";
import { type ContractOptions, testEngine, useBench } from "#test/contract/engine.ts";
import { readingOf } from "#test/contract/readers.ts";
import { chart } from "./colour-charts.ts";
import { halfTransparent, noise, red, turnedPng, twoColours } from "./picture-samples.ts";
import { rasterSample } from "./raster-samples.ts";

const readers: Readonly<Record<string, PictureReader>> = {
  ...Object.fromEntries(["wbmp", "pict", "fits", "miff", "viff", "vicar", "mtv", "avs", "dcx", "jng"].map((id) => [id, byGraphicsMagick])),
  psd: byPillow,
  exr: byFfmpegFromLight,
};
const withoutColours = new Set(["pgm", "pbm", "xbm", "wbmp", "fits", "vicar"]);

const contract: ContractOptions = {
  sample: rasterSample,
  async check(hop, _reading, path) {
    const halves = await halvesOf(path, hop.to, readers[hop.to] ?? byFfmpeg);
    expect(isLightThenDark(halves), JSON.stringify(halves)).toBe(true);
    if (!withoutColours.has(hop.from) && !withoutColours.has(hop.to)) expect(differenceOf(halves)).toBeLessThan(12);
  },
};
testEngine(imagemagickEngine, contract);
testEngine(imagemagickExrEngine, contract);

describe("engine imagemagick, in detail", () => {
  const bench = useBench(imagemagickEngine);
  let picture: string;
  beforeAll(async () => {
    picture = await rasterSample("png", bench.folder);
  });
  const bytesOf = async (path: string) => (await stat(path)).size;

  it("writes icons in the usual sizes or in one, and reads the largest", async () => {
    const written = await bench.convert(picture, "png", "ico");
    const icon = await readFile(written.path);
    expect(icon.readUInt16LE(4)).toBe(4);
    expect(written.notes.has("MEDIA_CHANGED")).toBe(false);
    const large = await bench.given(await noise(100, 70).png().toBuffer(), "png");
    const told = (await bench.convert(large, "png", "ico")).notes.get("MEDIA_CHANGED");
    expect(told).toBe("The picture was made smaller: the largest in the icon has 64 by 64 pixels.");
    expect([...Array(4).keys()].map((index) => icon[6 + 16 * index])).toEqual([64, 48, 32, 16]);
    const single = await readFile((await bench.convert(picture, "png", "ico", { size: 24 })).path);
    expect([single.readUInt16LE(4), single[6], single[7]]).toEqual([1, 24, 24]);
    const back = await bench.convert((await bench.convert(picture, "png", "ico")).path, "ico", "png");
    expect(await sharp(back.path).metadata()).toMatchObject({ width: 64, height: 64 });
    expect([...back.notes]).toEqual([["PAGES_LEFT_OUT", "Only the largest of 4 pictures was converted."]]);
  });

  it("reads a Lab TIFF by its values, whatever profile it has", async () => {
    const [profile, lab] = [join(bench.folder, "other.icc"), join(bench.folder, "lab.tif")];
    await writeFile(profile, Buffer.from(srgbProfile().toString("latin1").replaceAll("sRGB", "mine"), "latin1"));
    // Pillow's Lab has the white that TIFF demands.
    const program = `import sys
from PIL import Image, ImageCms
source = Image.new("RGB", (32, 16), (200, 120, 60))
source.paste((60, 110, 190), (16, 0, 32, 16))
lab = ImageCms.profileToProfile(source, ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), outputMode="LAB")
lab.save(sys.argv[2], icc_profile=open(sys.argv[1], "rb").read())`;
    await promisify(execFile)("/usr/bin/python3", ["-c", program, profile, lab]);
    const { path, notes } = await bench.convert(lab, "tiff", "bmp");
    const halves = await halvesOf(path, "bmp", byFfmpeg);
    expect(differenceOf(halves, chart), JSON.stringify(halves)).toBeLessThan(4);
    expect(notes.has("PROFILE_CONVERTED")).toBe(true);
  });

  // Windows ignores alpha values if all are zero; the picture was invisible.
  it.each(["ico", "cur"])("takes the transparency of an %s from its mask if nothing else states any", async (from) => {
    const path = join(bench.folder, `masked.${from}`);
    const bitmap = Buffer.alloc(40 + 2 * 4 + 4);
    for (const [at, value] of [
      [0, 40],
      [4, 2],
      [8, 2],
      [12, 0x20_0001],
      [40, 0xff_00_00],
      [44, 0xff_00],
      [48, 0x40],
    ] as const)
      bitmap.writeUInt32LE(value, at);
    const head = Buffer.from([0, 0, from === "ico" ? 1 : 2, 0, 1, 0, 2, 1, 0, 0, 1, 0, 32, 0, bitmap.length, 0, 0, 0, 22, 0, 0, 0]);
    await writeFile(path, Buffer.concat([head, bitmap]));
    const made = await sharp((await bench.convert(path, from, "png")).path)
      .ensureAlpha()
      .raw()
      .toBuffer();
    expect([[...made.subarray(0, 4)], made[7]]).toEqual([[255, 0, 0, 255], 0]);
  });

  it.each(["ras", "wbmp"])("keeps %s at 8 bits, as tiff2pdf and heif-enc refuse more", async (from) => {
    const { path } = await bench.convert(await rasterSample(from, bench.folder), from, "png");
    expect((await sharp(path).metadata()).depth).toBe("uchar");
  });

  it("applies dither, compression and quality", async () => {
    const gray = join(bench.folder, "gray.png");
    await sharp({ create: { width: 64, height: 48, channels: 3, background: "#b0b0b0" } })
      .png()
      .toFile(gray);
    for (const to of ["pbm", "wbmp", "xbm"]) {
      const dotted = await readFile((await bench.convert(gray, "png", to)).path);
      const plain = await readFile((await bench.convert(gray, "png", to, { dither: false })).path);
      expect(dotted.equals(plain)).toBe(false);
      expect(new Set(plain.subarray(-40, -20)).size, to).toBeLessThan(6);
    }
    const sizes = await Promise.all(
      ["dxt", "none"].map(async (compression) => bytesOf((await bench.convert(picture, "png", "dds", { compression })).path)),
    );
    expect(sizes).toEqual([128 + 1536, 128 + 64 * 48 * 3]);
    const rough = join(bench.folder, "noise.png");
    await noise(160, 120).png().toFile(rough);
    for (const to of ["jp2", "j2k"]) {
      const coarse = await bytesOf((await bench.convert(rough, "png", to, { quality: 30 })).path);
      expect(coarse).toBeLessThan(await bytesOf((await bench.convert(rough, "png", to, { quality: 100 })).path));
    }
  });

  it("flattens transparency onto white, with a note", async () => {
    const clear = join(bench.folder, "clear.png");
    await halfTransparent().png().toFile(clear);
    const { path, notes } = await bench.convert(clear, "png", "pcx");
    expect([...notes.keys()]).toEqual(["ALPHA_FLATTENED"]);
    expect((await halvesOf(path, "pcx")).right).toEqual([255, 255, 255]);
    const kept = await bench.convert((await bench.convert(clear, "png", "bmp")).path, "bmp", "png");
    expect(await sharp(kept.path).stats()).toMatchObject({ isOpaque: false });
  });

  it.each([0, 255, 128])("notes only the loss of partial transparency in XPM (alpha %d)", async (alpha) => {
    const path = join(bench.folder, "veiled.png");
    const background = { r: 255, g: 0, b: 0, alpha: alpha / 255 };
    await sharp({ create: { width: 16, height: 16, channels: 4, background } })
      .png()
      .toFile(path);
    expect((await bench.convert(path, "png", "xpm")).notes.has("ALPHA_FLATTENED")).toBe(alpha === 128);
  });

  it.each([2, 3, 6, 8] as const)("rotates a PNG of orientation %i upright", async (orientation) => {
    const stored = join(bench.folder, "stored.png");
    await writeFile(stored, await turnedPng(orientation));
    const { path, notes } = await bench.convert(stored, "png", "bmp");
    expect(notes.has("ORIENTATION_APPLIED")).toBe(true);
    expect(await readingOf(path)).toMatchObject({ width: 120, height: 80 });
    const { left, right } = await halvesOf(path, "bmp");
    expect([left[0] > 180, right[2] > 180]).toEqual([true, true]);
  });

  it("converts a wide colour space to sRGB if the format keeps no profile", async () => {
    const wide = join(bench.folder, "wide.png");
    await twoColours().withIccProfile("p3").png().toFile(wide);
    const { path, notes } = await bench.convert(wide, "png", "ppm");
    expect(notes.has("PROFILE_CONVERTED")).toBe(true);
    const { left } = await halvesOf(path, "ppm");
    expect(Math.hypot(left[0] - red.r, left[1] - red.g, left[2] - red.b)).toBeLessThan(8);
  });

  it("does not convert colours with an sRGB profile", async () => {
    const marked = join(bench.folder, "marked.tiff");
    const green = { create: { width: 8, height: 8, channels: 3 as const, background: "#00ff00" } };
    await sharp(green).withIccProfile("srgb").tiff().toFile(marked);
    const { path, notes } = await bench.convert(marked, "tiff", "ppm");
    expect(notes.has("PROFILE_CONVERTED")).toBe(false);
    expect((await readFile(path)).subarray(-3)).toEqual((await sharp(marked, { ignoreIcc: true }).raw().toBuffer()).subarray(0, 3));
  });

  it("applies the orientation of a TIFF", async () => {
    const turned = join(bench.folder, "turned.tiff");
    await twoColours(120, 80).tiff().withMetadata({ orientation: 6 }).toFile(turned);
    expect(await readingOf((await bench.convert(turned, "tiff", "bmp")).path)).toMatchObject({ width: 80, height: 120 });
  });

  it("reads neither content of other coders nor other files", async () => {
    const bait = join(bench.folder, "bait");
    for (const text of [
      "push graphic-context\nimage over 0,0 0,0 'label:@/etc/passwd'\npop graphic-context\n",
      "<svg/>",
      "%!PS\nshowpage\n",
    ]) {
      await writeFile(bait, text);
      for (const from of ["bmp", "pict", "miff", "pcx", "xpm"]) {
        await expect(bench.convert(bait, from, "png"), from).rejects.toMatchObject({ code: "INVALID_INPUT" });
      }
    }
    const { stdout, exitCode } = await bench.sandbox.run({
      program: "/usr/bin/convert-im6.q16",
      args: ["text:/etc/fonts/fonts.conf", "png:-"],
      env: { MAGICK_CONFIGURE_PATH: "/engine" },
      readOnly: {
        [fileURLToPath(new URL("../../../../../services/conversion/engines/pictures/imagemagick-policy", import.meta.url))]: "/engine",
      },
    });
    expect([stdout, exitCode]).toEqual(["", 1]);
  });

  it.each([0, 40])("does not call a whole BMP damaged that states a size of %d bytes", async (size) => {
    const bytes = await readFile(await rasterSample("bmp", bench.folder));
    bytes.writeUInt32LE(size, 2);
    const path = join(bench.folder, `${size}.bmp`);
    await writeFile(path, bytes);
    const { notes, path: made } = await bench.convert(path, "bmp", "png");
    expect([...notes.keys()]).toEqual([]);
    expect(isLightThenDark(await halvesOf(made, "png"))).toBe(true);
  });

  it("refuses pictures over the pixel limit", async () => {
    const giant = join(bench.folder, "giant.bmp");
    const header = Buffer.alloc(54 + 1024);
    header.write("BM");
    for (const [at, value] of [
      [2, 1078],
      [10, 54],
      [14, 40],
      [18, 50_000],
      [22, 50_000],
      [26, 1 + (24 << 16)],
    ] as const)
      header.writeUInt32LE(value, at);
    await writeFile(giant, header);
    await expect(bench.convert(giant, "bmp", "png")).rejects.toMatchObject({ name: "FilemillError" });
  });
});
