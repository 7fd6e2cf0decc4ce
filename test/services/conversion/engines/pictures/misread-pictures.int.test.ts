import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { expect, it } from "vitest";
import { ffmpegStillsEngine } from "#services/conversion/engines/media/ffmpeg-stills.ts";
import { imagemagickEngine } from "#services/conversion/engines/pictures/imagemagick.ts";
import { useBench } from "#test/contract/engine.ts";

const benches = { magick: useBench(imagemagickEngine), stills: useBench(ffmpegStillsEngine) };

/** The first pixels, as red, green, blue and alpha. */
async function pixelsOf(path: string, pixels: number): Promise<readonly number[]> {
  const { data } = await sharp(path).toColourspace("srgb").ensureAlpha().raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
  return [...data.subarray(0, pixels * 4)];
}

it("refuses a grey Targa with alpha, and names alpha of one bit", async () => {
  const targa = (kind: number, described: number) =>
    benches.magick.given(Buffer.from([0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 16, described, 0xff, 0x7f]), "tga");
  await expect(benches.stills.convert(await targa(3, 8), "tga", "png")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  const { notes } = await benches.stills.convert(await targa(2, 1), "tga", "png");
  expect(notes.get("MEDIA_CHANGED")).toBe("Transparency of one bit per pixel was left out.");
  expect((await benches.stills.convert(await targa(2, 0), "tga", "png")).notes.size).toBe(0);
});

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
