/** Sound and film that stay what they are: cut, made smaller, even in loudness, or given back. */
import { execFile } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ffmpegEngine } from "#services/conversion/engines/ffmpeg.ts";
import { type Bench, openBench } from "#test/contract/engine.ts";
import { soundDigestOf, streamsOf, writeTone } from "./tone.ts";

const run = promisify(execFile);
const ffmpeg = (...args: readonly string[]) => run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...args]);
const bytesOf = async (path: string): Promise<number> => (await stat(path)).size;
const secondsOf = async (path: string): Promise<number> =>
  Number((await run("ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])).stdout);

/** Digests of the packets of a sort of stream, as they are stored. */
async function packetsOf(path: string, sort: "a" | "v"): Promise<readonly string[]> {
  const args = ["-v", "error", "-select_streams", `${sort}:0`, "-show_packets", "-show_data_hash", "md5", "-show_entries"];
  const { stdout } = await run("ffprobe", [...args, "packet=data_hash", "-of", "csv=p=0", path], { maxBuffer: 2 ** 24 });
  return stdout.match(/MD5:\w+/g) ?? [];
}

/** In LUFS, of the whole. */
async function loudnessOf(path: string): Promise<number> {
  const { stderr } = await run("ffmpeg", ["-nostdin", "-i", path, "-af", "ebur128", "-f", "null", "-"], { maxBuffer: 2 ** 24 });
  return Number(/Integrated loudness:\s+I:\s+(\S+) LUFS/.exec(stderr)?.[1]);
}

describe("sound in its own format", () => {
  let bench: Bench;
  let tone: string;
  beforeAll(async () => {
    bench = await openBench(ffmpegEngine);
    tone = join(bench.folder, "tone.wav");
    await writeTone(tone);
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  async function sound(format: string, ...args: readonly string[]): Promise<string> {
    const path = join(bench.folder, `tone-${args.join("")}.${format}`);
    if (format !== "wav" || args.length > 0) await ffmpeg("-i", tone, ...args, path);
    return format === "wav" && args.length === 0 ? tone : path;
  }

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
    const part = await bench.convert(tone, "wav", "wav", { speed: 2, start: 0.5, duration: 1 });
    expect(Math.abs((await secondsOf(part.path)) - 0.5)).toBeLessThan(0.05);
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

describe("film in its own format", () => {
  let bench: Bench;
  const films = new Map<string, string>();
  beforeAll(async () => {
    bench = await openBench(ffmpegEngine);
    const source = (format: string): string =>
      `-f lavfi -i testsrc2=size=${format === "webm" ? "160x120" : "320x240"}:rate=25:duration=3 -f lavfi -i sine=sample_rate=48000:duration=3 -pix_fmt yuv420p`;
    const h264 = "-c:v libx264 -g 25 -bf 2 -sc_threshold 0 -c:a aac";
    const vp9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 25 -c:a libopus";
    for (const [format, codecs] of [
      ["mp4", h264],
      ["mov", `${h264} -c:a pcm_s16le`],
      ["mkv", h264],
      ["webm", vp9],
    ] as const) {
      const path = join(bench.folder, `film.${format}`);
      await ffmpeg(...`${source(format)} ${codecs}`.split(" "), path);
      films.set(format, path);
    }
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  const film = (format: string): string => films.get(format) ?? "";
  const pictureOf = async (path: string): Promise<Record<string, unknown> | undefined> =>
    (await streamsOf(path)).find(({ codec_type }) => codec_type === "video");

  it.each(["mp4", "mov", "mkv", "webm"])("%s is copied where nothing is asked, and cut by copy at a key picture alone", async (format) => {
    const whole = await bench.convert(film(format), format, format);
    const stored = await packetsOf(film(format), "v");
    expect(await packetsOf(whole.path, "v")).toEqual(stored);
    expect(await packetsOf(whole.path, "a")).toEqual(await packetsOf(film(format), "a"));
    expect([...whole.notes.keys()]).toEqual([]);
    const cut = await bench.convert(film(format), format, format, { start: 1, duration: 1 });
    const kept = await packetsOf(cut.path, "v");
    expect(stored.slice(25, 25 + kept.length)).toEqual(kept);
    expect(Math.abs(kept.length - 25)).toBeLessThan(4);
    const between = await bench.convert(film(format), format, format, { start: 1.48, duration: 1 });
    expect((await packetsOf(between.path, "v")).filter((packet) => stored.includes(packet))).toEqual([]);
    expect(Math.abs((await secondsOf(between.path)) - 1)).toBeLessThan(0.1);
    expect((await pictureOf(between.path))?.codec_name).toBe((await pictureOf(film(format)))?.codec_name);
  });

  it("has no sound of before where the film is encoded anew and the sound is copied", async () => {
    const { path } = await bench.convert(film("mp4"), "mp4", "mkv", { start: 1.6, duration: 1 });
    expect(Math.abs((await secondsOf(path)) - 1)).toBeLessThan(0.1);
    const stored = new Set(await packetsOf(film("mp4"), "a"));
    expect((await packetsOf(path, "a")).every((packet) => stored.has(packet))).toBe(true);
  });

  it("can be played before all of it is there", async () => {
    const { path } = await bench.convert(film("mp4"), "mp4", "mp4");
    const [before, after] = [await readFile(film("mp4"), "latin1"), await readFile(path, "latin1")];
    expect(before.indexOf("moov")).toBeGreaterThan(before.indexOf("mdat"));
    expect(after.indexOf("moov")).toBeLessThan(after.indexOf("mdat"));
  });

  it.each([
    ["mp4", 0.06],
    ["webm", 0.04],
  ] as const)("%s has no more than %d MB, and its bit rate is told", async (format, maxMb) => {
    expect(await bytesOf(film(format))).toBeGreaterThan(maxMb * 1e6);
    const { path, notes } = await bench.convert(film(format), format, format, { maxMb });
    expect(await bytesOf(path)).toBeLessThanOrEqual(maxMb * 1e6);
    expect(await bytesOf(path)).toBeGreaterThan(maxMb * 4e5);
    expect([...notes.keys()]).toEqual(["FITTED_TO_SIZE"]);
    expect(await secondsOf(path)).toBeGreaterThan(2.9);
    if (format !== "mp4") return;
    await expect(bench.convert(film(format), format, format, { maxMb: 0.01 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("is given back as it is where it comes out no smaller, and nothing else was asked", async () => {
    const kept = await bench.convert(film("mp4"), "mp4", "mp4", { crf: 1 });
    expect([...kept.notes.keys()]).toEqual(["SOURCE_KEPT"]);
    expect((await readFile(kept.path)).equals(await readFile(film("mp4")))).toBe(true);
    const turned = await bench.convert(film("mp4"), "mp4", "mp4", { crf: 1, rotate: "90" });
    expect(turned.notes.has("SOURCE_KEPT")).toBe(false);
    expect(await pictureOf(turned.path)).toMatchObject({ width: 240, height: 320 });
  });

  it("is cropped as it is seen, before it is turned and resized", async () => {
    const sideways = join(bench.folder, "sideways.mp4");
    await ffmpeg("-i", film("mp4"), "-c", "copy", "-metadata:s:v:0", "rotate=90", sideways);
    const { path } = await bench.convert(sideways, "mp4", "mp4", { crop: "200x300+40+20", width: 100 });
    expect(await pictureOf(path)).toMatchObject({ width: 100, height: 150 });
    const crop = "300x200+10+10";
    await expect(bench.convert(sideways, "mp4", "mp4", { crop })).rejects.toMatchObject({ code: "INVALID_OPTION" });
    const plain = await bench.convert(film("mp4"), "mp4", "mp4", { crop, rotate: "90", mute: true });
    expect((await streamsOf(plain.path)).map(({ codec_type, width, height }) => [codec_type, width, height])).toEqual([
      ["video", 200, 300],
    ]);
  });

  it("keeps FLAC in MP4, whole and cut", async () => {
    const source = join(bench.folder, "flac.mp4");
    await ffmpeg("-i", film("mp4"), ..."-c:v copy -c:a flac -strict -2".split(" "), source);
    const whole = await bench.convert(source, "mp4", "mp4");
    expect(await packetsOf(whole.path, "a")).toEqual(await packetsOf(source, "a"));
    const cut = await bench.convert(source, "mp4", "mp4", { start: 1.3 });
    expect((await streamsOf(cut.path)).map(({ codec_name }) => codec_name)).toEqual(["h264", "flac"]);
    expect([...whole.notes.keys(), ...cut.notes.keys()]).toEqual([]);
  });

  it("keeps pictures of subtitles and attached files in MKV", async () => {
    const [sup, font, rich] = ["pictures.sup", "a.ttf", "rich.mkv"].map((name) => join(bench.folder, name));
    if (sup === undefined || font === undefined || rich === undefined) throw new Error("no names");
    // Of Blu-ray: an empty screen at one second.
    await writeFile(
      sup,
      Buffer.from("504700015f900000000016000b014000f01000018000000050470001 5f90000000008000 00".replaceAll(" ", ""), "hex"),
    );
    await writeFile(font, "quokka");
    const attached = ["-attach", font, "-metadata:s:t:0", "mimetype=font/ttf"];
    await ffmpeg("-i", film("mkv"), "-f", "sup", "-i", sup, ..."-map 0 -map 1 -c copy".split(" "), ...attached, rich);
    const { path, notes } = await bench.convert(rich, "mkv", "mkv");
    const sorts = async (of: string) => (await streamsOf(of)).map(({ codec_type }) => codec_type);
    expect(await sorts(path)).toEqual(["video", "audio", "subtitle", "attachment"]);
    expect([...notes.keys()]).toEqual([]);
    expect(await readFile(path, "latin1")).toContain("quokka");
  });
});
