/** Pictures by FFmpeg: what the formats hold is preserved, anything else is noted. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { expect, it } from "vitest";
import { ffmpegStillsEngine } from "#services/conversion/engines/media/ffmpeg-stills.ts";
import { useBench } from "#test/contract/engine.ts";

const execute = promisify(execFile);
const bench = useBench(ffmpegStillsEngine);

const pixelsOf = async (path: string) => await sharp(path).ensureAlpha().toColourspace("srgb").raw().toBuffer();

it.each(["qoi", "tga"])("a palette that is transparent stays so in %s", async (to) => {
  const path = join(bench.folder, "palette.png");
  const disc = ["-fill", "red", "-draw", "circle 16,16 16,4", "-fill", "blue", "-draw", "rectangle 0,0 3,3"];
  await execute("convert-im6.q16", ["-size", "32x32", "xc:none", "+antialias", ...disc, `PNG8:${path}`]);
  expect((await sharp(path).metadata()).isPalette).toBe(true);
  const there = await bench.convert(path, "png", to);
  const back = await bench.convert(there.path, to, "png");
  expect((await pixelsOf(back.path)).equals(await pixelsOf(path))).toBe(true);
  expect([...there.notes]).toEqual([]);
});

it.each(["qoi", "tga"])("a picture of 16 bits per channel in %s has a note that eight remain", async (to) => {
  const path = join(bench.folder, "deep.png");
  await execute("convert-im6.q16", ["-size", "32x32", "gradient:red-blue", "-depth", "16", `PNG48:${path}`]);
  expect((await bench.convert(path, "png", to)).notes.get("MEDIA_CHANGED")).toBe("Colours have 8 bits instead of 16.");
});
