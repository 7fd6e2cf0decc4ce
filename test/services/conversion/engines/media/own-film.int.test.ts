/** Film in its own format: cut, compressed, rotated, sped up, or returned unchanged. */
import { execFile } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { ffmpegEngine } from "#services/conversion/engines/media/ffmpeg.ts";
import { containerOf } from "#services/conversion/engines/media/ffmpeg-formats.ts";
import { useBench } from "#test/contract/engine.ts";
import { packetsOf, secondsOf, streamsOf } from "./tone.ts";

const run = promisify(execFile);
const ffmpeg = (...args: readonly string[]) => run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...args]);
const bytesOf = async (path: string): Promise<number> => (await stat(path)).size;

/** A sample of the formats that are not tested individually. */
const filmFormats = ["3gp", "avi", "mpg", "ogv", "ts", "wmv"];

describe("film in its own format", () => {
  const bench = useBench(ffmpegEngine);
  const films = new Map<string, string>();
  beforeAll(async () => {
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

  it.each(filmFormats)("%s is copied, and made smaller at half its speed, in its own codec", async (format) => {
    const { muxer = format, video = [], audio = [] } = containerOf(format) ?? {};
    const source = join(bench.folder, `own.${format}`);
    await ffmpeg(
      "-i",
      film("mp4"),
      "-f",
      muxer,
      "-c:v",
      ...video,
      "-b:v",
      "1M",
      "-r",
      "25",
      "-c:a",
      ...audio,
      "-ar",
      "44100",
      "-ac",
      "1",
      source,
    );
    const whole = await bench.convert(source, format, format);
    expect((await packetsOf(whole.path, "v")).length).toBe((await packetsOf(source, "v")).length);
    const maxMb = 0.09;
    expect(await bytesOf(source)).toBeGreaterThan(maxMb * 1e6);
    const { path, notes } = await bench.convert(source, format, format, { maxMb, speed: 0.5, duration: 1.5, width: 160 });
    expect(await bytesOf(path)).toBeLessThanOrEqual(maxMb * 1e6);
    const codecs = async (of: string) => (await streamsOf(of)).map(({ codec_name }) => codec_name);
    expect(await codecs(path)).toEqual(await codecs(source));
    expect(Math.abs((await secondsOf(path)) - 3)).toBeLessThan(0.3);
    expect([...notes.keys()].filter((code) => code !== "FITTED_TO_SIZE")).toEqual([]);
  });

  it("plays faster or slower with its late sound and its subtitles, and no more pictures a second", async () => {
    const [cues, rich] = [join(bench.folder, "cues.srt"), join(bench.folder, "paced.mkv")];
    await writeFile(cues, "1\n00:00:01,000 --> 00:00:01,500\none\n\n2\n00:00:02,600 --> 00:00:02,900\ntwo\n");
    await ffmpeg(
      "-i",
      film("mkv"),
      "-itsoffset",
      "0.8",
      "-i",
      film("mkv"),
      "-i",
      cues,
      ..."-map 0:v -map 1:a -map 2 -c copy".split(" "),
      rich,
    );
    const timesOf = async (path: string, sort: string): Promise<readonly string[]> => {
      const entries = ["-show_entries", "packet=pts_time,duration_time", "-of", "csv=p=0"];
      return (await run("ffprobe", ["-v", "error", "-select_streams", `${sort}:0`, ...entries, path])).stdout.trim().split("\n");
    };
    const fast = await bench.convert(rich, "mkv", "mkv", { speed: 2 });
    const shown = (await timesOf(fast.path, "s")).map((line) => line.split(",").map(Number));
    expect(shown.flat().map((time, place) => Math.abs(time - ([0.5, 0.25, 1.3, 0.15][place] ?? 0)) < 0.03)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(Math.abs(Number((await timesOf(fast.path, "a"))[0]?.split(",")[0]) - 0.4)).toBeLessThan(0.05);
    expect(Math.abs((await timesOf(fast.path, "v")).length - 38)).toBeLessThan(3);
    const slow = await bench.convert(rich, "mkv", "mkv", { speed: 0.25, start: 1, duration: 1 });
    expect(Math.abs((await timesOf(slow.path, "v")).length - 25)).toBeLessThan(3);
    expect((await timesOf(slow.path, "s")).length).toBe(1);
    expect(Math.abs((await secondsOf(slow.path)) - 4)).toBeLessThan(0.2);
    expect([...fast.notes.keys(), ...slow.notes.keys()]).toEqual([]);
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
    // From Blu-ray: an empty screen at one second.
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
