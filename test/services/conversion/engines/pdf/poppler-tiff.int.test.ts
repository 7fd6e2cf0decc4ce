import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { popplerTiffEngine } from "#services/conversion/engines/pdf/poppler-tiff.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { pdfOf } from "./pdf-by-hand.ts";

const texts = Array.from({ length: 12 }, (_, index) => `${"numbat ".repeat(index + 1)}`);

async function twelvePages(folder: string): Promise<string> {
  const path = join(folder, "twelve.pdf");
  await writeFile(path, pdfOf(texts));
  return path;
}

testEngine(popplerTiffEngine, { sample: (_format, folder) => twelvePages(folder) });

describe("PDF to TIFF", () => {
  const bench = useBench(popplerTiffEngine);

  /** Darkness of each page: each has one word more than the one before. */
  async function inkOf(path: string): Promise<readonly number[]> {
    const { stdout } = await promisify(execFile)("convert-im6.q16", [path, "-colorspace", "gray", "-format", "%[fx:1-mean] ", "info:"]);
    return stdout.trim().split(" ").map(Number);
  }

  it("writes all pages to one file, in order", async () => {
    const ink = await inkOf((await bench.convert(await twelvePages(bench.folder), "pdf", "tiff")).path);
    expect(ink).toHaveLength(12);
    expect(ink.toSorted((a, b) => a - b)).toEqual(ink);
  });

  it("converts the requested pages and records their resolution", async () => {
    const source = await twelvePages(bench.folder);
    const all = await inkOf((await bench.convert(source, "pdf", "tiff", { dpi: 100 })).path);
    const { path } = await bench.convert(source, "pdf", "tiff", { pages: "2-3,11", dpi: 100 });
    expect(await inkOf(path)).toEqual([all[1], all[2], all[10]]);
    expect((await sharp(path).metadata()).density).toBe(100);
    await expect(bench.convert(source, "pdf", "tiff", { pages: "13" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
    await expect(bench.convert(source, "pdf", "tiff", { page: 1, pages: "2" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("renders rotated pages, and nothing outside the crop box", async () => {
    const tiffOf = async (more: string) => {
      const source = join(bench.folder, "shown.pdf");
      await writeFile(source, pdfOf(["numbat"], "0 0 200 100", more));
      return (await bench.convert(source, "pdf", "tiff", { dpi: 72 })).path;
    };
    expect(await sharp(await tiffOf("/Rotate 90 ")).metadata()).toMatchObject({ width: 100, height: 200 });
    const cut = await tiffOf("/CropBox [100 0 200 100] ");
    expect(await sharp(cut).metadata()).toMatchObject({ width: 100, height: 100 });
    expect(await inkOf(cut)).toEqual([0]);
  });

  it("rejects a page that exceeds the size limit", async () => {
    await expect(bench.convert(await twelvePages(bench.folder), "pdf", "tiff", { width: 16_000, height: 16_000 })).rejects.toMatchObject({
      code: "INPUT_TOO_COMPLEX",
    });
  });
});
