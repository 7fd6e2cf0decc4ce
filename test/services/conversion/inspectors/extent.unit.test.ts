import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extentOf } from "#services/conversion/inspectors/inside/extent.ts";

const sourceOf = (bytes: Buffer) => ({
  sizeBytes: bytes.length,
  head: bytes.subarray(0, 65_536),
  read: async (offset: number, length: number) => bytes.subarray(offset, offset + length),
});
const typical = (kind: string, format: string) => readFileSync(`test/corpus/typical/${kind}/typical.${format}`);

/** Padding that encoders add at both ends. */
const toleratedMs = 60;
const sounds = ["wav", "flac", "mp3", "m4a", "ogg", "oga", "opus", "mka", "weba", "m4b"];
const films = ["mp4", "mov", "mkv", "webm", "avi", "m4v", "3gp"];

describe("the extent of a file", () => {
  it.each(sounds)("is the duration for audio: %s", async (format) => {
    const { pixels, durationMs } = await extentOf(sourceOf(typical("audio", format)), format);
    expect(pixels).toBe(0);
    expect(Math.abs(durationMs - (format === "wav" ? 1000 : 2000))).toBeLessThan(toleratedMs);
  });

  it.each(films)("is the duration and frame size for video: %s", async (format) => {
    const { pixels, durationMs } = await extentOf(sourceOf(typical("video", format)), format);
    expect(pixels).toBeGreaterThan(10_000);
    expect(Math.abs(durationMs - 1200)).toBeLessThan(toleratedMs);
  });

  it("is the pixel count for a picture", async () => {
    expect(await extentOf(sourceOf(typical("image", "png")), "png")).toEqual({ pixels: expect.any(Number), durationMs: 0 });
    expect((await extentOf(sourceOf(typical("image", "png")), "png")).pixels).toBeGreaterThan(1000);
  });

  it("is unknown if the header does not state it", async () => {
    const nothing = { pixels: 0, durationMs: 0 };
    expect(await extentOf(sourceOf(Buffer.from("a,b\n1,2\n")), "csv")).toEqual(nothing);
    expect(await extentOf(sourceOf(Buffer.from("RIFF")), "wav")).toEqual(nothing);
    for (const format of [...sounds, ...films, "png", "jpg", "tiff"])
      expect(await extentOf(sourceOf(Buffer.alloc(0)), format)).toEqual(nothing);
  });

  it("is an integer for any bytes", async () => {
    const samples = [...sounds.map((format) => ["audio", format] as const), ...films.map((format) => ["video", format] as const)];
    const damage = fc.array(fc.tuple(fc.nat(4000), fc.nat(255)), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...samples), damage, async ([kind, format], changes) => {
        const bytes = Buffer.from(typical(kind, format));
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        const { pixels, durationMs } = await extentOf(sourceOf(bytes), format);
        expect(Number.isSafeInteger(pixels) && Number.isSafeInteger(durationMs)).toBe(true);
      }),
    );
  });
});
