import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { djvulibreEngine } from "#services/conversion/engines/documents/djvulibre.ts";
import { byGraphicsMagick, differenceOf, halvesOf } from "#test/contract/colours.ts";
import { type Bench, openBench, testEngine } from "#test/contract/engine.ts";
import { rasterSample } from "#test/services/conversion/engines/pictures/raster-samples.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(djvulibreEngine);
});
afterAll(() => bench[Symbol.asyncDispose]());

async function sample(format: string, folder: string): Promise<string> {
  if (format === "ppm") return await rasterSample("ppm", folder);
  if (format === "djvu") return (await bench.convert(await sample("ppm", folder), "ppm", "djvu")).path;
  const path = join(folder, "sample.jpg");
  await writeFile(
    path,
    await sharp(await rasterSample("png", folder))
      .jpeg()
      .toBuffer(),
  );
  return path;
}

// The text layer of a scan is tested below.
const hops = djvulibreEngine.hops.filter(({ to }) => to !== "txt");

testEngine(
  { ...djvulibreEngine, hops },
  {
    sample,
    async check({ to }, reading, path) {
      if (to === "pdf") return expect(reading.pages).toBe(1);
      if (to === "tiff") return expect(differenceOf(await halvesOf(path, "tiff", byGraphicsMagick))).toBeLessThan(40);
      const back = (await bench.convert(path, "djvu", "tiff")).path;
      expect(differenceOf(await halvesOf(back, "tiff", byGraphicsMagick))).toBeLessThan(40);
    },
  },
);

describe("engine djvulibre, in detail", () => {
  it("extracts the text layer, and notes pages without one", async () => {
    const corpus = join(import.meta.dirname, "../../../../corpus/document/text.djvu");
    expect(await readFile((await bench.convert(corpus, "djvu", "txt")).path, "utf8")).toContain("Quokka");
    const picture = await sample("djvu", bench.folder);
    await expect(bench.convert(picture, "djvu", "txt")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });

  it("makes smaller files at lower quality", async () => {
    const noisy = join(bench.folder, "noise.ppm");
    const pixels = Buffer.from(Array.from({ length: 200 * 200 * 3 }, (_, at) => (at * 7919) % 251));
    await writeFile(noisy, Buffer.concat([Buffer.from("P6 200 200 255\n"), pixels]));
    const sizeAt = async (decibels: number) => (await stat((await bench.convert(noisy, "ppm", "djvu", { decibels })).path)).size;
    expect(await sizeAt(20)).toBeLessThan(await sizeAt(44));
  });
});
