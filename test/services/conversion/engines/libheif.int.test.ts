import { execFile } from "node:child_process";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { libheifEngine } from "#services/conversion/engines/libheif.ts";
import { byFfmpeg, byGraphicsMagick, differenceOf, halvesOf } from "#test/contract/colours.ts";
import { type Bench, openBench, testEngine } from "#test/contract/engine.ts";
import { halfTransparent, noise } from "./picture-samples.ts";
import { rasterSample } from "./raster-samples.ts";

const run = promisify(execFile);

async function heic(source: string, folder: string): Promise<string> {
  const path = join(folder, "sample.heic");
  await run("/usr/bin/convert-im6.q16", [source, `heic:${path}`]);
  return path;
}

testEngine(libheifEngine, {
  sample: async (format, folder) =>
    format === "heic" ? heic(await rasterSample("png", folder), folder) : await rasterSample(format, folder),
  async check(hop, _reading, path) {
    expect(differenceOf(await halvesOf(path, hop.to, hop.to === "heic" ? byGraphicsMagick : byFfmpeg))).toBeLessThan(12);
  },
});

describe("engine libheif, in detail", () => {
  let bench: Bench;
  let rough: string;
  beforeAll(async () => {
    bench = await openBench(libheifEngine);
    rough = join(bench.folder, "noise.png");
    await noise(160, 120).png().toFile(rough);
  });
  afterAll(() => bench[Symbol.asyncDispose]());
  const bytesOf = async (path: string) => (await stat(path)).size;

  it("obeys its options", async () => {
    const coarse = await bytesOf((await bench.convert(rough, "png", "heic", { quality: 20 })).path);
    const fine = await bytesOf((await bench.convert(rough, "png", "heic", { quality: 90 })).path);
    expect(coarse).toBeLessThan(fine / 2);
    const hurried = await bytesOf((await bench.convert(rough, "png", "heic", { effort: "ultrafast" })).path);
    expect(await bytesOf((await bench.convert(rough, "png", "heic", { effort: "medium" })).path)).not.toBe(hurried);
    const sample = await heic(rough, bench.folder);
    const small = await bytesOf((await bench.convert(sample, "heic", "jpg", { quality: 20 })).path);
    expect(small).toBeLessThan(await bytesOf((await bench.convert(sample, "heic", "jpg", { quality: 95 })).path));
  });

  it("keeps transparency where the target has it, and leaves it to others where it has not", async () => {
    const source = join(bench.folder, "clear.png");
    await writeFile(source, await halfTransparent().png().toBuffer());
    const { path } = await bench.convert(source, "png", "heic");
    const back = await bench.convert(path, "heic", "png");
    expect((await run("ffprobe", ["-v", "error", "-show_entries", "stream=pix_fmt", "-of", "csv=p=0", back.path])).stdout.trim()).toBe(
      "rgba",
    );
    await expect(bench.convert(path, "heic", "jpg")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });

  it("refuses a picture that was cut off", async () => {
    const cut = join(bench.folder, "cut.heic");
    await run("sh", ["-c", 'head -c 300 "$1" > "$2"', "sh", await heic(rough, bench.folder), cut]);
    await expect(bench.convert(cut, "heic", "png")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});
