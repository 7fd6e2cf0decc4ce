import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { expect, it } from "vitest";
import { ffmpegStillsEngine } from "#services/conversion/engines/media/ffmpeg-stills.ts";
import { imagemagickEngine } from "#services/conversion/engines/pictures/imagemagick.ts";
import { useBench } from "#test/contract/engine.ts";
import { photoshopOf, surfaceOf } from "./raster-samples.ts";

const benches = { magick: useBench(imagemagickEngine), stills: useBench(ffmpegStillsEngine) };

/** The first pixels, as red, green, blue and alpha. */
async function pixelsOf(path: string, pixels: number): Promise<readonly number[]> {
  const { data } = await sharp(path).toColourspace("srgb").ensureAlpha().raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
  return [...data.subarray(0, pixels * 4)];
}

it("reads a grey Targa with alpha, and names alpha of one bit", async () => {
  const targa = (kind: number, described: number) =>
    benches.magick.given(Buffer.from([0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 16, described, 0xff, 0x7f]), "tga");
  expect(await pixelsOf((await benches.stills.convert(await targa(3, 8), "tga", "png")).path, 1)).toEqual([255, 255, 255, 127]);
  const { notes } = await benches.stills.convert(await targa(2, 1), "tga", "png");
  expect(notes.get("MEDIA_CHANGED")).toBe("Transparency of one bit per pixel was left out.");
  expect((await benches.stills.convert(await targa(2, 0), "tga", "png")).notes.size).toBe(0);
});

const [low, middle, high, top] = [0xff, 0xff00, 0xff0000, 0xff000000];

it.each([
  ["DDS with red first", "dds", surfaceOf([1, 2, 3, 4], { masks: [32, low, middle, high, top] }), [1, 2, 3, 4]],
  ["DDS with red first and no alpha", "dds", surfaceOf([1, 2, 3, 4], { masks: [32, low, middle, high, 0] }), [1, 2, 3, 255]],
  ["DDS in BGRA of Direct3D 10", "dds", surfaceOf([1, 2, 3, 4], { kind: 91 }), [3, 2, 1, 4]],
  ["DDS in BC1 of sRGB", "dds", surfaceOf([0, 0xf8, 0, 0, 0, 0, 0, 0], { kind: 72 }), [255, 0, 0, 255]],
  ["Photoshop file with a palette", "psd", photoshopOf(2, [7], []), [10, 20, 30, 255]],
  ["Photoshop file with a transparent colour", "psd", photoshopOf(2, [7], [[1047, [0, 7]]]), [10, 20, 30, 0]],
  ["PAM with transparency of an unusual maximum", "pam", pamOf(4, 100, "RGB_ALPHA", [100, 0, 50, 20]), [255, 0, 128, 51]],
  ["PAM with transparency of 12 bits", "pam", pamOf(2, 4095, "GRAYSCALE_ALPHA", [0x0f, 0xff, 0x04, 0x44]), [255, 255, 255, 68]],
  ["PAM without a name of its channels", "pam", pamOf(4, 255, "", [1, 2, 3, 4]), [1, 2, 3, 4]],
  ["packed Sun raster", "ras", sunOf([0x80, 2, 1]), [1, 1, 1, 255]],
] as const)("reads a %s, which ImageMagick misreads", async (_, format, bytes, expected) => {
  const { path, notes } = await benches.magick.convert(await benches.magick.given(bytes, format), format, "png");
  expect([await pixelsOf(path, 1), notes.size]).toEqual([expected, 0]);
});

it("tells of a DDS of an unknown kind or of signed numbers, and of one that is cut off", async () => {
  for (const [bytes, code] of [
    [surfaceOf([1, 2, 3, 4], { kind: 24 }), "CONVERSION_FAILED"],
    [surfaceOf(Array(16).fill(9), { kind: 84 }), "CONVERSION_FAILED"],
    [surfaceOf([1], { kind: 91 }), "INVALID_INPUT"],
  ] as const)
    await expect(benches.magick.convert(await benches.magick.given(bytes, "dds"), "dds", "png")).rejects.toMatchObject({ code });
});

