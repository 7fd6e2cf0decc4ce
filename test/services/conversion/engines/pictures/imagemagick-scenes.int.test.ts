import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { imagemagickEngine } from "#services/conversion/engines/pictures/imagemagick.ts";
import { useBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const magick = "/usr/bin/convert-im6.q16";

/** By a program other than the engine's. */
async function pixelsOf(path: string, format: string): Promise<string> {
  const script = `from PIL import Image; i = Image.open(r"${path}"); print(i.format.lower(), *i.convert("RGB").getpixel((1, 1)), *i.convert("RGB").getpixel((6, 1)))`;
  const { stdout } = await run("/usr/bin/python3", ["-c", script]);
  expect(stdout.startsWith(format)).toBe(true);
  return stdout.trim().replace(/^\w+ /, "");
}

describe("scenes of ImageMagick", () => {
  const bench = useBench(imagemagickEngine);

  it.each(["png", "tiff"])("writes palettes and greys of few bits to Photoshop files in eight (%s)", async (from) => {
    const colours = join(bench.folder, `colours.${from}`);
    const halves = ["(", "-size", "4x8", "xc:#c86432", ")", "(", "-size", "4x8", "xc:#1450a0", ")", "+append"];
    const packed = from === "png" ? ["-type", "Palette"] : ["-colorspace", "Gray", "-depth", "4"];
    await run(magick, [...halves, ...packed, colours]);
    const { path } = await bench.convert(colours, from, "psd");
    const expected = await pixelsOf(colours, from);
    expect(await pixelsOf(path, "psd")).toBe(expected);
  });

  it("keeps the colours of a palette of two", async () => {
    const icon = join(bench.folder, "two.ico");
    const palette = Buffer.from([0x32, 0x64, 0xc8, 0, 0xa0, 0x50, 0x14, 0]);
    const header = Buffer.alloc(22 + 40);
    header.writeUInt16LE(1, 2);
    header.writeUInt16LE(1, 4);
    header.set([8, 8, 2, 0, 1, 0, 1, 0], 6);
    header.writeUInt32LE(40 + 8 + 64, 14);
    header.writeUInt32LE(22, 18);
    header.writeUInt32LE(40, 22);
    header.writeInt32LE(8, 26);
    header.writeInt32LE(16, 30);
    header.set([1, 0, 1, 0], 34);
    const rows = Buffer.concat(Array.from({ length: 8 }, () => Buffer.from([0x0f, 0, 0, 0])));
    await writeFile(icon, Buffer.concat([header, palette, rows, Buffer.alloc(32)]));
    for (const to of ["tiff", "png"]) expect(await pixelsOf((await bench.convert(icon, "ico", to)).path, to)).toBe("200 100 50 20 80 160");
  });

  it("writes samples of 12 bits in 16, which all programs read", async () => {
    const deep = join(bench.folder, "deep.pgm");
    await run(magick, ["-size", "8x8", "gradient:", "-depth", "12", deep]);
    const { path } = await bench.convert(deep, "pgm", "tiff");
    expect((await run("/usr/bin/tiffinfo", [path])).stdout).toContain("Bits/Sample: 16");
  });

  it("takes the shape of pixels for no resolution, and turns it with them", async () => {
    const fax = join(bench.folder, "fax.tiff");
    await run(magick, ["-size", "8x8", "xc:red", "-units", "Undefined", "-density", "2x1", "-compress", "none", fax]);
    const shape = await readFile((await bench.convert(fax, "tiff", "bmp")).path);
    expect([38, 42].map((at) => Math.round(shape.readInt32LE(at) * 0.0254))).toEqual([72, 36]);
    await run(magick, ["-size", "8x4", "xc:red", "-units", "PixelsPerInch", "-density", "300x100", "-orient", "RightTop", fax]);
    const turned = await readFile((await bench.convert(fax, "tiff", "bmp")).path);
    expect([38, 42].map((at) => Math.round(turned.readInt32LE(at) * 0.0254))).toEqual([100, 300]);
  });

  it("names the resolution that JPEG 2000 does not get", async () => {
    const page = join(bench.folder, "page.tiff");
    await run(magick, ["-size", "8x8", "xc:red", "-units", "PixelsPerCentimeter", "-density", "118.11", page]);
    expect((await bench.convert(page, "tiff", "jp2")).notes.get("MEDIA_CHANGED")).toBe("The resolution of 300 dpi was not kept.");
  });
});
