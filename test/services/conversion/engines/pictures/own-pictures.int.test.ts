/** Pictures in their own format: smaller, cleaned, or returned unchanged. */
import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { imagemagickEngine } from "#services/conversion/engines/pictures/imagemagick.ts";
import { sharpEngine } from "#services/conversion/engines/pictures/sharp.ts";
import { useBench } from "#test/contract/engine.ts";
import { moving, noise, twoColours } from "./picture-samples.ts";

describe("pictures in their own format", () => {
  const [bench, magick] = [useBench(sharpEngine), useBench(imagemagickEngine)];

  const file = (bytes: Buffer | string) => bench.given(bytes, "picture");

  it("are recompressed, or returned unchanged if they do not shrink", async () => {
    const plain = await noise(90, 70).png({ compressionLevel: 0 }).toBuffer();
    const smaller = await bench.convert(await file(plain), "png", "png");
    const written = await readFile(smaller.path);
    expect(written.length).toBeLessThan(plain.length);
    expect((await sharp(written).raw().toBuffer()).equals(await sharp(plain).raw().toBuffer())).toBe(true);
    const again = await bench.convert(smaller.path, "png", "png");
    expect([...again.notes.keys()]).toEqual(["SOURCE_KEPT"]);
    expect((await readFile(again.path)).equals(written)).toBe(true);
  });

  it("are not returned unchanged if they are to be stripped or resized", async () => {
    const tagged = await sharp(await noise(90, 70).png({ compressionLevel: 9, adaptiveFiltering: true }).toBuffer())
      .withExif({ IFD0: { Copyright: "Ada" } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    const cleaned = await bench.convert(await file(tagged), "png", "png", { metadata: "strip" });
    expect([...cleaned.notes.keys()]).toEqual([]);
    expect((await readFile(cleaned.path, "latin1")).includes("Ada")).toBe(false);
    const small = await bench.convert(cleaned.path, "png", "png", { width: 45 });
    expect(await sharp(small.path).metadata()).toMatchObject({ width: 45, height: 35 });
    expect(small.notes.has("SOURCE_KEPT")).toBe(false);
  });

  it.each([
    ["jpg", 12],
    ["jpg", 3],
    ["png", 9],
    ["webp", 6],
    ["avif", 4],
    ["gif", 8],
  ] as const)("are fitted, as %s, into %d kB, with a note on what was reduced", async (format, maxKb) => {
    const source = noise(240, 180);
    const bytes = await (format === "jpg" ? source.jpeg({ quality: 95 }) : source.toFormat(format)).toBuffer();
    expect(bytes.length).toBeGreaterThan(maxKb * 1000);
    const { path, notes } = await bench.convert(await file(bytes), format, format, { maxKb });
    const written = await readFile(path);
    expect(written.length).toBeLessThanOrEqual(maxKb * 1000);
    expect(written.length).toBeGreaterThan(maxKb * 300);
    expect(notes.get("FITTED_TO_SIZE")).toMatch(/\d/);
    expect((await sharp(written).metadata()).format).toBe({ jpg: "jpeg", avif: "heif" }[format as string] ?? format);
  });

  it("are cropped as displayed, before rotation, mirroring and resizing", async () => {
    const picture = await twoColours(120, 80).png().toBuffer();
    const part = await bench.convert(await file(picture), "png", "png", { crop: "40x80+50+0", width: 20 });
    const { data, info } = await sharp(part.path).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([20, 40]);
    const redAt = (x: number) => data[(20 * info.width + x) * info.channels] ?? 0;
    expect([redAt(1) > 200, redAt(10) < 60]).toEqual([true, true]);
    const turned = await bench.convert(await file(picture), "png", "png", { crop: "40x80+50+0", rotate: "90" });
    expect(await sharp(turned.path).metadata()).toMatchObject({ width: 80, height: 40 });
    const mirrored = await bench.convert(await file(picture), "png", "png", { flip: "horizontal" });
    const pixels = await sharp(mirrored.path).removeAlpha().raw().toBuffer();
    expect([(pixels[0] ?? 0) < 60, (pixels[119 * 3] ?? 0) > 200]).toEqual([true, true]);
    const stored = await sharp(picture).rotate(-90).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer();
    const seen = await bench.convert(await file(stored), "jpg", "jpg", { crop: "100x20+0+0" });
    expect(await sharp(seen.path).metadata()).toMatchObject({ width: 100, height: 20 });
    await expect(bench.convert(await file(picture), "png", "png", { crop: "40x80+90+0" })).rejects.toMatchObject({
      code: "INVALID_OPTION",
    });
  });

  it.each(["gif", "webp"] as const)("keep the frames of a %s animation, which cannot be cropped", async (format) => {
    const animation = await file(await moving(format));
    const { path, notes } = await bench.convert(animation, format, format, { width: 15 });
    const found = await sharp(path).metadata();
    expect([found.pages, found.delay, found.width, found.pageHeight ?? found.height]).toEqual([3, [100, 200, 300], 15, 10]);
    expect(notes.has("ANIMATION_REDUCED")).toBe(false);
    await expect(bench.convert(animation, format, format, { crop: "5x5+0+0" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("smooth a black and white scan that becomes smaller", async () => {
    const gray = noise(160, 120).toColourspace("b-w").threshold(128);
    const scan = await gray.tiff({ bitdepth: 1, compression: "none", predictor: "none" }).toBuffer();
    const { path } = await magick.convert(await magick.given(scan, "tiff"), "tiff", "tiff", { width: 40 });
    const shades = new Set(await sharp(path).extractChannel(0).raw().toBuffer());
    expect(shades.size).toBeGreaterThan(2);
  });
});
