/** Kinds of TIFF samples that one library reads and another misreads. */
import { readFile } from "node:fs/promises";
import { zstdCompressSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import { imagemagickEngine } from "#services/conversion/engines/pictures/imagemagick.ts";
import { libtiffEngine } from "#services/conversion/engines/pictures/libtiff.ts";
import { sharpEngine } from "#services/conversion/engines/pictures/sharp.ts";
import { type Bench, useBench } from "#test/contract/engine.ts";

type Page = { readonly data: readonly number[] | Buffer; readonly photometric: number } & Readonly<
  Partial<Record<"bits" | "channels" | "kind" | "extras" | "palette" | "subsampling" | "unit" | "compression", number | readonly number[]>>
>;

/** Pages of two pixels side by side, little-endian. @see TIFF 6.0, section 2 */
function tiffOf(...pages: readonly Page[]): Buffer {
  const parts: Buffer[] = [Buffer.from("II*\0\0\0\0\0", "latin1")];
  const sizeOf = () => parts.reduce((sum, { length }) => sum + length, 0);
  const add = (bytes: Buffer): number => parts.push(bytes, Buffer.alloc(bytes.length % 2)) && sizeOf() - bytes.length - (bytes.length % 2);
  let link = { bytes: parts[0] ?? Buffer.alloc(0), at: 4 };
  for (const { data, photometric, bits = 8, channels = 1, kind, extras, palette, subsampling, unit, compression = 1 } of pages) {
    const content = Buffer.from(data as Buffer);
    const each = (value: number | readonly number[]) => (Array.isArray(value) ? value : Array(Number(channels)).fill(value));
    const tags: (readonly [number, readonly number[]])[] = [
      ...([
        [256, [2]],
        [257, [1]],
        [258, each(bits)],
        [259, [compression as number]],
        [262, [photometric]],
        [273, [add(content)]],
        [277, [Number(channels)]],
      ] as const),
      ...([
        [278, [1]],
        [279, [content.length]],
      ] as const),
      ...(unit === undefined
        ? []
        : ([
            [282, [add(Buffer.from(new Uint32Array([204, 1]).buffer))]],
            [283, [add(Buffer.from(new Uint32Array([98, 1]).buffer))]],
            [296, [unit as number]],
          ] as const)),
      ...(palette === undefined ? [] : [[320, palette as readonly number[]] as const]),
      // Old-style JPEG names its stream once more.
      ...(compression === 6
        ? ([
            [513, [8]],
            [514, [content.length]],
          ] as const)
        : []),
      ...(extras === undefined ? [] : [[338, extras as readonly number[]] as const]),
      ...(kind === undefined ? [] : [[339, each(kind)] as const]),
      ...(subsampling === undefined ? [] : [[530, subsampling as readonly number[]] as const]),
    ];
    const directory = Buffer.alloc(2 + tags.length * 12 + 4);
    directory.writeUInt16LE(tags.length);
    for (const [index, [tag, values]] of tags.entries()) {
      const at = 2 + index * 12;
      const list = Buffer.from(new Uint16Array(values).buffer);
      directory.writeUInt16LE(tag, at);
      directory.writeUInt16LE(tag === 273 ? 4 : isFraction(tag) ? 5 : 3, at + 2);
      directory.writeUInt32LE(values.length, at + 4);
      if (tag === 273 || isFraction(tag)) directory.writeUInt32LE(values[0] ?? 0, at + 8);
      else if (list.length > 4) directory.writeUInt32LE(add(list), at + 8);
      else list.copy(directory, at + 8);
    }
    const place = add(directory);
    link.bytes.writeUInt32LE(place, link.at);
    link = { bytes: directory, at: directory.length - 4 };
  }
  return Buffer.concat(parts);
}

const isFraction = (tag: number): boolean => tag === 282 || tag === 283;
const of = (array: ArrayBufferView): Buffer => Buffer.from(array.buffer);
const twelve: Page = { data: [0x00, 0x0f, 0xff], photometric: 1, bits: 12 };
const plainYcbcr: Page = { data: [0, 128, 128, 255, 128, 128], photometric: 6, channels: 3, subsampling: [1, 1] };
const fourWhite: Page = { data: [0xf0], photometric: 0, bits: 4 };
const palette: Page = {
  data: [0x01],
  photometric: 3,
  bits: 4,
  palette: Array.from({ length: 48 }, (_, index) => (index % 16 === 1 ? 65_535 : 0)),
};

const [plain, magick, libtiff] = [useBench(sharpEngine), useBench(imagemagickEngine), useBench(libtiffEngine)];

async function converted(bench: Bench, to: string, pages: readonly Page[], options = {}) {
  const path = await bench.given(tiffOf(...pages), "tiff");
  const made = await bench.convert(path, "tiff", to, options);
  return { ...made, bytes: await readFile(made.path) };
}
/** Grey of both pixels, and their transparency if there is any. */
async function greysOf(bytes: Buffer, page = 0): Promise<readonly number[]> {
  const { data, info } = await sharp(bytes, { page }).toColourspace("srgb").raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
  const others = info.channels === 4 ? [data[3] ?? 0, data[7] ?? 0] : [];
  return [data[0] ?? 0, data[info.channels] ?? 0, ...others];
}

it("TIFF that states only a ratio of its pixels is no page of a few points, unless another page states their number", async () => {
  const page: Page = { data: [0, 255], photometric: 1, unit: 1 };
  const sizeOf = async (...pages: readonly Page[]) => {
    const { bytes } = await converted(libtiff, "pdf", pages);
    return /MediaBox \[0\.0+ 0\.0+ ([\d.]+) ([\d.]+)/.exec(bytes.toString("latin1"))?.slice(1).map(Number);
  };
  expect(await sizeOf(page)).toEqual([expect.closeTo((2 * 72) / 300, 2), expect.closeTo(((72 / 300) * 204) / 98, 2)]);
  expect(await sizeOf({ ...page, unit: 2 }, page)).toEqual([expect.closeTo((2 * 72) / 204, 2), expect.closeTo(72 / 98, 2)]);
});

describe("TIFF samples converted by libvips", () => {
  it.each<[string, Page, string]>([
    [
      "of 8 bits with a sign are scaled to their range",
      { data: of(new Int8Array([-128, 127])), photometric: 1, kind: 2 },
      "-128 as black and 127 as white",
    ],
    [
      "that are heights are scaled to their range",
      { data: of(new Int16Array([-200, 2350])), photometric: 1, bits: 16, kind: 2 },
      "-200 as black and 2350 as white",
    ],
    [
      "that are counts are scaled to their range",
      { data: of(new Uint32Array([0, 255])), photometric: 1, bits: 32 },
      "0 as black and 255 as white",
    ],
    [
      "of floating point with 0 as white are not inverted",
      { data: of(new Float32Array([1, 0])), photometric: 0, bits: 32, kind: 3 },
      "1 as black and 0 as white",
    ],
    [
      "are not veiled by infrared, which is left out",
      { data: [0, 0, 0, 9, 8, 255, 255, 255, 7, 6], photometric: 2, channels: 5, extras: [0, 0] },
      "2 further channels were left out",
    ],
    [
      "are not veiled by the second of several bands",
      { data: [0, 9, 8, 255, 7, 6], photometric: 1, channels: 3, extras: [0, 0] },
      "2 further channels were left out",
    ],
  ])("%s", async (_, page, note) => {
    for (const to of ["png", "jpg"]) {
      const { bytes, notes } = await converted(plain, to, [page]);
      const [black = 0, white = 0, ...others] = await greysOf(bytes);
      expect([black < 6, white > 249, ...others], to).toEqual([true, true]);
      expect(notes.get("MEDIA_CHANGED")).toContain(note);
    }
  });

  it("keep transparency, and the channel after it is noted", async () => {
    const page: Page = { data: [0, 0, 0, 255, 8, 255, 255, 255, 0, 6], photometric: 2, channels: 5, extras: [2, 0] };
    const { bytes, notes } = await converted(plain, "png", [page]);
    expect(await greysOf(bytes)).toEqual([0, 255, 255, 0]);
    expect(notes.get("MEDIA_CHANGED")).toBe("A further channel was left out.");
  });

  it.each([
    [2, 204],
    [1, 72],
  ])("become square pixels with a note, and keep their density only with a unit (%d)", async (unit, density) => {
    const { bytes, notes } = await converted(plain, "png", [{ data: [0, 255], photometric: 1, unit }]);
    expect((await sharp(bytes).metadata()).density).toBe(density);
    expect(notes.get("MEDIA_CHANGED")).toBe("Pixels are square now; they were 0.48 times as wide as high.");
  });

  it.each([
    ["12 bits", twelve],
    ["luma and chroma in full", plainYcbcr],
    ["a compression that it lacks, which were black", { data: zstdCompressSync(Buffer.of(0, 255)), photometric: 1, compression: 50_000 }],
  ])("of %s are left to ImageMagick", async (_, page) => {
    await expect(converted(plain, "png", [page])).rejects.toBeInstanceOf(EngineFault);
    expect(await greysOf((await converted(magick, "png", [page])).bytes)).toEqual([0, 255]);
  });
});

describe("a TIFF converted by ImageMagick", () => {
  it("in old-style JPEG keeps its colours", async () => {
    const raw = { width: 2, height: 1, channels: 3 } as const;
    const jpeg = await sharp(Buffer.of(200, 30, 30, 200, 30, 30), { raw })
      .jpeg({ quality: 100 })
      .toBuffer();
    const page: Page = { data: jpeg, photometric: 6, channels: 3, compression: 6 };
    await expect(converted(plain, "png", [page])).rejects.toBeInstanceOf(EngineFault);
    // Of several strips, it repeats the first.
    await expect(converted(libtiff, "pdf", [page])).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
    for (const [to, options] of [
      ["png", {}],
      ["tiff", { compression: "lzw" }],
    ] as const) {
      const { bytes } = await converted(magick, to, [page], options);
      const [red = 0, green = 0, blue = 0] = await sharp(bytes).removeAlpha().raw().toBuffer();
      expect([red > 190, green < 40, blue < 40], to).toEqual([true, true, true]);
    }
  });

  it("keeps pages with a palette or few bits beside others", async () => {
    const pages = [{ data: [0, 255], photometric: 1 }, palette, { data: [0x40], photometric: 1, bits: 1 }];
    for (const compression of [undefined, "lzw", "deflate"]) {
      const { bytes, notes } = await converted(magick, "tiff", pages, compression === undefined ? { width: 2 } : { compression });
      expect([...notes.keys()]).toEqual([]);
      expect(await Promise.all([0, 1, 2].map((page) => greysOf(bytes, page)))).toEqual([0, 0, 0].map((black) => [black, 255]));
    }
  });

  it.each<[string, Page, readonly number[]]>([
    ["four bits with 0 as white", fourWhite, [0, 255]],
    ["transparency beside 0 as white", { data: [255, 255, 0, 0], photometric: 0, channels: 2, extras: [2] }, [0, 255, 255, 0]],
    ["signed samples", { data: of(new Int16Array([-32_768, 32_767])), photometric: 1, bits: 16, kind: 2 }, [0, 255]],
    ["floating point up to 255", { data: of(new Float32Array([0, 255])), photometric: 1, bits: 32, kind: 3 }, [0, 255]],
  ])("is left to libvips if it has %s", async (_, page, wanted) => {
    expect(await greysOf((await converted(magick, "tiff", [page], { compression: "lzw" })).bytes)).toEqual(wanted);
    await expect(converted(magick, "bmp", [page])).rejects.toBeInstanceOf(EngineFault);
  });
});
