/** A JPEG recompressed and rotated losslessly. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { OptionValues } from "#services/conversion/domain/engine.ts";
import { sharpEngine } from "#services/conversion/engines/pictures/sharp.ts";
import { openBench } from "#test/contract/engine.ts";
import { noise } from "./picture-samples.ts";

test("rotates, crops and recompresses a JPEG losslessly", async () => {
  await using bench = await openBench(sharpEngine);
  const path = join(bench.folder, "photo.jpg");
  const source = await noise(320, 240)
    .withExif({ IFD0: { Artist: "Quokka" } })
    .jpeg({ optimiseCoding: false })
    .toBuffer();
  await writeFile(path, source);
  const changed = async (options: OptionValues, from = path) =>
    await bench.convert(from, "jpg", "jpg", { lossless: true, metadata: "keep", ...options });
  const pixels = async (of: Buffer | string, turn = 0) => await sharp(of).rotate(turn).raw().toBuffer();

  const packed = await changed({});
  expect((await stat(packed.path)).size).toBeLessThan(source.length);
  expect(await pixels(packed.path)).toEqual(await pixels(source));
  expect((await readFile(packed.path)).includes("Quokka")).toBe(true);
  const again = await changed({}, packed.path);
  expect([...again.notes.keys()]).toEqual(["SOURCE_KEPT"]);
  expect((await readFile(again.path)).equals(await readFile(packed.path))).toBe(true);

  // There and back gives the original: nothing was re-encoded.
  const turned = await changed({ rotate: "90", metadata: "strip" });
  expect([...turned.notes.keys()]).toEqual(["METADATA_DROPPED"]);
  expect(await sharp(turned.path).metadata()).toMatchObject({ width: 240, height: 320 });
  expect((await readFile(turned.path)).includes("Quokka")).toBe(false);
  expect(await pixels((await changed({ rotate: "270" }, turned.path)).path)).toEqual(await pixels(source));
  expect(await sharp((await changed({ crop: "160x80+16+32" })).path).metadata()).toMatchObject({ width: 160, height: 80 });

  const onItsSide = join(bench.folder, "side.jpg");
  await writeFile(onItsSide, await noise(320, 240).withMetadata({ orientation: 6 }).jpeg().toBuffer());
  const upright = await changed({}, onItsSide);
  expect([...upright.notes.keys()]).toEqual(["ORIENTATION_APPLIED"]);
  expect(await sharp(upright.path).metadata()).toMatchObject({ width: 240, height: 320, orientation: 1 });
});

test("refuses changes that cannot be lossless", async () => {
  await using bench = await openBench(sharpEngine);
  const path = join(bench.folder, "odd.jpg");
  await noise(101, 77).jpeg().toFile(path);
  const given = (options: OptionValues) => bench.convert(path, "jpg", "jpg", { lossless: true, ...options });
  await expect(given({ width: 50 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  await expect(given({ rotate: "90" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  await expect(given({ crop: "500x500+0+0" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  await writeFile(path, (await readFile(path)).subarray(0, 300));
  await expect(given({})).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
