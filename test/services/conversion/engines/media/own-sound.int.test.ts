/** Sound in its own format: cut, compressed, normalised, or returned unchanged. */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { ffmpegEngine } from "#services/conversion/engines/media/ffmpeg.ts";
import { containerOf } from "#services/conversion/engines/media/ffmpeg-formats.ts";
import { useBench } from "#test/contract/engine.ts";
import { packetsOf, secondsOf, soundDigestOf, streamsOf, writeTone } from "./tone.ts";

const run = promisify(execFile);
const ffmpeg = (...args: readonly string[]) => run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...args]);
const bytesOf = async (path: string): Promise<number> => (await stat(path)).size;

/** In LUFS, over the whole file. */
async function loudnessOf(path: string): Promise<number> {
  const { stderr } = await run("ffmpeg", ["-nostdin", "-i", path, "-af", "ebur128", "-f", "null", "-"], { maxBuffer: 2 ** 24 });
  return Number(/Integrated loudness:\s+I:\s+(\S+) LUFS/.exec(stderr)?.[1]);
}

/** A sample of the formats that are not tested individually below. */
const soundFormats = ["aac", "aiff", "m4b", "oga", "wma", "wv"];

describe("sound in its own format", () => {
  const bench = useBench(ffmpegEngine);
  let tone: string;
  beforeAll(async () => {
    tone = join(bench.folder, "tone.wav");
    await writeTone(tone);
  });

  async function sound(format: string, ...args: readonly string[]): Promise<string> {
    const path = join(bench.folder, `tone-${args.join("")}.${format}`);
    if (format !== "wav" || args.length > 0) await ffmpeg("-i", tone, ...args, path);
    return format === "wav" && args.length === 0 ? tone : path;
  }

  it("of one channel is in each of two as loud as it was", async () => {
    const mono = await sound("flac", "-ac", "1");
    const { path } = await bench.convert(mono, "flac", "flac", { channels: 2 });
    const left = join(bench.folder, "left.flac");
    await ffmpeg("-i", path, "-af", "pan=mono|c0=c0", left);
    expect(await soundDigestOf(left)).toBe(await soundDigestOf(mono));
  });

  it.each([
    ["mp3", []],
    ["m4a", ["-c:a", "alac"]],
    ["ogg", ["-c:a", "libopus"]],
    ["flac", []],
    ["wav", ["-c:a", "adpcm_ms"]],
  ] as const)("%s %j is copied where nothing is asked, and cut", async (format, args) => {
    const source = await sound(format, ...args);
    const [before] = await streamsOf(source);
    const whole = await bench.convert(source, format, format);
    expect(await packetsOf(whole.path, "a")).toEqual(await packetsOf(source, "a"));
    expect([...whole.notes.keys()]).toEqual([]);
    const part = await bench.convert(source, format, format, { start: 0.5, duration: 1 });
    expect(Math.abs((await secondsOf(part.path)) - 1)).toBeLessThan(0.1);
    const [after] = await streamsOf(part.path);
    if (args[1] !== "adpcm_ms") expect(after?.codec_name).toBe(before?.codec_name);
    const isLossy = !/^(alac|flac|pcm|adpcm)/.test(String(before?.codec_name));
    const stored = new Set(await packetsOf(source, "a"));
    const copied = (await packetsOf(part.path, "a")).filter((packet) => stored.has(packet)).length;
    if (isLossy) expect(copied).toBeGreaterThan(20);
  });

  it("is exact to the sample where the codec is", async () => {
    const wanted = join(bench.folder, "part.wav");
    await ffmpeg("-i", tone, "-af", "atrim=start_sample=22050:end_sample=66150", wanted);
    for (const [format, ...args] of [["wav"], ["flac"], ["m4a", "-c:a", "alac"]] as const) {
      const { path } = await bench.convert(await sound(format, ...args), format, format, { start: 0.5, duration: 1 });
      expect(await soundDigestOf(path), format).toBe(await soundDigestOf(wanted));
    }
  });

  it("plays faster or slower at its pitch, without chapters at wrong times", async () => {
    const chapters = join(bench.folder, "chapters.txt");
    const marked = join(bench.folder, "marked.m4a");
    await run("sh", ["-c", `printf ';FFMETADATA1\\n[CHAPTER]\\nTIMEBASE=1/1\\nSTART=0\\nEND=1\\ntitle=One\\n' > ${chapters}`]);
    await ffmpeg("-i", tone, "-i", chapters, "-map", "0", "-map_chapters", "1", marked);
    for (const [speed, seconds] of [
      [0.5, 4],
      [4, 0.5],
    ] as const) {
      const { path, notes } = await bench.convert(marked, "m4a", "m4a", { speed });
      expect(Math.abs((await secondsOf(path)) - seconds)).toBeLessThan(0.1);
      expect(notes.get("METADATA_DROPPED")).toMatch(/chapters/);
    }
    const slowest = await bench.convert(tone, "wav", "wav", { speed: 0.25 });
    expect(Math.abs((await secondsOf(slowest.path)) - 8)).toBeLessThan(0.1);
    const part = await bench.convert(tone, "wav", "wav", { speed: 2, start: 0.5, duration: 1 });
    expect(Math.abs((await secondsOf(part.path)) - 0.5)).toBeLessThan(0.05);
  });

  it.each(soundFormats)("%s is cut, played at twice its speed and made quieter, in its own codec", async (format) => {
    const { muxer = format, audio = [] } = containerOf(format) ?? {};
    const source = join(bench.folder, `own.${format}`);
    const codec = audio[0] === "pcm_be" ? "pcm_s16be" : audio[0] === "pcm_le" ? "pcm_s16le" : (audio[0] ?? "");
    await ffmpeg("-i", tone, "-c:a", codec, "-f", muxer, source);
    const { path, notes } = await bench.convert(source, format, format, { start: 0.5, duration: 1, speed: 2, volume: -6 });
    expect((await streamsOf(path))[0]?.codec_name).toBe((await streamsOf(source))[0]?.codec_name);
    const decoded = join(bench.folder, `own-${format}.wav`);
    await ffmpeg("-i", path, decoded);
    expect(Math.abs((await secondsOf(decoded)) - 0.5)).toBeLessThan(0.12);
    // Formats that cannot declare encoder padding have it noted.
    expect([...notes.keys()].filter((code) => code !== "MEDIA_CHANGED")).toEqual([]);
  });

  it("has the loudness that is asked for", async () => {
    const quiet = await sound("flac", "-af", "volume=-20dB");
    expect(await loudnessOf(quiet)).toBeLessThan(-25);
    const { path } = await bench.convert(quiet, "flac", "flac", { normalise: true });
    expect(Math.abs((await loudnessOf(path)) + 16)).toBeLessThan(2);
  });

  it("is smaller where a bit rate is asked for, or given back as it is, and never when more was asked", async () => {
    const large = await sound("mp3", "-b:a", "256k");
    const small = await bench.convert(large, "mp3", "mp3", { audioBitrate: 32 });
    expect(await bytesOf(small.path)).toBeLessThan((await bytesOf(large)) / 4);
    expect([...small.notes.keys()]).toEqual([]);
    const again = await bench.convert(small.path, "mp3", "mp3", { audioBitrate: 320 });
    expect([...again.notes.keys()]).toEqual(["SOURCE_KEPT"]);
    expect((await readFile(again.path)).equals(await readFile(small.path))).toBe(true);
    const louder = await bench.convert(small.path, "mp3", "mp3", { audioBitrate: 320, volume: 3 });
    expect(louder.notes.has("SOURCE_KEPT")).toBe(false);
    const alac = await sound("m4a", "-c:a", "alac");
    const lossy = await bench.convert(alac, "m4a", "m4a", { audioBitrate: 64 });
    expect((await streamsOf(lossy.path))[0]?.codec_name).toBe("aac");
  });
});
