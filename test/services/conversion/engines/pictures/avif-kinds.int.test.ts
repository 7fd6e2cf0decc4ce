/** AVIF of kinds that libheif misreads, made by ffmpeg. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { countTiles } from "#services/conversion/engines/pictures/heif-boxes.mjs";
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

it("does not take the tiles of a grid for pictures", async () => {
  const box = (kind: string, ...parts: readonly (Buffer | readonly number[])[]) => {
    const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
    const head = Buffer.alloc(8);
    head.writeUInt32BE(content.length + 8);
    head.write(kind, 4);
    return Buffer.concat([head, content]);
  };
  const entry = (id: number, isHidden: boolean) => box("infe", [2, 0, 0, isHidden ? 1 : 0, 0, id, 0, 0], Buffer.from("av01\0"));
  const items = box("iinf", [0, 0, 0, 0, 0, 4], entry(1, false), entry(2, false), entry(3, false), entry(4, true));
  const references = box("iref", [0, 0, 0, 0], box("dimg", [0, 1, 0, 2, 0, 2, 0, 4]));
  expect(countTiles(box("meta", [0, 0, 0, 0], items, references))).toBe(1);
});
