/** TIFF to TIFF keeps every page with its bit depth. */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import type { OptionValues } from "#services/conversion/domain/engine.ts";
import { imagemagickEngine } from "#services/conversion/engines/pictures/imagemagick.ts";
import { useBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const magick = async (...args: readonly string[]) => (await run("convert-im6.q16", [...args])).stdout.trim();
const described = async (path: string, what: string) => (await magick(path, "-format", `${what}\n`, "info:-")).split("\n");

describe("a scan of several pages", () => {
  const bench = useBench(imagemagickEngine);
  let scan: string;
  let words: string;
  beforeAll(async () => {
    scan = join(bench.folder, "scan.tiff");
    words = join(bench.folder, "words.tiff");
    const noise = [
      "-size",
      "400x300",
      "plasma:red-blue",
      "-size",
      "300x400",
      "gradient:white-gray",
      "-seed",
      "1",
      "-attenuate",
      "0.3",
      "+noise",
      "Gaussian",
    ];
    await magick(...noise, "-depth", "16", "-define", "tiff:artist=Quokka", "-compress", "None", scan);
    const drawn = ["-size", "600x200", "-pointsize", "60", "-gravity", "center", "label:Quokka", "label:Zebra"];
    await magick(...drawn, "-threshold", "50%", "-depth", "1", "-type", "bilevel", "-compress", "None", words);
  }, 60_000);
  const changed = async (input: string, options: OptionValues = {}) => await bench.convert(input, "tiff", "tiff", options);
  const bytesOf = async (path: string) => (await stat(path)).size;

  it("keeps every page and every bit, in fewer bytes", async () => {
    const { path, notes } = await changed(scan);
    expect([...notes]).toEqual([]);
    expect(await described(path, "%w %h %z %C %[tiff:artist]")).toEqual(["400 300 16 Zip Quokka", "300 400 16 Zip Quokka"]);
    expect(await bytesOf(path)).toBeLessThan(await bytesOf(scan));
    for (const page of [0, 1]) {
      const pixels = (file: string) => magick(`${file}[${page}]`, "-format", "%#", "info:-");
      expect(await pixels(path)).toBe(await pixels(scan));
    }
  });

  it("is compressed like a fax if bilevel, even when rotated", async () => {
    const turned = await changed(words, { rotate: "90" });
    expect(await described(turned.path, "%w %z %C")).toEqual(["200 1 Group4", "200 1 Group4"]);
    expect(await bytesOf(turned.path)).toBeLessThan((await bytesOf(words)) / 4);
    const again = await changed(turned.path);
    expect([...again.notes.keys()]).toEqual(["SOURCE_KEPT"]);
    expect((await readFile(again.path)).equals(await readFile(turned.path))).toBe(true);
  });

  it("shrinks to a third as JPEG, and is resized and stripped of its author on request", async () => {
    const { path, notes } = await changed(scan, { compression: "jpeg", width: 200, metadata: "strip" });
    expect([...notes.keys()]).toEqual(["MEDIA_CHANGED"]);
    expect(await described(path, "%w %h %C:%[tiff:artist]")).toEqual(["200 150 JPEG:", "200 267 JPEG:"]);
    expect(await bytesOf(path)).toBeLessThan((await bytesOf(scan)) / 3);
    await expect(changed(scan, { crop: "400x300+0+0" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});
