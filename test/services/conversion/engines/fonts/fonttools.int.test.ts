/** Fonts with fewer characters: the remaining ones look the same, also in combination. */
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import sharp from "sharp";
import { expect, test } from "vitest";
import { fonttoolsEngine } from "#services/conversion/engines/fonts/fonttools.ts";
import { openBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const [original = ""] = globSync("/usr/share/fonts/*/dejavu/DejaVuSans.ttf");
const about = async (path: string) => (await run("fc-scan", ["--format", "%{family[0]}|%{charset}\n", path])).stdout.trim();
const drawn = async (fontfile: string, text: string) =>
  await sharp({ text: { text, fontfile, font: "DejaVu Sans 40", dpi: 96 } })
    .raw()
    .toBuffer();

test("keeps the letters that are asked for, with ligatures, kerning and the name", async () => {
  await using bench = await openBench(fonttoolsEngine);
  const whole = (await stat(original)).size;
  const { path, notes } = await bench.convert(original, "ttf", "ttf", { text: "ffi AV", unicodes: "U+00C4,41-43" });
  expect([...notes]).toEqual([]);
  expect(await about(path)).toBe("DejaVu Sans|20 41-43 56 66 69 c4");
  expect((await stat(path)).size).toBeLessThan(whole / 10);
  expect(await drawn(path, "ffi AV")).toEqual(await drawn(original, "ffi AV"));

  const kept = await bench.convert(original, "ttf", "ttf");
  expect([(await about(kept.path)).length, (await stat(kept.path)).size <= whole]).toEqual([(await about(original)).length, true]);
  await expect(bench.convert(original, "ttf", "ttf", { unicodes: "U+1F6D8" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
});
