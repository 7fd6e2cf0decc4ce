/** Parts of films: they begin where they were asked to, not at the next key frame, and show nothing that was cut away. */
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { ffmpeg, ffmpegBench, numbersOf, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

const codings: Readonly<Record<string, string>> = {
  ts: "-c:v libx264 -c:a aac",
  m2ts: "-c:v libx264 -c:a ac3 -mpegts_m2ts_mode 1 -f mpegts",
  mpg: "-c:v mpeg2video -q:v 3 -c:a mp2",
  h264: "-c:v libx264 -an",
  m2v: "-c:v mpeg2video -q:v 3 -an",
};

/** Thirty seconds that get lighter by 7 a second, with a key frame every ten. */
async function lightening(from: string): Promise<string> {
  const path = pathOf(`lightening.${from}`);
  const film = "color=size=64x48:rate=25:duration=30,format=yuv420p,geq=lum='16+T*7':cb=128:cr=128";
  const gop = words("-g 250 -keyint_min 250 -sc_threshold 0 -bf 0");
  await ffmpeg("-f", "lavfi", "-i", film, ...words("-f lavfi -i sine=duration=30"), ...words(codings[from] ?? ""), ...gop, path);
  return path;
}

/** The time at which the source looks like the first picture. */
async function firstOf(path: string): Promise<number> {
  await ffmpeg("-i", path, ...words("-frames:v 1 -vf scale=1:1:flags=area:out_range=tv,format=gray -f rawvideo"), `${path}.gray`);
  const [light = 0] = await readFile(`${path}.gray`);
  return (light - 16) / 7;
}

it.each(Object.keys(codings))("a part of %s began at the next key frame, with a frozen picture before it", async (from) => {
  const { path, notes } = await convert(await lightening(from), from, "mp4", { start: 26.5, duration: 2 });
  expect(Math.abs((await firstOf(path)) - 26.5)).toBeLessThan(0.4);
  const [seconds = 0] = await numbersOf(path, "format=duration");
  expect(Math.abs(seconds - 2)).toBeLessThan(0.15);
  expect([...notes]).toEqual([]);
});

it("a still of TS is the frame at its time, not the next key frame", async () => {
  const { path } = await convert(await lightening("ts"), "ts", "jpg", { at: 16.5 });
  expect(Math.abs((await firstOf(path)) - 16.5)).toBeLessThan(0.4);
});

it("a part of TS is found at another speed, too", async () => {
  const { path } = await convert(await lightening("ts"), "ts", "ts", { start: 6.5, duration: 4, speed: 2 });
  expect(Math.abs((await firstOf(path)) - 6.5)).toBeLessThan(0.4);
  const [seconds = 0] = await numbersOf(path, "format=duration");
  expect(Math.abs(seconds - 2)).toBeLessThan(0.15);
});

it.each(["mkv", "ts", "mp4", "aac"])("what an edit list cuts away from a phone's film stays away in %s", async (to) => {
  const [whole, path] = [pathOf("whole.mp4"), pathOf("trimmed.mp4")];
  const sources = words("-f lavfi -i testsrc2=size=64x48:rate=25:duration=4 -f lavfi -i sine=duration=4");
  await ffmpeg(...sources, ...words("-c:v libx264 -pix_fmt yuv420p -g 250 -c:a aac"), whole);
  await ffmpeg("-ss", "1.5", "-i", whole, "-c", "copy", path);
  const { path: made } = await convert(path, "mp4", to);
  const times = await numbersOf(made, "frame=pts_time", ...words("-select_streams a"));
  expect(times.length / (44_100 / 1024)).toBeLessThan(2.7);
  if (to !== "aac")
    expect((await numbersOf(made, "frame=pict_type,width", ...words("-select_streams v"))).length).toBeLessThan(2.7 * 25 * 2);
});