it("names the sides of a cube map, and the effects of a Photoshop file without a flattened picture", async () => {
  const cube = surfaceOf(Array(24).fill(9), { masks: [32, high, middle, low, top], isCube: true });
  const sided = await benches.magick.convert(await benches.magick.given(cube, "dds"), "dds", "png");
  expect(sided.notes.get("MEDIA_CHANGED")).toBe("Only the first side of a cube map was converted.");
  for (const [isFlat, told] of [
    [0, /^The file was saved without a flattened picture/],
    [1, /^undefined$/],
  ] as const) {
    const file = photoshopOf(
      3,
      [1, 2, 3],
      [
        [1005, [0, 72, 0, 0, 0, 1, 0, 1, 0, 72, 0, 0, 0, 1, 0, 1]],
        [1057, [0, 0, 0, 1, isFlat, 0]],
      ],
    );
    const { notes } = await benches.magick.convert(await benches.magick.given(file, "psd"), "psd", "png");
    expect(String(notes.get("MEDIA_CHANGED"))).toMatch(told);
  }
});

it.each([
  [8, [200], "The inks of a duotone were left out: it is grey now."],
  [7, [1, 2, 3], "Channels that say nothing of their colours were taken for those of a usual picture."],
  [3, [1, 2, 3, 4], "A further channel was left out."],
  [3, [1, 2, 3], undefined],
] as const)("names what of a Photoshop file of mode %i is left out", async (mode, channels, told) => {
  const file = await benches.magick.given(photoshopOf(mode, channels, []), "psd");
  expect((await benches.magick.convert(file, "psd", "png")).notes.get("MEDIA_CHANGED")).toBe(told);
});

