import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { describe, expect, it } from "vitest";
import { sharpEngine } from "#services/conversion/engines/pictures/sharp.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { readingOf } from "#test/contract/readers.ts";
import { blue, drawing, halfTransparent, moving, noise, pictureSample, red, twoColours } from "./picture-samples.ts";

testEngine(sharpEngine, {
  sample: pictureSample,
  async check(hop, reading, path) {
    const { width, height } = hop.from === "svg" ? { width: 60, height: 40 } : { width: 120, height: 80 };
    // The distribution's ffprobe does not support every AVIF; `file` is used instead.
    if (reading.width !== undefined) expect([reading.width, reading.height]).toEqual([width, height]);
    const [left, right] = await coloursOf(path);
    expect(distance(left, red)).toBeLessThan(40);
    expect(distance(right, blue)).toBeLessThan(40);
  },
});

type Colour = { r: number; g: number; b: number };

/** Colours in the middle of the left and right halves, and their opacity. */
async function coloursOf(path: string): Promise<[Colour & { alpha: number }, Colour & { alpha: number }]> {
  const { data, info } = await sharp(path)
    .ensureAlpha()
    .toColourspace("srgb")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  const at = (part: number) => {
    const offset = (Math.floor(info.height / 2) * info.width + Math.floor(info.width * part)) * 4;
    const [r = 0, g = 0, b = 0, alpha = 0] = data.subarray(offset, offset + 4);
    return { r, g, b, alpha };
  };
  return [at(0.25), at(0.75)];
}

function distance(one: Colour, other: Colour): number {
  return Math.hypot(one.r - other.r, one.g - other.g, one.b - other.b);
}

