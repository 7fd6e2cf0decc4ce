/** Device files: cameras, macOS icons, MIDI. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { fluidsynthEngine } from "#services/conversion/engines/media/fluidsynth.ts";
import { icnsutilsEngine } from "#services/conversion/engines/pictures/icnsutils.ts";
import { librawEngine } from "#services/conversion/engines/pictures/libraw.ts";
import { useBench } from "#test/contract/engine.ts";
import { readingsOf } from "#test/prove/readers/pixels.ts";

const typical = (name: string): string => join(import.meta.dirname, "../../../../corpus/typical", name);

describe("libraw", () => {
  const bench = useBench(librawEngine);

  it.each(["dng", "nef", "arw", "pef", "cr2", "orf", "raf", "rw2"])("develops %s in its original colours", async (format) => {
    const { path } = await bench.convert(typical(`image/typical.${format}`), format, "tiff");
    const wanted = await sharp(typical("image/typical.png")).removeAlpha().resize(32, 24, { fit: "fill" }).raw().toBuffer();
    const { data, info } = await sharp(path).resize(32, 24, { fit: "fill" }).raw().toBuffer({ resolveWithObject: true });
    expect(info.channels).toBe(3);
    expect(correlation(wanted, data)).toBeGreaterThan(0.8);
  });

  it("is judged by dcraw, whose pictures were not read once, so that proofs looked at an undeveloped mosaic", async () => {
    for (const format of ["dng", "nef", "arw", "pef", "cr2", "orf", "raf", "rw2"]) {
      const { value } = await readingsOf({ path: typical(`image/typical.${format}`), format, kind: "image" }).next();
      expect([format, value?.reader]).toEqual([format, "dcraw"]);
    }
  });

  it.each(["cr2", "orf", "raf", "rw2"])("refuses %s without the end of its picture", async (format) => {
    const [file, whole] = [join(bench.folder, `cut.${format}`), await readFile(typical(`image/typical.${format}`))];
    await writeFile(file, whole.subarray(0, whole.length * 0.6));
    await expect(bench.convert(file, format, "tiff")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("refuses truncated files, and files that are not camera raw", async () => {
    const file = join(bench.folder, "cut.dng");
    await writeFile(file, (await readFile(typical("image/typical.dng"))).subarray(0, 3000));
    await expect(bench.convert(file, "dng", "tiff")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await writeFile(file, "quokka");
    await expect(bench.convert(file, "dng", "tiff")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("icnsutils", () => {
  const bench = useBench(icnsutilsEngine);

  it("extracts the largest picture, and lists the available sizes", async () => {
    const { path, notes } = await bench.convert(typical("image/typical.icns"), "icns", "png");
    expect([...notes]).toEqual([["PAGES_LEFT_OUT", "Only the largest of 2 pictures was converted."]]);
    expect(await sharp(path).metadata()).toMatchObject({ width: 256, height: 256 });
    const refused = bench.convert(typical("image/typical.icns"), "icns", "png", { size: "16" });
    await expect(refused).rejects.toMatchObject({ code: "INVALID_OPTION", details: { allowed: ["256", "128"] } });
  });

  it("extracts a picture in JPEG 2000", async () => {
    const picture = await readFile(typical("image/typical.jp2"));
    const file = join(bench.folder, "photo.icns");
    const entry = (type: string, content: Buffer): Buffer => {
      const head = Buffer.from(`${type}    `);
      head.writeUInt32BE(8 + content.length, 4);
      return Buffer.concat([head, content]);
    };
    await writeFile(file, entry("icns", entry("ic09", picture)));
    const { path } = await bench.convert(file, "icns", "png");
    const { width, height } = await sharp(typical("image/typical.png")).metadata();
    expect(await sharp(path).metadata()).toMatchObject({ format: "png", width, height });
  });

  it("writes every size up to the picture's, square and with its transparency", async () => {
    const file = join(bench.folder, "wide.png");
    await sharp({ create: { width: 300, height: 150, channels: 4, background: "#ff000080" } })
      .png()
      .toFile(file);
    const icon = await bench.convert(file, "png", "icns");
    for (const size of ["16", "32", "48", "128", "256"]) {
      const { path } = await bench.convert(icon.path, "icns", "png", { size });
      expect(await sharp(path).metadata()).toMatchObject({ width: Number(size), height: Number(size), hasAlpha: true });
    }
    const { path } = await bench.convert(icon.path, "icns", "png");
    const [top, middle] = [0, 128].map((y) => sharp(path).extract({ left: 128, top: y, width: 1, height: 1 }).raw().toBuffer());
    expect((await top)?.[3]).toBe(0);
    expect((await middle)?.[3]).toBe(128);
  });
});

describe("fluidsynth", () => {
  const bench = useBench(fluidsynthEngine);

  it("plays the notes and stops after the last", async () => {
    const file = join(bench.folder, "a.mid");
    // An organ holds A (440 Hz) for two seconds.
    await writeFile(file, Buffer.from("4d546864000000060000000101e04d54726b0000001000c0100090457f8f0080450000ff2f00", "hex"));
    const wave = await readFile((await bench.convert(file, "mid", "wav", { reverb: false })).path);
    const samples = new Int16Array(wave.buffer.slice(wave.byteOffset + 44, wave.byteOffset + wave.length - (wave.length % 2)));
    const seconds = samples.length / 2 / 44_100;
    expect(seconds).toBeGreaterThan(2);
    expect(seconds).toBeLessThanOrEqual(2.9);
    const strengths = [415.3, 440, 466.16].map((hertz) => strengthOf(samples, hertz));
    expect(strengths[1]).toBeGreaterThan(10 * Math.max(strengths[0] ?? 0, strengths[2] ?? 0));
  });

  it("notes lyrics and copyright that are left out, and refuses a piece with a time code", async () => {
    const file = join(bench.folder, "c.mid");
    const song = "4d546864000000060000000101e04d54726b0000001800ff02024d6500ff05024c6100903c7f60803c0000ff2f00";
    await writeFile(file, Buffer.from(song, "hex"));
    const { notes } = await bench.convert(file, "mid", "wav");
    expect([...notes]).toEqual([["METADATA_DROPPED", "What the piece says besides its notes was left out (copyright, lyrics)."]]);
    await writeFile(file, Buffer.from(song.replace("01e0", "e728"), "hex"));
    await expect(bench.convert(file, "mid", "wav")).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("time code"),
    });
  });

  it("refuses several pieces in one file, which would be played all at once", async () => {
    const file = join(bench.folder, "d.mid");
    const piece = "4d54726b0000000c00903c7f60803c0000ff2f00";
    await writeFile(file, Buffer.from(`4d546864000000060002000201e0${piece}${piece}`, "hex"));
    await expect(bench.convert(file, "mid", "wav")).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: "The file holds several pieces (MIDI format 2), which would be played all at once.",
    });
    // One piece of that kind is a piece like any other.
    await writeFile(file, Buffer.from(`4d546864000000060002000101e0${piece}`, "hex"));
    expect((await bench.convert(file, "mid", "wav")).notes.size).toBe(0);
  });

  it("refuses a piece that lasts for days, and files that are not MIDI", async () => {
    const file = join(bench.folder, "b.mid");
    await writeFile(file, Buffer.from("4d546864000000060000000101e04d54726b0000000bffffff7f903c7f00ff2f00", "hex"));
    await expect(bench.convert(file, "mid", "wav")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
    await writeFile(file, "MThd");
    await expect(bench.convert(file, "mid", "wav")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

/** In the second second of the left channel. @see the Goertzel algorithm */
function strengthOf(samples: Int16Array, hertz: number): number {
  let [real, imaginary] = [0, 0];
  for (let at = 44_100; at < 66_150; at++) {
    const angle = (2 * Math.PI * hertz * at) / 44_100;
    const value = samples[at * 2] ?? 0;
    real += value * Math.cos(angle);
    imaginary += value * Math.sin(angle);
  }
  return Math.hypot(real, imaginary);
}

function correlation(a: Uint8Array, b: Uint8Array): number {
  const mean = (values: Uint8Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [product, powerA, powerB] = [0, 0, 0];
  for (const [at, value] of a.entries()) {
    const [x, y] = [value - meanA, (b[at] ?? 0) - meanB];
    product += x * y;
    powerA += x * x;
    powerB += y * y;
  }
  return product / Math.sqrt(powerA * powerB);
}
