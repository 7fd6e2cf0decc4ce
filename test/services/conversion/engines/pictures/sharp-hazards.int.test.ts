import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { SandboxChild } from "#services/conversion/domain/sandbox.ts";
import { sharpEngine } from "#services/conversion/engines/pictures/sharp.ts";
import { defaultsOf, hopOf, useBench } from "#test/contract/engine.ts";
import { noInspector } from "#test/services/conversion/inspectors/test-inspectors.ts";
import { drawing, noise, twoColours } from "./picture-samples.ts";

const bench = useBench(sharpEngine);

const file = (bytes: Buffer | string) => bench.given(bytes, "picture");

async function made(format: "jpg" | "png" | "webp" | "gif" | "avif" | "tiff"): Promise<Buffer> {
  if (format === "tiff") return noise(200, 150).tiff({ compression: "deflate" }).toBuffer();
  return noise(200, 150)
    .toFormat(format === "jpg" ? "jpeg" : format)
    .toBuffer();
}

describe("damaged pictures", () => {
  it.each(["jpg", "png", "webp", "gif", "avif", "tiff"] as const)("are refused if truncated: %s", async (format) => {
    const bytes = await made(format);
    const target = format === "png" ? "jpg" : "png";
    for (const part of [0.98, 0.5, 0.1]) {
      const cut = await file(bytes.subarray(0, Math.floor(bytes.length * part)));
      await expect(bench.convert(cut, format, target)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    }
  });

  it("are refused if a GIF is truncated after a byte that looks like its trailer", async () => {
    const bytes = await made("gif");
    const trailer = bytes.findIndex((byte, at) => at > bytes.length / 2 && byte === 0x3b && bytes[at - 1] !== 0);
    expect(trailer).toBeGreaterThan(0);
    const cut = await file(bytes.subarray(0, trailer + 1));
    await expect(bench.convert(cut, "gif", "png")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it.each([
    ["junk before the first marker", (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 2), Buffer.alloc(5, 1), bytes.subarray(2)])],
    ["bytes after the end", (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(100, 7)])],
    ["broken EXIF", (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 2), brokenExif, bytes.subarray(2)])],
  ])("convert without a note if a JPEG is whole but has %s", async (_, spoil) => {
    const { notes } = await bench.convert(await file(spoil(await made("jpg"))), "jpg", "png");
    expect(notes.has("INPUT_DAMAGED")).toBe(false);
  });

  it("convert with a note if a PNG is whole but has a damaged part", async () => {
    const bytes = await made("png");
    const middle = Math.floor(bytes.length / 2);
    bytes.fill(0x5a, middle, middle + 40);
    const { notes } = await bench.convert(await file(bytes), "png", "webp");
    expect(notes.has("INPUT_DAMAGED")).toBe(true);
  });

  it.each([
    ["png", "jpg", "text"],
    ["jpg", "png", drawing],
    ["svg", "png", "<svg><unclosed"],
    ["gif", "png", ""],
  ])("are refused if they are not %s", async (from, to, content) => {
    await expect(bench.convert(await file(content), from, to)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("bombs", () => {
  it("are refused by their header: a PNG of 2500 megapixels", async () => {
    await expect(bench.convert(await file(pngHeader(50_000, 50_000)), "png", "jpg")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  });

  it("are refused: an SVG of 100000 × 100000", async () => {
    const huge = '<svg xmlns="http://www.w3.org/2000/svg" width="100000" height="100000"><rect width="9" height="9"/></svg>';
    await expect(bench.convert(await file(huge), "svg", "png")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  });

  it("of multiplying entities are refused, and external entities are not read", async () => {
    const lol = `<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, i) => `<!ENTITY b${i} "${(i === 0 ? "&a;" : `&b${i - 1};`).repeat(10)}">`).join("")}]>`;
    const bomb = `${lol}<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><text y="15">&b8;</text></svg>`;
    await expect(bench.convert(await file(bomb), "svg", "png")).rejects.toMatchObject({ name: "FilemillError" });
    const xxe = '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
    const leak = `${xxe}<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><text y="15">&x;</text></svg>`;
    const empty = await sharp(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"/>')).raw().toBuffer();
    const result = await bench.convert(await file(leak), "svg", "png").catch(() => undefined);
    if (result !== undefined) expect((await sharp(result.path).ensureAlpha().raw().toBuffer()).equals(empty)).toBe(true);
  });

  it("are refused if the target cannot hold the size", async () => {
    const long = await file(
      await sharp({ create: { width: 17_000, height: 2, channels: 3, background: "#fff" } })
        .png()
        .toBuffer(),
    );
    await expect(bench.convert(long, "png", "webp")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  });

  it("that render endlessly are stopped at the deadline, and the next picture converts", async () => {
    const levels = Array.from({ length: 12 }, (_, i) => `<g id="g${i + 1}">${`<use href="#g${i}"/>`.repeat(8)}</g>`).join("");
    const filter = '<filter id="f"><feGaussianBlur stdDeviation="50"/><feTurbulence numOctaves="20"/></filter>';
    const bomb = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><defs>${filter}<rect id="g0" width="4000" height="4000" filter="url(#f)"/>${levels}</defs><use href="#g4"/></svg>`;
    await expect(bench.convert(await file(bomb), "svg", "png", {}, 700)).rejects.toMatchObject({ code: "CONVERSION_TIMEOUT" });
    await bench.convert(await file(drawing), "svg", "png");
  });
});

describe("the pool", () => {
  it("replaces a killed child, and no other", async () => {
    const children: SandboxChild[] = [];
    const spawn: typeof bench.sandbox.spawn = async (command) => {
      const child = await bench.sandbox.spawn(command);
      children.push(child);
      return child;
    };
    const sandbox = { ...bench.sandbox, spawn };
    await using engine = await sharpEngine.open({ sandbox, inspector: noInspector, slots: 1, spare: 0, log: () => undefined });
    const hop = hopOf(sharpEngine, "png", "webp");
    const input = await file(await twoColours(20, 20).png().toBuffer());
    const convert = async (index: number) => {
      const outputPath = join(bench.folder, `pool-${index}.webp`);
      const ref = { path: input, format: "png", sizeBytes: (await stat(input)).size };
      const signal = new AbortController().signal;
      const task = { hop, input: ref, outputPath, options: defaultsOf(hop), timeoutMs: 20_000, signal };
      await engine.run({ ...task, note: () => undefined, progress: () => undefined });
      expect((await readFile(outputPath)).length).toBeGreaterThan(30);
    };
    await convert(0);
    for (const child of children) process.kill(child.pid, "SIGKILL");
    await Promise.all(children.map((child) => child.ended));
    await convert(1);
    await expect.poll(() => children.filter((child) => child.alive).length).toBe(1);
    const before = children.length;
    for (let index = 2; index < 210; index++) await convert(index);
    expect(children.length).toBe(before);
  });

  it("converts files too large for a message, and leaves nothing in the child's folder", async () => {
    const large = await file(await noise(1600, 1200).png({ compressionLevel: 0 }).toBuffer());
    const { path } = await bench.convert(large, "png", "tiff", { compression: "none" });
    expect((await sharp(path).metadata()).width).toBe(1600);
    expect((await stat(path)).uid).toBe(process.getuid?.());
    const leftovers = async () => {
      const folders = (await readdir(join(bench.folder, "scratch"))).filter((name) => name.startsWith("s-"));
      return (await Promise.all(folders.map((name) => readdir(join(bench.folder, "scratch", name))))).flat();
    };
    // The check runs after the answer, before the next job.
    await expect.poll(leftovers).toEqual([]);
  });

  it("stops when the task is cancelled", async () => {
    await using engine = await sharpEngine.open({
      sandbox: bench.sandbox,
      inspector: noInspector,
      slots: 1,
      spare: 0,
      log: () => undefined,
    });
    const hop = hopOf(sharpEngine, "png", "avif");
    const input = await file(await noise(3000, 3000).png({ compressionLevel: 0 }).toBuffer());
    const controller = new AbortController();
    const ref = { path: input, format: "png", sizeBytes: (await stat(input)).size };
    const outputPath = join(bench.folder, "cancelled.avif");
    const task = { hop, input: ref, outputPath, options: { ...defaultsOf(hop), effort: 9 }, timeoutMs: 60_000, signal: controller.signal };
    const running = engine.run({ ...task, note: () => undefined, progress: () => undefined });
    setTimeout(() => controller.abort(), 500);
    await expect(running).rejects.toThrow();
    await expect(stat(outputPath)).rejects.toThrow();
  });
});

const brokenExif = Buffer.concat([Buffer.from([0xff, 0xe1, 0x00, 0x20]), Buffer.from("Exif\0\0MM\0*"), Buffer.alloc(20, 0xff)]);

/** A valid PNG header of any size with nearly no pixels. */
function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const framed = Buffer.alloc(body.length + 8);
    framed.writeUInt32BE(data.length, 0);
    body.copy(framed, 4);
    framed.writeUInt32BE(crc32(body), body.length + 4);
    return framed;
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.alloc(9))), chunk("IEND", Buffer.alloc(0))]);
}

it("converts the still picture of an animated AVIF, and says so", async () => {
  const bytes = await made("avif");
  bytes.write("avis", 8, "latin1");
  for (const to of ["png", "avif"]) {
    const { path, notes } = await bench.convert(await file(bytes), "avif", to);
    expect(await sharp(path).metadata()).toMatchObject({ width: 200, height: 150 });
    expect(notes.get("ANIMATION_REDUCED"), to).toBe("Only the still picture of the animation was converted.");
  }
});

it("notes that an animated PNG becomes a still picture", async () => {
  const bytes = await made("png");
  const control = Buffer.from(`00000008${Buffer.from("acTL").toString("hex")}000000020000000000000000`, "hex");
  control.writeUInt32BE(crc32(control.subarray(4, 16)), 16);
  const { notes } = await bench.convert(await file(Buffer.concat([bytes.subarray(0, 33), control, bytes.subarray(33)])), "png", "webp");
  expect(notes.has("ANIMATION_REDUCED")).toBe(true);
  expect((await bench.convert(await file(bytes), "png", "webp")).notes.has("ANIMATION_REDUCED")).toBe(false);
});

it("notes that GIF holds frame times of hundredths of a second", async () => {
  const frames = await Promise.all(["#f00", "#00f"].map((background) => still(background)));
  for (const [ms, message] of [
    [33, "Frame times were rounded to hundredths of a second."],
    [30, undefined],
  ] as const) {
    const bytes = await sharp(frames, { join: { animated: true } })
      .webp({ delay: [ms, 100] })
      .toBuffer();
    const { notes } = await bench.convert(await file(bytes), "webp", "gif");
    expect(notes.get("MEDIA_CHANGED")).toBe(message);
  }
});

const still = (background: string) =>
  sharp({ create: { width: 8, height: 8, channels: 3, background } })
    .png()
    .toBuffer();
