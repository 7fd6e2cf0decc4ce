/** A truncated file is never taken for a complete one, even if its decoder reports no error. */
import { readFile, stat, truncate, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ffmpeg, ffmpegBench, numbersOf, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

const coding: Readonly<Record<string, string>> = {
  ogg: "-c:a libvorbis",
  oga: "-c:a flac",
  dts: "-strict -2",
  m4a: "-movflags +faststart",
  mka: "-c:a libopus",
  weba: "-c:a libopus -f webm",
  rf64: "-rf64 always -f wav",
  alac: "-c:a alac -movflags +faststart -f ipod",
};

async function noise(format: string): Promise<string> {
  const path = pathOf(`noise.${format}`);
  const more = coding[format];
  await ffmpeg(...words("-f lavfi -i anoisesrc=duration=10:amplitude=0.3:seed=1"), ...(more === undefined ? [] : words(more)), path);
  return path;
}

const telling = "wav w64 caf aiff au rf64 flac alac wv tta mp3 m4a mka weba wma".split(" ");
const silent = ["ogg", "oga", "opus", "ac3", "eac3", "dts", "mp2"];

it.each(telling)("%s says how much of it is missing", async (from) => {
  const path = await noise(from);
  await truncate(path, Math.floor((await stat(path)).size * 0.9));
  const { notes } = await convert(path, from, from === "caf" ? "wav" : "caf");
  const [, read, all] = /^Only ([\d.]+) of ([\d.]+) seconds could be read\.$/.exec(notes.get("INPUT_DAMAGED") ?? "") ?? [];
  expect(Number(read)).toBeGreaterThan(7);
  expect(Number(read)).toBeLessThan(9.3);
  expect(Math.abs(Number(all) - 10)).toBeLessThan(0.2);
});

it("MP3 without a count of its frames says that its end is missing", async () => {
  const path = pathOf("bare.mp3");
  await ffmpeg(...words("-f lavfi -i anoisesrc=duration=10:amplitude=0.3 -write_xing 0 -b:a 128k"), path);
  expect((await convert(path, "mp3", "caf")).notes.has("INPUT_DAMAGED")).toBe(false);
  await truncate(path, Math.floor((await stat(path)).size * 0.9));
  expect((await convert(path, "mp3", "caf")).notes.get("INPUT_DAMAGED")).toContain("The end of the file is missing");
});

it("joined MP3 whose bit rate rises and whose channels change keeps all its sound", async () => {
  const parts = [pathOf("mono.mp3"), pathOf("stereo.mp3")];
  for (const [place, part] of parts.entries()) {
    const rate = words(place === 0 ? "-ac 1 -b:a 48k" : "-ac 2 -b:a 256k");
    await ffmpeg(...words("-f lavfi -i anoisesrc=duration=5:amplitude=0.3 -write_xing 0 -id3v2_version 0"), ...rate, part);
  }
  const path = pathOf("joined.mp3");
  await writeFile(path, Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
  const { path: made, notes } = await convert(path, "mp3", "flac");
  expect(notes.has("INPUT_DAMAGED")).toBe(false);
  const [seconds = 0] = await numbersOf(made, "format=duration", "-f", "flac");
  expect(seconds).toBeGreaterThan(9.85);
});

it.each(silent)("%s says that its end is missing", async (from) => {
  const path = await noise(from);
  await truncate(path, Math.floor((await stat(path)).size * 0.9));
  const { notes } = await convert(path, from, "caf");
  expect(notes.get("INPUT_DAMAGED")).toMatch(/^The end of the file is missing; the rest is [89]\.\d seconds long\.$/);
});

it.each([...telling, ...silent])("%s that is whole has no such note", async (from) => {
  const { notes } = await convert(await noise(from), from, from === "caf" ? "wav" : "caf");
  expect(notes.has("INPUT_DAMAGED")).toBe(false);
});

it.each([0xffffffff, 0xffffff00, 0x7ffff000])(
  "WAV of a writer that did not know its length, and claims %i bytes, is whole",
  async (claimed) => {
    const path = pathOf(`stream-${claimed}.wav`);
    await ffmpeg(...words("-f lavfi -i anoisesrc=duration=2:amplitude=0.3 -seekable 0 -f wav"), `file:${path}`);
    const bytes = await readFile(path);
    expect(bytes.readUInt32LE(4)).toBe(0xffffffff);
    bytes.writeUInt32LE(claimed, bytes.indexOf("data") + 4);
    await writeFile(path, bytes);
    expect((await convert(path, "wav", "flac")).notes.has("INPUT_DAMAGED")).toBe(false);
  },
);

it("a film is whole whose longer tracks the format cannot hold", async () => {
  const path = pathOf("longer.mkv");
  const sources = words("-f lavfi -i testsrc2=size=64x48:rate=10:duration=2 -f lavfi -i sine=duration=2 -f lavfi -i sine=duration=6");
  await ffmpeg(...sources, ...words("-map 0 -map 1 -map 2 -pix_fmt yuv420p -c:a aac"), path);
  expect([...(await convert(path, "mkv", "flv")).notes.keys()]).toEqual(["TRACKS_LEFT_OUT"]);
});

it.each(["mp4", "mkv"])("a film cut out of a longer one, whose clock starts late, is not called damaged in %s", async (to) => {
  const path = pathOf("part.mkv");
  const sources = words("-f lavfi -i testsrc2=size=64x48:rate=10:duration=2 -f lavfi -i sine=duration=2");
  await ffmpeg(...sources, ...words("-pix_fmt yuv420p -c:a aac -output_ts_offset 60"), path);
  expect([...(await convert(path, "mkv", to)).notes]).toEqual([]);
});

describe("a film of which the last twentieth is missing is called damaged:", () => {
  const film = words("-f lavfi -i testsrc2=size=64x48:rate=25:duration=30 -f lavfi -i sine=duration=30");
  it.each([
    ["flv", "-ar 44100", "Only "],
    ["mpg", "-c:v mpeg2video", "The end of the file is missing"],
    ["mpg", "-c:v mpeg1video -f mpeg", "The end of the file is missing"],
    ["vob", "-c:v mpeg2video -f vob", "The end of the file is missing"],
  ])("%s %s", async (from, coding, message) => {
    const path = pathOf(`cut.${from}`);
    await ffmpeg(...film, ...words(coding), path);
    expect((await convert(path, from, "mkv")).notes.has("INPUT_DAMAGED")).toBe(false);
    await truncate(path, Math.floor((await stat(path)).size * 0.95) - 100);
    expect((await convert(path, from, "mkv")).notes.get("INPUT_DAMAGED")).toContain(message);
  });
});

it.each([
  [
    "flac",
    "-f lavfi -i anoisesrc=duration=4:amplitude=0.3:seed=1",
    "mp3",
    /^The file is damaged in one place\. The audio has gaps or damaged places: the result is [23]\.\d of 4\.0/,
  ],
  ["mp4", "-f lavfi -i testsrc2=size=64x48:rate=25:duration=4 -g 25", "mkv", /^(Only 3|The file is damaged in )/],
])("%s with damage in its middle says so, even if no decoder does", async (from, coding, to, message) => {
  const path = pathOf(`hurt.${from}`);
  await ffmpeg(...words(coding), path);
  const bytes = await readFile(path);
  const middle = Math.floor(bytes.length / 2);
  await writeFile(path, bytes.fill(0x55, middle, middle + Math.floor(bytes.length / 6)));
  expect((await convert(path, from, to)).notes.get("INPUT_DAMAGED")).toMatch(message);
});

describe("AVI", () => {
  async function film(): Promise<string> {
    const path = pathOf("whole.avi");
    const sources = words("-f lavfi -i testsrc2=size=96x64:rate=25:duration=8 -f lavfi -i sine=duration=8");
    await ffmpeg(...sources, ...words("-pix_fmt yuv420p -c:v mpeg4 -c:a libmp3lame"), path);
    return path;
  }

  it.each(["mp4", "mkv", "mp3"])("to %s says that its end is missing", async (to) => {
    const path = await film();
    expect((await convert(path, "avi", to)).notes.has("INPUT_DAMAGED")).toBe(false);
    await truncate(path, Math.floor((await stat(path)).size * 0.7));
    expect((await convert(path, "avi", to)).notes.get("INPUT_DAMAGED")).toMatch(
      /^The end of the file is missing; the rest is [45]\.\d seconds/,
    );
  });

  it("that states its own eight bytes too is whole", async () => {
    const path = await film();
    const bytes = await readFile(path);
    bytes.writeUInt32LE(bytes.length, 4);
    await writeFile(path, bytes);
    expect((await convert(path, "avi", "mp4")).notes.has("INPUT_DAMAGED")).toBe(false);
  });
});

it("WMV with a damaged place is not taken for a whole one", async () => {
  const path = pathOf("gap.wmv");
  await ffmpeg(...words("-f lavfi -i testsrc2=size=96x64:rate=25:duration=8 -f lavfi -i sine=duration=8 -c:v wmv2 -c:a wmav2"), path);
  expect((await convert(path, "wmv", "mp4")).notes.has("INPUT_DAMAGED")).toBe(false);
  const bytes = await readFile(path);
  await writeFile(path, Buffer.concat([bytes.subarray(0, bytes.length * 0.45), bytes.subarray(bytes.length * 0.6)]));
  expect((await convert(path, "wmv", "mp4")).notes.get("INPUT_DAMAGED")).toContain("The file is damaged in");
});
