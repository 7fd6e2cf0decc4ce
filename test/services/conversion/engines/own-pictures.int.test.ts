/** Pictures that stay what they are: smaller, cleaned, or given back. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharpEngine } from "#services/conversion/engines/sharp.ts";
import { type Bench, openBench } from "#test/contract/engine.ts";
import { noise } from "./picture-samples.ts";

describe("pictures in their own format", () => {
  let bench: Bench;
  let count = 0;
  beforeAll(async () => {
    bench = await openBench(sharpEngine);
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  async function file(bytes: Buffer): Promise<string> {
    count += 1;
    const path = join(bench.folder, `made-${count}`);
    await writeFile(path, bytes);
    return path;
  }

  it("writes a picture anew in its own format: smaller, cleaned, or as it is", async () => {
    const plain = await noise(90, 70).png({ compressionLevel: 0 }).toBuffer();
    const smaller = await bench.convert(await file(plain), "png", "png");
    const written = await readFile(smaller.path);
    expect(written.length).toBeLessThan(plain.length);
    expect((await sharp(written).raw().toBuffer()).equals(await sharp(plain).raw().toBuffer())).toBe(true);
    const again = await bench.convert(smaller.path, "png", "png");
    expect([...again.notes.keys()]).toEqual(["SOURCE_KEPT"]);
    expect((await readFile(again.path)).equals(written)).toBe(true);
  });

  it("does not give back a picture whose metadata it was to clean, or of which something else was asked", async () => {
    const tagged = await sharp(await noise(90, 70).png({ compressionLevel: 9, adaptiveFiltering: true }).toBuffer())
      .withExif({ IFD0: { Copyright: "Ada" } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    const cleaned = await bench.convert(await file(tagged), "png", "png");
    expect([...cleaned.notes.keys()]).toEqual(["METADATA_DROPPED"]);
    expect((await readFile(cleaned.path, "latin1")).includes("Ada")).toBe(false);
    const small = await bench.convert(cleaned.path, "png", "png", { width: 45 });
    expect(await sharp(small.path).metadata()).toMatchObject({ width: 45, height: 35 });
    expect(small.notes.has("SOURCE_KEPT")).toBe(false);
  });
});
