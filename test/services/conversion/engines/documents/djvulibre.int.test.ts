import { copyFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { djvulibreEngine } from "#services/conversion/engines/documents/djvulibre.ts";
import { byGraphicsMagick, differenceOf, halvesOf } from "#test/contract/colours.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { textFrom } from "#test/prove/readers/program.ts";
import { rasterSample } from "#test/services/conversion/engines/pictures/raster-samples.ts";

const bench = useBench(djvulibreEngine);

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

testEngine(djvulibreEngine, {
  sample,
  async check({ to }, reading, path) {
    if (to === "pdf") return expect(reading.pages).toBe(1);
    if (to === "tiff") return expect(differenceOf(await halvesOf(path, "tiff", byGraphicsMagick))).toBeLessThan(40);
    const back = (await bench.convert(path, "djvu", "tiff")).path;
    expect(differenceOf(await halvesOf(back, "tiff", byGraphicsMagick))).toBeLessThan(40);
  },
});

/** As scanning programs write them. */
const described = `select 1
set-ant
(maparea "https://example.org/" "" (rect 80 60 100 20) (xor))
.
select
set-outline
(bookmarks ("Gr\\303\\266\\303\\237e" "#1" ("Within" "#1")))
.
set-meta
Title "A \\"scan\\""
.
save
`;

describe("engine djvulibre, in detail", () => {
  it("keeps text, links, bookmarks and title in a PDF", async () => {
    const [path, script] = [join(bench.folder, "described.djvu"), join(bench.folder, "described.djvused")];
    await copyFile(join(import.meta.dirname, "../../../../corpus/document/text.djvu"), path);
    await writeFile(script, described);
    await textFrom("djvused", path, "-f", script);
    const made = await bench.convert(path, "djvu", "pdf");
    const words = async (...command: [string, ...string[]]) => (await textFrom(...command)).split(/\s+/).toSorted();
    expect(await words("pdftotext", made.path, "-")).toEqual(await words("djvutxt", path));
    expect(await textFrom("pdfinfo", made.path)).toMatch(/^Title: +A "scan"$/m);
    const objects = await textFrom("qpdf", "--qdf", "--object-streams=disable", made.path, "-");
    expect(objects).toContain("/URI (https://example.org/)");
    expect(objects).toContain("/Title (Within)");
    expect(await textFrom("qpdf", "--check", made.path)).toContain("No syntax or stream encoding errors");
  });

  it("makes smaller files at lower quality", async () => {
    const noisy = join(bench.folder, "noise.ppm");
    const pixels = Buffer.from(Array.from({ length: 200 * 200 * 3 }, (_, at) => (at * 7919) % 251));
    await writeFile(noisy, Buffer.concat([Buffer.from("P6 200 200 255\n"), pixels]));
    const sizeAt = async (decibels: number) => (await stat((await bench.convert(noisy, "ppm", "djvu", { decibels })).path)).size;
    expect(await sizeAt(20)).toBeLessThan(await sizeAt(44));
  });

  it("names a document whose pages are in other files", async () => {
    const path = join(bench.folder, "index.djvu");
    const index =
      "QVQmVEZPUk0AAABNREpWTURJUk0AAABBAQAI//9uv4oy9trrBAbGdaWWA4TXUSpUGLsxlCezSk0H1WcaKFrWQt6JiLEWi53mJC+zpgWzCmsfwEep2+8cvVo=";
    await writeFile(path, Buffer.from(index, "base64"));
    await expect(bench.convert(path, "djvu", "pdf")).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("in other files"),
    });
  });
});