describe("pictures by sharp", () => {
  const bench = useBench(sharpEngine);

  const file = (bytes: Buffer | string) => bench.given(bytes, "picture");

  async function sizeOf(path: string): Promise<[number | undefined, number | undefined]> {
    const reading = await readingOf(path);
    return [reading.width, reading.height];
  }

  describe("defaults", () => {
    it.each([1, 2, 3, 4, 5, 6, 7, 8])("rotates a photo of orientation %i upright", async (orientation) => {
      const upright = twoColours(120, 80);
      const stored = await storedAs(orientation, await upright.png().toBuffer());
      const { path, notes } = await bench.convert(await file(stored), "jpg", "png");
      expect(await sizeOf(path)).toEqual([120, 80]);
      const [left, right] = await coloursOf(path);
      expect(distance(left, red)).toBeLessThan(40);
      expect(distance(right, blue)).toBeLessThan(40);
      expect(notes.has("ORIENTATION_APPLIED")).toBe(orientation > 1);
    });

    it("flattens transparency onto white for JPEG, with a note", async () => {
      const { path, notes } = await bench.convert(await file(await halfTransparent().png().toBuffer()), "png", "jpg");
      expect(distance((await coloursOf(path))[1], { r: 255, g: 255, b: 255 })).toBeLessThan(12);
      expect(notes.has("ALPHA_FLATTENED")).toBe(true);
    });

    it("notes no transparency for an opaque alpha channel", async () => {
      const { notes } = await bench.convert(await file(await twoColours().ensureAlpha().png().toBuffer()), "png", "jpg");
      expect([...notes.keys()]).toEqual([]);
    });

    it("announces hard edges for every drawing in GIF, also for one of a document that has no transparency", () => {
      const hop = sharpEngine.hops.find(({ from, to }) => from === "svg" && to === "gif");
      expect(hop?.expects?.find(({ code }) => code === "ALPHA_FLATTENED")?.of).toBeUndefined();
    });

    it.each(["webp", "gif", "avif", "tiff"])("keeps transparency in %s", async (to) => {
      const { path } = await bench.convert(await file(await halfTransparent().png().toBuffer()), "png", to);
      const [left, right] = await coloursOf(path);
      expect(left.alpha).toBeGreaterThan(250);
      expect(right.alpha).toBeLessThan(5);
    });

    it.each([
      ["gif", "webp"],
      ["webp", "gif"],
    ] as const)("keeps an animation from %s to %s", async (from, to) => {
      const { path, notes } = await bench.convert(await file(await moving(from)), from, to);
      const found = await sharp(path).metadata();
      expect([found.pages, found.delay, found.pageHeight ?? found.height]).toEqual([3, [100, 200, 300], 20]);
      expect(notes.has("ANIMATION_REDUCED")).toBe(false);
    });

    it.each(["jpg", "png", "avif", "tiff"])("keeps the first frame of an animation for %s, with a note", async (to) => {
      const { path, notes } = await bench.convert(await file(await moving("gif")), "gif", to);
      const found = await sharp(path).metadata();
      expect([found.width, found.height]).toEqual([30, 20]);
      expect(distance((await coloursOf(path))[0], red)).toBeLessThan(60);
      expect(notes.has("ANIMATION_REDUCED")).toBe(true);
    });

    it("converts CMYK to sRGB, with a note", async () => {
      const cmyk = await twoColours().toColourspace("cmyk").withIccProfile("cmyk").jpeg({ quality: 95 }).toBuffer();
      expect((await sharp(cmyk).metadata()).space).toBe("cmyk");
      const { path, notes } = await bench.convert(await file(cmyk), "jpg", "png");
      expect((await sharp(path).metadata()).space).toBe("srgb");
      expect(distance((await coloursOf(path))[0], red)).toBeLessThan(60);
      expect(notes.has("PROFILE_CONVERTED")).toBe(true);
    });

    it("notes PROFILE_CONVERTED for a wide gamut but not for sRGB", async () => {
      const wide = await file(await twoColours().withIccProfile("p3").jpeg().toBuffer());
      const usual = await file(await twoColours().withIccProfile("srgb").jpeg().toBuffer());
      expect((await bench.convert(wide, "jpg", "webp")).notes.has("PROFILE_CONVERTED")).toBe(true);
      expect((await bench.convert(usual, "jpg", "webp")).notes.has("PROFILE_CONVERTED")).toBe(false);
    });

    it.each(["png", "tiff"])("keeps 16 bits in %s", async (to) => {
      const values = new Uint16Array(64 * 64 * 3).map((_, index) => (index * 5) % 65_536);
      const deep = sharp(values, { raw: { width: 64, height: 64, channels: 3 } }).toColourspace("rgb16");
      const from = to === "png" ? "tiff" : "png";
      const bytes = from === "png" ? await deep.png().toBuffer() : await deep.tiff({ compression: "deflate" }).toBuffer();
      const { path } = await bench.convert(await file(bytes), from, to);
      expect((await sharp(path).metadata()).depth).toBe("ushort");
      const [before, after] = await Promise.all(
        [bytes, await readFile(path)].map((each) => sharp(each).toColourspace("rgb16").raw({ depth: "ushort" }).toBuffer()),
      );
      expect(after?.equals(before ?? Buffer.alloc(0))).toBe(true);
    });

    it("keeps EXIF unless it is to be stripped", async () => {
      const tagged = await file(
        await twoColours()
          .withExif({ IFD0: { Copyright: "Ada" } })
          .jpeg()
          .toBuffer(),
      );
      const stripped = await bench.convert(tagged, "jpg", "webp", { metadata: "strip" });
      expect((await sharp(stripped.path).metadata()).exif).toBeUndefined();
      const kept = await bench.convert(tagged, "jpg", "webp");
      expect((await sharp(kept.path).metadata()).exif?.includes("Ada")).toBe(true);
      expect([...stripped.notes, ...kept.notes]).toEqual([]);
    });

    it("does not note the loss of EXIF that holds only a resolution", async () => {
      const plain = await file(await noise(40, 30).withDensity(150).png().toBuffer());
      expect((await sharp(plain).metadata()).exif).toBeDefined();
      expect((await bench.convert(plain, "png", "webp")).notes.has("METADATA_DROPPED")).toBe(false);
    });

    it("notes what a PNG loses, wherever it is in the file, and nothing for pixels alone", async () => {
      const plain = await twoColours().png().toBuffer();
      const tagged = await twoColours()
        .withExif({ IFD0: { Copyright: "Ada" } })
        .png()
        .toBuffer();
      const at = tagged.indexOf("eXIf") - 4;
      const chunk = tagged.subarray(at, at + 12 + tagged.readUInt32BE(at));
      const behind = Buffer.concat([plain.subarray(0, -12), chunk, plain.subarray(-12)]);
      const wide = await twoColours().withIccProfile("p3").png().toBuffer();
      const notesOf = async (bytes: Buffer, to: string) => [...(await bench.convert(await file(bytes), "png", to)).notes.keys()];
      expect(await notesOf(plain, "webp")).toEqual([]);
      expect(await notesOf(tagged, "gif")).toEqual(["METADATA_DROPPED"]);
      expect(await notesOf(behind, "gif")).toEqual(["METADATA_DROPPED"]);
      expect(await notesOf(wide, "webp")).toEqual(["PROFILE_CONVERTED"]);
      expect(await notesOf(await halfTransparent().png({ palette: true }).toBuffer(), "jpg")).toEqual(["ALPHA_FLATTENED"]);
    });

    it("rotates only once if the other tags are kept", async () => {
      const stored = await storedAs(6, await twoColours(120, 80).png().toBuffer());
      const { path } = await bench.convert(await file(stored), "jpg", "webp", { metadata: "keep" });
      const found = await sharp(path).metadata();
      expect([found.width, found.height, found.orientation ?? 1]).toEqual([120, 80, 1]);
    });

    it("writes TIFF with deflate, not JPEG", async () => {
      const { path } = await bench.convert(await file(await twoColours().png().toBuffer()), "png", "tiff");
      expect(execFileSync("file", ["--brief", path], { encoding: "utf8" })).toMatch(/compression=(deflate|zip)/i);
    });

    it("reads compressed SVG, and blocks external content", async () => {
      const zipped = await bench.convert(await file(gzipSync(drawing)), "svg", "png");
      expect(await sizeOf(zipped.path)).toEqual([60, 40]);
      const linked = drawing.replace("<rect", '<image href="file:///etc/hostname" width="5" height="5"/><rect');
      expect((await bench.convert(await file(linked), "svg", "png")).notes.has("EXTERNAL_CONTENT_BLOCKED")).toBe(true);
    });
  });

  describe("options", () => {
    const photo = async () => file(await noise(200, 100).png().toBuffer());
    const bytesOf = async (path: string) => (await readFile(path)).length;

    it.each(["jpg", "webp", "avif"])("lower quality makes %s smaller", async (to) => {
      const input = await photo();
      const [low, high] = await Promise.all([
        bench.convert(input, "png", to, { quality: 10 }),
        bench.convert(input, "png", to, { quality: 90 }),
      ]);
      expect(await bytesOf(low.path)).toBeLessThan(await bytesOf(high.path));
    });

    it.each(["webp", "avif"])("lossless keeps every pixel in %s", async (to) => {
      const input = await photo();
      const { path } = await bench.convert(input, "png", to, { lossless: true });
      const [before, after] = await Promise.all([input, path].map((each) => sharp(each).removeAlpha().raw().toBuffer()));
      const worst = Math.max(...(before ?? []).map((value, index) => Math.abs(value - (after?.[index] ?? 0))));
      expect(worst).toBeLessThanOrEqual(to === "webp" ? 0 : 2);
    });

    it.each([
      [{ width: 100 }, [100, 50]],
      [{ height: 20 }, [40, 20]],
      [{ width: 50, height: 50 }, [50, 25]],
      [{ width: 50, height: 50, fit: "outside" }, [100, 50]],
      [{ width: 50, height: 50, fit: "cover" }, [50, 50]],
      [{ width: 50, height: 50, fit: "contain" }, [50, 50]],
      [{ width: 50, height: 60, fit: "fill" }, [50, 60]],
      [{ width: 400 }, [200, 100]],
      [{ width: 400, enlarge: true }, [400, 200]],
      [{ rotate: "90" }, [100, 200]],
      [{ rotate: "180" }, [200, 100]],
    ])("%o gives %o", async (options, size) => {
      expect(await sizeOf((await bench.convert(await photo(), "png", "jpg", options)).path)).toEqual(size);
    });

    it("rotate by 180° swaps left and right", async () => {
      const { path } = await bench.convert(await file(await twoColours().png().toBuffer()), "png", "webp", { rotate: "180" });
      expect(distance((await coloursOf(path))[0], blue)).toBeLessThan(40);
    });

    it("background fills transparency, also in PNG", async () => {
      const input = await file(await halfTransparent().webp({ lossless: true }).toBuffer());
      for (const to of ["jpg", "png"]) {
        const { path, notes } = await bench.convert(input, "webp", to, { background: "#00ff00" });
        expect(distance((await coloursOf(path))[1], { r: 0, g: 255, b: 0 })).toBeLessThan(12);
        expect(notes.has("ALPHA_FLATTENED")).toBe(true);
      }
    });

    it("progressive, chroma, compressionLevel, colours, compression and effort take effect", async () => {
      const input = await photo();
      const jpg = (await bench.convert(input, "png", "jpg", { progressive: true, chroma: "4:4:4" })).path;
      const found = await sharp(jpg).metadata();
      expect([found.isProgressive, found.chromaSubsampling]).toEqual([true, "4:4:4"]);
      const big = await file(await noise(200, 100).tiff({ compression: "none" }).toBuffer());
      const levels = await Promise.all([0, 9].map((compressionLevel) => bench.convert(big, "tiff", "png", { compressionLevel })));
      expect(await bytesOf(levels[1]?.path ?? "")).toBeLessThan(await bytesOf(levels[0]?.path ?? ""));
      const palette = await bench.convert(big, "tiff", "png", { colours: 4 });
      expect((await sharp(palette.path).metadata()).isPalette).toBe(true);
      const fewer = await Promise.all([2, 256].map((colours) => bench.convert(input, "png", "gif", { colours })));
      expect(await bytesOf(fewer[0]?.path ?? "")).toBeLessThan(await bytesOf(fewer[1]?.path ?? ""));
      const plain = await bench.convert(input, "png", "tiff", { compression: "none" });
      expect(await bytesOf(plain.path)).toBeGreaterThanOrEqual(200 * 100 * 3);
      const efforts = await Promise.all([0, 6].map((effort) => bench.convert(input, "png", "webp", { effort })));
      expect(await bytesOf(efforts[0]?.path ?? "")).not.toBe(await bytesOf(efforts[1]?.path ?? ""));
    });

    it("density and width render an SVG sharply", async () => {
      const input = await file(drawing);
      expect(await sizeOf((await bench.convert(input, "svg", "png", { density: 192 })).path)).toEqual([120, 80]);
      const { path } = await bench.convert(input, "svg", "png", { width: 600 });
      expect(await sizeOf(path)).toEqual([600, 400]);
      // An original edge is one pixel wide, an enlarged one is blurred over ten.
      const row = await sharp(path).extract({ left: 290, top: 200, width: 20, height: 1 }).removeAlpha().raw().toBuffer();
      const between = Array.from({ length: 20 }, (_, index) => row[index * 3] ?? 0).filter((value) => value > 40 && value < 200);
      expect(between.length).toBeLessThanOrEqual(2);
    });
  });
});

/** A JPEG whose stored pixels and orientation together show `upright`. */
async function storedAs(orientation: number, upright: Buffer): Promise<Buffer> {
  const inverse: Readonly<Record<number, (image: Sharp) => Sharp>> = {
    1: (image) => image,
    2: (image) => image.flop(),
    3: (image) => image.rotate(180),
    4: (image) => image.flip(),
    5: (image) => image.rotate(270).flop(),
    6: (image) => image.rotate(270),
    7: (image) => image.rotate(90).flop(),
    8: (image) => image.rotate(90),
  };
  const turned = await (inverse[orientation] ?? ((image) => image))(sharp(upright)).png().toBuffer();
  return sharp(turned).withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
}