it.each([31, 36])("refuses a Photoshop file of %i bytes as invalid", async (length) => {
  const file = await benches.magick.given(photoshopOf(3, [1, 2, 3], []).subarray(0, length), "psd");
  await expect(benches.magick.convert(file, "psd", "png")).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

/** 1 by 1 pixel of 24 bits, in run lengths. */
function sunOf(data: readonly number[]): Buffer {
  const head = Buffer.alloc(32);
  for (const [index, value] of [0x59a66a95, 1, 1, 24, data.length, 2].entries()) head.writeUInt32BE(value, index * 4);
  return Buffer.concat([head, Buffer.from(data)]);
}

/** 16 by 1 pixels of one bit, the first eight black. @see ZSoft PCX Technical Reference Manual, revision 5 */
function bilevelPcx(): Buffer {
  const head = Buffer.alloc(128);
  head.set([10, 5, 1, 1, 0, 0, 0, 0, 15]);
  head.set([1, 2], 65);
  return Buffer.concat([head, Buffer.from([0, 0xc1, 0xff])]);
}

it.each([
  ["pcx", bilevelPcx()],
  // The mark, one page, and the end of the list.
  ["dcx", Buffer.concat([Buffer.from("b168de3a0c00000000000000", "hex"), bilevelPcx()])],
] as const)("reads zeros of one bit in %s as black", async (format, bytes) => {
  const { path } = await benches.magick.convert(await benches.magick.given(bytes, format), format, "png");
  expect([...(await pixelsOf(path, 16))].filter((_, index) => index % 4 === 0)).toEqual([...Array(8).fill(0), ...Array(8).fill(255)]);
});

/** 1 by 1 pixel with bit masks. @see BITMAPV4HEADER */
function maskedBmp(bits: number, masks: readonly number[], value: number): Buffer {
  const bytes = Buffer.alloc(14 + 108 + 4);
  bytes.write("BM");
  for (const [at, number] of [
    [2, bytes.length],
    [10, 122],
    [14, 108],
    [18, 1],
    [22, 1],
    [30, 3],
    [122, value],
  ] as const)
    bytes.writeUInt32LE(number, at);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(bits, 28);
  for (const [index, mask] of masks.entries()) bytes.writeUInt32LE(mask, 54 + index * 4);
  return bytes;
}

it.each([
  ["one bit of alpha", 16, [0x7c00, 0x3e0, 0x1f, 0x8000], 0xfc00, [255, 0, 0, 255]],
  ["four bits each", 16, [0xf00, 0xf0, 0xf, 0xf000], 0x7f8f, [255, 136, 255, 119]],
  ["eleven, eleven and ten bits", 32, [0xffe00000, 0x1ffc00, 0x3ff, 0], 0xffe003ff, [255, 0, 255, 255]],
] as const)("reads a BMP of %s", async (_, bits, masks, value, expected) => {
  for (const to of ["png", "tiff"]) {
    const { path } = await benches.magick.convert(await benches.magick.given(maskedBmp(bits, masks, value), "bmp"), "bmp", to);
    expect(await pixelsOf(path, 1), to).toEqual(expected);
  }
});

it("refuses a bitmap of OS/2 2 with a palette", async () => {
  const bytes = Buffer.alloc(14 + 64 + 1024 + 4);
  bytes.write("BM");
  for (const [at, value] of [
    [2, bytes.length],
    [10, bytes.length - 4],
    [14, 64],
    [18, 1],
    [22, 1],
    [26, 1 | (8 << 16)],
  ] as const)
    bytes.writeUInt32LE(value, at);
  await expect(benches.magick.convert(await benches.magick.given(bytes, "bmp"), "bmp", "png")).rejects.toMatchObject({
    code: "CONVERSION_FAILED",
  });
});

it("says that a PNG is too long rather than damaged", async () => {
  const long = await sharp({ create: { width: 1, height: 17_000, channels: 3, background: "#123456" } })
    .png()
    .toBuffer();
  await expect(benches.magick.convert(await benches.magick.given(long, "png"), "png", "bmp")).rejects.toMatchObject({
    code: "INPUT_TOO_COMPLEX",
  });
});

it("JPEG 2000 with channels of different depths is refused as invalid", async () => {
  const bytes = await readFile("test/corpus/typical/image/typical.jp2");
  // The bits of the second channel. @see ISO/IEC 15444-1, A.5.1
  bytes[bytes.indexOf("ff51", 0, "hex") + 43] = 15;
  await expect(benches.magick.convert(await benches.magick.given(bytes, "jp2"), "jp2", "png")).rejects.toMatchObject({
    code: "INVALID_INPUT",
  });
});

/** One pixel. @see netpbm's pam(5) */
function pamOf(depth: number, most: number, kind: string, samples: readonly number[]): Buffer {
  const head = `P7\n# made\nWIDTH 1\nHEIGHT 1\nDEPTH ${depth}\nMAXVAL ${most}\n${kind === "" ? "" : `TUPLTYPE ${kind}\n`}ENDHDR\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(samples)]);
}

it("reads a BMP that states more bytes than it has, as LibreOffice writes it, but not one that is cut off", async () => {
  const rows = Buffer.from([1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0]);
  const head = Buffer.alloc(54);
  head.write("BM");
  for (const [value, at] of [
    [9_000, 2],
    [54, 10],
    [40, 14],
    [2, 18],
    [2, 22],
    [rows.length, 34],
  ] as const)
    head.writeUInt32LE(value, at);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  const overstated = Buffer.concat([head, rows]);
  const { path, notes } = await benches.magick.convert(await benches.magick.given(overstated, "bmp"), "bmp", "png");
  expect(await pixelsOf(path, 2)).toEqual([9, 8, 7, 255, 12, 11, 10, 255]);
  expect([...notes.keys()]).toEqual([]);
  const cut = await benches.magick.given(overstated.subarray(0, 60), "bmp");
  await expect(benches.magick.convert(cut, "bmp", "png")).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
