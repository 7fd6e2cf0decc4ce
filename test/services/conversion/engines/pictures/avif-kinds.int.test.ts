/** AVIF of kinds that libheif misreads, made by ffmpeg. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharpEngine } from "#services/conversion/engines/pictures/sharp.ts";
import { type Bench, openBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
let bench: Bench;
beforeAll(async () => {
  bench = await openBench(sharpEngine);
});
afterAll(() => bench[Symbol.asyncDispose]());

it.each([
  ["tv", [16, 235]],
  ["pc", [0, 255]],
] as const)("reads grey of the range %s from black to white", async (range, sides) => {
  const [source, file] = ["grey.raw", `${range}.avif`].map((name) => join(bench.folder, name)) as [string, string];
  await writeFile(source, Buffer.from(Array.from({ length: 64 * 64 }, (_, index) => sides[index % 64 < 32 ? 0 : 1])));
  const given = ["-f", "rawvideo", "-pix_fmt", "gray", "-s", "64x64", "-i", source];
  await run("ffmpeg", [
    "-v",
    "error",
    "-nostdin",
    "-y",
    ...given,
    "-c:v",
    "libaom-av1",
    "-still-picture",
    "1",
    "-color_range",
    range,
    file,
  ]);
  const { path } = await bench.convert(file, "avif", "png");
  const data = await sharp(path).greyscale().raw().toBuffer();
  expect(data[8]).toBeLessThan(5);
  expect(data[56]).toBeGreaterThan(250);
});
