/** Album tracks play without a gap only if no encoder padding remains at either end. */
import { stat } from "node:fs/promises";
import { expect, it } from "vitest";
import { execute, ffmpeg, ffmpegBench, told, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

const samples = 77_777;
const song = words(`-f lavfi -i sine=duration=2:sample_rate=44100 -af atrim=end_sample=${samples}`);

async function countOf(path: string): Promise<number> {
  const raw = pathOf("raw.pcm");
  await ffmpeg("-i", path, ...words("-ac 1 -f s16le"), raw);
  return (await stat(raw)).size / 2;
}

it.each(["wav", "flac", "ogg", "mp3", "aiff"])("%s of an M4A does not contain the padding behind its AAC", async (to) => {
  const [coarse, exact] = [pathOf("coarse.m4a"), pathOf("exact.m4a")];
  await ffmpeg(...song, coarse);
  await ffmpeg(...song, ...words("-movie_timescale 44100"), exact);
  expect(await countOf((await convert(exact, "m4a", to)).path)).toBe(samples);
  // It stores its duration in milliseconds.
  const rest = (await countOf((await convert(coarse, "m4a", to)).path)) - samples;
  expect(Math.abs(rest)).toBeLessThan(44.1);
});

it("M4A of WMA begins without silence", async () => {
  const path = pathOf("song.wma");
  await ffmpeg(...song, path);
  const { path: made } = await convert(path, "wma", "m4a");
  expect(await told(made, "a:0", "start_time")).toEqual(["0.000000"]);
});

it.each(["m4a", "m4b", "m4r"])("%s tells its length to the sample", async (to) => {
  const path = pathOf("song.flac");
  await ffmpeg(...song, path);
  const { path: made } = await convert(path, "flac", to);
  const { stdout } = await execute("ffprobe", words(`-v error -show_entries stream=duration_ts -of csv=p=0 ${made}`));
  expect(Number(stdout)).toBe(samples);
  expect(await countOf((await convert(made, to, "wav")).path)).toBe(samples);
});

it.each(["m4a", "mp3"])("%s in Matroska, which cannot mark the padding, begins later, and a note says so", async (from) => {
  const path = pathOf(`padded.${from}`);
  await ffmpeg(...song, path);
  const { path: made, notes } = await convert(path, from, "mka");
  expect(await countOf(made)).toBeGreaterThan(samples + 500);
  expect(notes.get("MEDIA_CHANGED")).toContain("cannot mark the encoder's padding");
});

it("a part of an M4A has all that was asked for", async () => {
  const path = pathOf("part.m4a");
  await ffmpeg(...song, path);
  expect(await countOf((await convert(path, "m4a", "wav", { start: 0.5, duration: 1 })).path)).toBe(44_100);
});
