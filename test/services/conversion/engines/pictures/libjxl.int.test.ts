import { execFile } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { libjxlEngine } from "#services/conversion/engines/pictures/libjxl.ts";
import { differenceOf, halvesOf } from "#test/contract/colours.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { halfTransparent, noise } from "./picture-samples.ts";
import { rasterSample } from "./raster-samples.ts";

const run = promisify(execFile);

async function jxl(source: string, folder: string): Promise<string> {
  const path = join(folder, "sample.jxl");
  await run("ffmpeg", ["-v", "error", "-nostdin", "-y", "-i", source, "-c:v", "libjxl", "-f", "image2", "-update", "1", path]);
  return path;
}

testEngine(libjxlEngine, {
  sample: async (format, folder) =>
    format === "jxl" ? jxl(await rasterSample("png", folder), folder) : await rasterSample(format, folder),
  async check(hop, _reading, path) {
    expect(differenceOf(await halvesOf(path, hop.to))).toBeLessThan(12);
  },
});

describe("engine libjxl, in detail", () => {
  const bench = useBench(libjxlEngine);
  let rough: string;
  beforeAll(async () => {
    rough = join(bench.folder, "noise.png");
    await noise(160, 120).png().toFile(rough);
  });
  const bytesOf = async (path: string) => (await stat(path)).size;

  it.each(["png", "jpg", "ppm"])("converts only the first frame of an animation to %s", async (to) => {
    const moving = join(bench.folder, "moving.png");
    const colours = ["red", "blue"].flatMap((colour) => ["-f", "lavfi", "-i", `color=${colour}:size=32x32:rate=5:duration=1`]);
    const joined = ["-filter_complex", "[0][1]concat=n=2,format=rgb24", "-c:v", "apng", "-f", "apng"];
    await run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...colours, ...joined, moving]);
    const source = join(bench.folder, "moving.jxl");
    await run("cjxl", [moving, source]);
    const { path, notes } = await bench.convert(source, "jxl", to);
    expect(notes.has("ANIMATION_REDUCED")).toBe(true);
    const { stdout } = await run("ffprobe", [
      "-v",
      "error",
      "-count_frames",
      "-show_entries",
      "stream=nb_read_frames,codec_name",
      "-of",
      "csv=p=0",
      path,
    ]);
    expect(stdout.trim()).toBe({ png: "png,1", jpg: "mjpeg,1", ppm: "ppm,1" }[to]);
    const seen = await run("convert-im6.q16", [path, "-resize", "1x1!", "-format", "%[fx:u.r>0.8] %[fx:u.b<0.2]", "info:"]);
    expect(seen.stdout).toBe("1 1");
  });

  it("restores the original JPEG unless a quality is given, and applies its orientation", async () => {
    const source = join(bench.folder, "turned.jpg");
    await noise(160, 120).jpeg().withMetadata({ orientation: 6 }).toFile(source);
    const { path } = await bench.convert(source, "jpg", "jxl");
    const again = await bench.convert(path, "jxl", "jpg");
    expect((await readFile(again.path)).equals(await readFile(source))).toBe(true);
    expect(await bytesOf((await bench.convert(path, "jxl", "jpg", { quality: 20 })).path)).toBeLessThan((await bytesOf(source)) / 2);
    expect(await sharp((await bench.convert(path, "jxl", "png")).path).metadata()).toMatchObject({ width: 120, height: 160 });
  });

  it("applies quality, effort and lossless", async () => {
    const coarse = await bytesOf((await bench.convert(rough, "png", "jxl", { quality: 30 })).path);
    expect(coarse).toBeLessThan(await bytesOf((await bench.convert(rough, "png", "jxl", { quality: 95 })).path));
    const quick = await bytesOf((await bench.convert(rough, "png", "jxl", { effort: 1 })).path);
    expect(await bytesOf((await bench.convert(rough, "png", "jxl", { effort: 7 })).path)).not.toBe(quick);
    const exact = await bench.convert(rough, "png", "jxl", { lossless: true });
    const back = await bench.convert(exact.path, "jxl", "png");
    const pixels = (path: string) => sharp(path).removeAlpha().raw().toBuffer();
    expect((await pixels(back.path)).equals(await pixels(rough))).toBe(true);
  });

  it("flattens transparency for JPEG, and leaves it to other engines for PPM", async () => {
    const source = join(bench.folder, "clear.png");
    await halfTransparent().png().toFile(source);
    const { path } = await bench.convert(source, "png", "jxl");
    expect([...(await bench.convert(path, "jxl", "png")).notes.keys()]).toEqual([]);
    expect((await bench.convert(path, "jxl", "jpg")).notes.has("ALPHA_FLATTENED")).toBe(true);
    await expect(bench.convert(path, "jxl", "ppm")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });

  it.each([10, 12])("keeps samples of %i bits, which its tool would write too dark", async (bits) => {
    const plain = join(bench.folder, `${bits}.png`);
    await run("convert-im6.q16", ["-size", "8x8", "xc:gray(75%)", "-depth", "16", `png48:${plain}`]);
    const bytes = await readFile(plain);
    const chunk = Buffer.concat([Buffer.from("sBIT"), Buffer.from([bits, bits, bits])]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(3);
    sum.writeUInt32BE(crc32(chunk));
    await writeFile(plain, Buffer.concat([bytes.subarray(0, 33), length, chunk, sum, bytes.subarray(33)]));
    const source = join(bench.folder, `${bits}.jxl`);
    await run("cjxl", [plain, source, "-d", "0"]);
    for (const to of ["png", "jpg", "ppm"]) {
      const { path } = await bench.convert(source, "jxl", to);
      const { stdout } = await run("convert-im6.q16", [path, "-format", "%[fx:mean]", "info:"]);
      expect(Number(stdout), to).toBeCloseTo(0.75, 2);
    }
  });

  it("names transparency of fewer bits than the colours have", async () => {
    const source = join(bench.folder, "deep.png");
    await run("convert-im6.q16", ["-size", "8x8", "gradient:#0f08-#f00f", "-depth", "16", `png64:${source}`]);
    const { notes } = await bench.convert(source, "png", "jxl");
    expect([undefined, "Transparency has 8 bits instead of 16."]).toContain(notes.get("MEDIA_CHANGED"));
  });

  it("names a damaged PNG", async () => {
    const bytes = await readFile(rough);
    const at = bytes.indexOf("IDAT") + 2000;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0x55, at);
    const source = join(bench.folder, "damaged.png");
    await writeFile(source, bytes);
    const outcome = await bench.convert(source, "png", "jxl").then(
      ({ notes }) => notes.has("INPUT_DAMAGED"),
      (error: { code?: string }) => error.code === "INVALID_INPUT",
    );
    expect(outcome).toBe(true);
  });

  it("names the shape of pixels and the resolution that it does not keep", async () => {
    const printed = join(bench.folder, "printed.png");
    const convert = async (density: string) => {
      await run("convert-im6.q16", ["-size", "8x8", "xc:teal", "-units", "PixelsPerInch", "-density", density, printed]);
      return (await bench.convert(printed, "png", "jxl")).notes.get("MEDIA_CHANGED");
    };
    expect(await convert("300")).toBe("The resolution of 300 dpi was not kept.");
    expect(await convert("300x150")).toBe("Pixels are square now; they were 0.50 times as wide as high.");
    expect(await convert("72")).toBeUndefined();
  });
});
