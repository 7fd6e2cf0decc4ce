import { crc32, deflateSync } from "node:zlib";
import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { frameCountOf } from "#services/conversion/domain/guards/frames.ts";
import { pictureSizeOf } from "#services/conversion/domain/guards/raster.ts";
import { heif } from "#test/attacks/picture-files.ts";
import { refusalOf, sourceOf } from "./refused.ts";

function pngChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A PNG whose header claims a size without pixels for it. */
function pngStating(width: number, height: number, extra: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  header[9] = 2;
  const data = pngChunk("IDAT", deflateSync(Buffer.alloc(16)));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    extra,
    data,
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function animationControl(frames: number): Buffer {
  const data = Buffer.alloc(8);
  data.writeUInt32BE(frames, 0);
  return pngChunk("acTL", data);
}

/** A GIF of one pixel with this many `frames`. */
function gifOf(frames: number): Buffer {
  const head = Buffer.from("GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00", "latin1");
  const frame = Buffer.from("\x21\xf9\x04\x00\x01\x00\x00\x00\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00", "latin1");
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from(";")]);
}

describe("picture headers", () => {
  it.each(["png", "jpeg", "gif", "webp", "tiff"] as const)("match what sharp wrote as %s", async (name) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 300 }),
        fc.boolean(),
        async (width, height, lossless) => {
          const picture = sharp({ create: { width, height, channels: 3, background: "teal" } });
          const bytes = await picture.toFormat(name, name === "webp" ? { lossless } : {}).toBuffer();
          const format = name === "jpeg" ? "jpg" : name;
          expect(await pictureSizeOf(sourceOf(bytes), format)).toEqual({ width, height });
          expect(await refusalOf(bytes, format)).toBe("accepted");
        },
      ),
      { numRuns: 12 },
    );
  });

  it("contain the size of a JPEG even behind more metadata than the head holds", async () => {
    const plain = await sharp({ create: { width: 31, height: 17, channels: 3, background: "red" } })
      .jpeg()
      .toBuffer();
    const filler = Buffer.concat([Buffer.from([0xff, 0xe2, 0xff, 0xff]), Buffer.alloc(0xfffd)]);
    const bytes = Buffer.concat([plain.subarray(0, 2), filler, filler, filler, plain.subarray(2)]);
    expect(await pictureSizeOf(sourceOf(bytes), "jpg")).toEqual({ width: 31, height: 17 });
  });

  it("are accepted up to 100 megapixels and rejected beyond", async () => {
    expect(await refusalOf(pngStating(50_000, 50_000), "png")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(pngStating(10_001, 10_000), "png")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(pngStating(10_000, 10_000), "png")).toBe("accepted");
  });

  it("without pixels are damaged", async () => {
    expect(await refusalOf(pngStating(0, 10), "png")).toBe("INVALID_INPUT");
  });

  it("that are truncated are damaged", async () => {
    expect(await refusalOf(pngStating(10, 10).subarray(0, 20), "png")).toBe("INVALID_INPUT");
    const jpeg = await sharp({ create: { width: 9, height: 9, channels: 3, background: "red" } })
      .jpeg()
      .toBuffer();
    expect(await refusalOf(jpeg.subarray(0, 30), "jpg")).toBe("INVALID_INPUT");
  });

  it("never crash the reader, whatever the bytes", async () => {
    const starts = {
      png: "\x89PNG\r\n\x1a\n",
      jpg: "\xff\xd8\xff",
      gif: "GIF89a",
      webp: "RIFF\0\0\0\0WEBPVP8X",
      bmp: "BM",
      tiff: "II*\0",
      psd: "8BPS",
    };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.entries(starts)), fc.uint8Array({ maxLength: 400 }), async ([format, start], rest) => {
        const refusal = await refusalOf(Buffer.concat([Buffer.from(start, "latin1"), rest]), format);
        expect(["accepted", "INVALID_INPUT", "INPUT_TOO_COMPLEX"]).toContain(refusal);
      }),
      { numRuns: 500 },
    );
  });
});

describe("frames", () => {
  it("of a GIF are counted by its blocks", async () => {
    expect(await frameCountOf(sourceOf(gifOf(1)), "gif")).toBe(1);
    expect(await frameCountOf(sourceOf(gifOf(4000)), "gif")).toBe(4000);
  });

  it("are rejected if there are too many", async () => {
    expect(await refusalOf(gifOf(4000), "gif")).toBe("accepted");
    expect(await refusalOf(gifOf(100_000), "gif")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(pngStating(10, 10, animationControl(100_000)), "png")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(pngStating(5000, 5000, animationControl(400)), "png")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(pngStating(10, 10, animationControl(40)), "png")).toBe("accepted");
  });

  it("of an animated WebP are counted", async () => {
    const webp = await sharp(gifOf(7), { animated: true }).webp({ mixed: true }).toBuffer();
    const stated = (await sharp(webp, { animated: true }).metadata()).pages ?? 1;
    expect(await frameCountOf(sourceOf(webp), "webp")).toBe(stated);
  });
});

describe("text in a picture", () => {
  const text = (bytes: number, type = "zTXt") =>
    pngChunk(type, Buffer.concat([Buffer.from("Comment\0\0"), deflateSync(Buffer.alloc(bytes, "a"))]));

  it("may be long, but is limited", async () => {
    expect(await refusalOf(pngStating(8, 8, text(1_000_000)), "png")).toBe("accepted");
    expect(await refusalOf(pngStating(8, 8, text(50_000_000)), "png")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(pngStating(8, 8, text(50_000_000, "iCCP")), "png")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(pngStating(8, 8, Buffer.concat(Array<Buffer>(20).fill(text(1_000_000)))), "png")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(pngStating(8, 8, Buffer.concat(Array<Buffer>(2000).fill(text(1)))), "png")).toBe("INPUT_TOO_COMPLEX");
  });
});

describe("HEIC and AVIF", () => {
  it("report the size from their properties", async () => {
    const avif = await sharp({ create: { width: 33, height: 21, channels: 3, background: "red" } })
      .avif()
      .toBuffer();
    expect(await pictureSizeOf(sourceOf(avif), "avif")).toEqual({ width: 33, height: 21 });
    expect(await pictureSizeOf(sourceOf(heif("heic", 40_000, 3)), "heic")).toEqual({ width: 40_000, height: 3 });
    expect(await refusalOf(heif("avif", 40_000, 40_000), "avif")).toBe("INPUT_TOO_COMPLEX");
    expect(await pictureSizeOf(sourceOf(avif.subarray(0, 40)), "avif")).toBe(undefined);
  });
});
