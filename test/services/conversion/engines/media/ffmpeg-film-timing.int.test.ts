/** Timing of a film's frames and sound, and the bit rate of each track. */
import { stat, truncate } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { execute, ffmpeg, ffmpegBench, numbersOf, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

describe("an animation's last frame keeps its duration", () => {
  async function animation(format: "gif" | "apng"): Promise<string> {
    const gif = pathOf("three.gif");
    await execute("convert-im6.q16", words(`-size 64x48 -delay 50 xc:red xc:blue -delay 90 xc:green -loop 3 ${gif}`));
    if (format === "gif") return gif;
    const path = pathOf("three.apng");
    await ffmpeg("-i", gif, ...words("-plays 3 -final_delay 9/10 -f apng"), path);
    return path;
  }

  const pairs = (["gif", "apng"] as const).flatMap((from) => ["mp4", "webm", "mkv", "mov"].map((to) => [from, to] as const));
  it.each(pairs)("%s to %s", async (from, to) => {
    const { path, notes } = await convert(await animation(from), from, to);
    const [duration = 0] = await numbersOf(path, "format=duration");
    expect(Math.abs(duration - 1.9)).toBeLessThan(0.02);
    const times = (await numbersOf(path, "packet=pts_time", "-select_streams", "v:0")).toSorted((a, b) => a - b);
    expect(times.slice(0, 3).map((time) => Math.round(time * 100))).toEqual([0, 50, 100]);
    expect(notes.has("INPUT_DAMAGED")).toBe(false);
  });

  it.each([
    ["gif", "mp4", "The animation plays 3 times, the video once."],
    ["apng", "webm", "The animation plays 3 times, the video once."],
  ] as const)("%s to %s says that it is not repeated", async (from, to, message) => {
    expect((await convert(await animation(from), from, to)).notes.get("MEDIA_CHANGED")).toBe(message);
  });

  it("GIF to APNG", async () => {
    const { path } = await convert(await animation("gif"), "gif", "apng");
    expect(await numbersOf(path, "packet=duration_time", "-f", "apng")).toEqual([0.5, 0.5, 0.9]);
  });
});

describe("sound that begins late stays late", () => {
  it.each(["aac", "libmp3lame"])("%s to AVI", async (codec) => {
    const path = pathOf(`late-${codec}.mkv`);
    const sources = words("-f lavfi -i testsrc2=size=96x64:rate=25:duration=4 -itsoffset 0.8 -f lavfi -i sine=duration=3");
    await ffmpeg(...sources, ...words("-pix_fmt yuv420p -c:v mpeg4 -c:a"), codec, path);
    const result = await convert(path, "mkv", "avi");
    const answer = await ffmpeg("-i", result.path, ...words("-map 0:a -af silencedetect=d=0.1:n=-40dB -f null -"));
    const heard = Number(/silence_end: ([\d.]+)/.exec(answer)?.[1]);
    expect(Math.abs(heard - 0.8)).toBeLessThan(0.08);
  });

  it("to AVI, beside an earlier track, if the film is as late", async () => {
    const path = pathOf("late-film.mkv");
    const sources = words(
      "-f lavfi -i sine=duration=3 -itsoffset 0.8 -f lavfi -i testsrc2=size=96x64:rate=25:duration=3 -itsoffset 0.8 -f lavfi -i sine=duration=3",
    );
    await ffmpeg(...sources, ...words("-map 1 -map 0 -map 2 -pix_fmt yuv420p -c:v mpeg4 -c:a flac"), path);
    const result = await convert(path, "mkv", "avi");
    const answer = await ffmpeg("-i", result.path, ...words("-map 0:a:1 -af silencedetect=d=0.1:n=-40dB -f null -"));
    expect(Math.abs(Number(/silence_end: ([\d.]+)/.exec(answer)?.[1]) - 0.8)).toBeLessThan(0.08);
  });
});

describe("each track of a film has a bit rate of its own:", () => {
  it("gives six channels what they need beside one", async () => {
    const path = pathOf("tracks.mkv");
    const noise = (channels: string) => `anoisesrc=duration=4:sample_rate=48000,aformat=channel_layouts=${channels}`;
    const sources = ["testsrc2=size=96x64:rate=25:duration=4", noise("mono"), noise("5.1")].flatMap((source) => [
      "-f",
      "lavfi",
      "-i",
      source,
    ]);
    await ffmpeg(...sources, ...words("-map 0 -map 1 -map 2 -pix_fmt yuv420p -c:a flac"), path);
    const result = await convert(path, "mkv", "mp4");
    const [mono = 0, wide = 0] = await numbersOf(result.path, "stream=bit_rate", "-select_streams", "a");
    expect(wide).toBeGreaterThan(200_000);
    expect(mono).toBeLessThan(120_000);
  });

  it("copies a track that fits beside one that does not", async () => {
    const path = pathOf("mixed.mkv");
    const sources = words("-f lavfi -i testsrc2=size=96x64:rate=25:duration=2 -f lavfi -i sine=duration=2 -f lavfi -i sine=duration=2");
    await ffmpeg(...sources, ...words("-map 0 -map 1 -map 2 -pix_fmt yuv420p -c:a:0 aac -c:a:1 flac"), path);
    const result = await convert(path, "mkv", "mp4");
    const packets = async (file: string) => await numbersOf(file, "packet=size", "-select_streams", "a:0");
    expect(await packets(result.path)).toEqual(await packets(path));
  });
});

describe("a film of which a tenth is missing has a note:", () => {
  async function film(format: string): Promise<string> {
    const path = pathOf(`whole.${format}`);
    const sources = words("-f lavfi -i testsrc2=size=96x64:rate=25:duration=20 -f lavfi -i sine=duration=20");
    const encoders = format === "wav" ? ["-vn"] : words("-pix_fmt yuv420p -g 25");
    await ffmpeg(...sources, ...encoders, ...(format === "mp4" ? ["-movflags", "+faststart"] : []), path);
    return path;
  }

  const pairs = [
    ["mp4", "mkv"],
    ["mp4", "mp3"],
    ["mp4", "gif"],
    ["mkv", "mp4"],
  ] as const;

  it.each(pairs)("%s to %s, cut off", async (from, to) => {
    const path = await film(from);
    await truncate(path, Math.floor((await stat(path)).size * 0.93));
    const { notes } = await convert(path, from, to);
    const told = /^Only ([\d.]+) of 20\.\d seconds/.exec(notes.get("INPUT_DAMAGED") ?? "");
    expect(Number(told?.[1])).toBeGreaterThan(17);
    expect(Number(told?.[1])).toBeLessThan(19.7);
  });

  it.each([...pairs, ["wav", "flac"] as const])("%s to %s, whole, has no such note", async (from, to) => {
    const { notes } = await convert(await film(from), from, to);
    expect(notes.has("INPUT_DAMAGED")).toBe(false);
  });
});
