/** Damage that FFmpeg does not report, because it copies what is left, is noted; files that were joined are not called damaged. */
import { readFile, stat, truncate, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ffmpeg, ffmpegBench, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

const film = "-f lavfi -i testsrc2=size=96x64:rate=25:duration=4 -f lavfi -i sine=duration=4:r=48000";
const sound = "-f lavfi -i sine=duration=4:r=48000";
/** A format, how FFmpeg makes it, and into what it is copied. */
const rows: readonly (readonly [from: string, coding: string, to: string])[] = [
  ["ts", `${film} -pix_fmt yuv420p -c:v libx264 -c:a aac`, "mp4"],
  ["m2ts", `${film} -c:v mpeg2video -c:a mp2 -mpegts_m2ts_mode 1`, "mkv"],
  ["flv", `${film} -pix_fmt yuv420p -c:v libx264 -c:a aac -ar 44100`, "mp4"],
  ["avi", `${film} -c:v mpeg4 -b:v 300k -c:a libmp3lame`, "mkv"],
  ["mpg", `${film} -c:v mpeg2video -b:v 800k -c:a mp2`, "mkv"],
  ["wmv", `${film} -c:v wmv2 -c:a wmav2`, "asf"],
  ["mxf", `${film} -c:v mpeg2video -c:a pcm_s16le`, "mkv"],
  ["mkv", `${film} -pix_fmt yuv420p -c:v libx264 -c:a aac -cluster_time_limit 400`, "mp4"],
  ["dv", "-f lavfi -i testsrc2=size=720x576:rate=25:duration=1 -pix_fmt yuv420p -c:v dvvideo -f dv", "mkv"],
  ["gif", "-f lavfi -i testsrc2=size=96x64:rate=10:duration=3", "mp4"],
  ["apng", "-f lavfi -i testsrc2=size=96x64:rate=10:duration=3 -plays 0", "mp4"],
  ["aac", sound, "mka"],
  ["ac3", sound, "mka"],
  ["eac3", sound, "mka"],
  ["dts", `${sound} -strict -2`, "mka"],
  ["mp3", `${sound} -q:a 4`, "mka"],
  ["mp2", sound, "mka"],
  ["flac", sound, "mka"],
];

async function made(format: string, coding: string, name = "whole"): Promise<string> {
  const path = pathOf(`${name}.${format}`);
  await ffmpeg(...words(coding), path);
  return path;
}

describe.each(rows)("%s copied", (from, coding, to) => {
  it("whole is not called damaged", async () => {
    expect((await convert(await made(from, coding), from, to)).notes.get("INPUT_DAMAGED")).toBeUndefined();
  });

  it.each(["zeros in its middle", "bytes missing in its middle"])("with %s is called damaged", async (damage) => {
    const path = await made(from, coding);
    const bytes = await readFile(path);
    const [start, end] = [Math.floor(bytes.length * 0.47) + 5, Math.floor(bytes.length * 0.53)];
    const rest = damage.startsWith("zeros") ? bytes.fill(0, start, end) : Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
    await writeFile(path, rest);
    const found = await convert(path, from, to).then(
      ({ notes }) => notes.get("INPUT_DAMAGED"),
      (error: Error & { code?: string }) => error.code,
    );
    expect(found).toMatch(/^(?:Only [\d.]+ of [\d.]+ seconds|The file is damaged in |The end of the file is missing|INVALID_INPUT)/);
  });
});

const cut = rows.filter(([from]) => !/^(?:flac|mkv|mxf)$/.test(from));
it.each(cut)("%s says that its end is missing, however little", async (from, coding, to) => {
  const path = await made(from, coding);
  await truncate(path, Math.floor((await stat(path)).size * 0.97) - 3);
  const { notes } = await convert(path, from, to);
  expect(notes.get("INPUT_DAMAGED")).toMatch(/^(?:Only [\d.]+ of|The end of the file is missing)/);
});

it.each(["au", "caf", "aiff", "w64", "wav"])("%s says how much of it is missing, however little", async (from) => {
  const path = await made(from, sound);
  await truncate(path, Math.floor((await stat(path)).size * 0.95));
  expect((await convert(path, from, "flac")).notes.get("INPUT_DAMAGED")).toMatch(/^Only 3\.8 of 4\.0 seconds/);
});

it.each(["ts", "mpg", "mp3", "aac", "ac3", "mp2"])("two joined films or sounds are not called damaged: %s", async (from) => {
  const [, coding = "", to = ""] = rows.find(([format]) => format === from) ?? [];
  const both = [await made(from, coding, "one"), await made(from, coding.replaceAll("duration=4", "duration=3"), "two")];
  const path = pathOf(`joined.${from}`);
  await writeFile(path, Buffer.concat(await Promise.all(both.map((each) => readFile(each)))));
  expect((await convert(path, from, to)).notes.get("INPUT_DAMAGED")).toBeUndefined();
});

it.each([
  ["wmv", "-c:v wmv2 -c:a wmav2"],
  ["flv", "-c:v flv1 -ar 22050 -c:a libmp3lame"],
  ["webm", "-c:v libvpx -deadline realtime -c:a libopus -live 1 -f webm"],
])("sound that is shorter than its film is not called damaged: %s", async (from, coding) => {
  const path = pathOf(`short.${from}`);
  const sources = "-f lavfi -i testsrc2=size=96x64:rate=25:duration=9 -itsoffset 0.7 -f lavfi -i sine=duration=2:r=48000";
  await ffmpeg(...words(sources), ...words(coding), path);
  expect((await convert(path, from, "wav")).notes.get("INPUT_DAMAGED")).toBeUndefined();
});

it("a recording of a broadcast, which begins and ends anywhere, is not called damaged", async () => {
  const bytes = await readFile(await made("ts", `${film} -c:v mpeg2video -g 10 -c:a mp2`));
  const path = pathOf("recorded.ts");
  await writeFile(path, bytes.subarray(188 * 101, 188 * 602));
  expect((await convert(path, "ts", "mkv")).notes.get("INPUT_DAMAGED")).toBeUndefined();
});

it("a still of a film that is cut off later says nothing", async () => {
  const [, coding = ""] = rows[0] ?? [];
  const path = await made("ts", coding);
  await truncate(path, Math.floor((await stat(path)).size * 0.9) - 3);
  expect((await convert(path, "ts", "jpg")).notes.get("INPUT_DAMAGED")).toBeUndefined();
});

it("of a part it is not claimed that the damage is in it", async () => {
  const [, coding = ""] = rows[0] ?? [];
  const path = await made("ts", coding);
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0, bytes.length * 0.7, bytes.length * 0.75));
  const { notes } = await convert(path, "ts", "mkv", { duration: "1" });
  expect(notes.get("INPUT_DAMAGED")).toMatch(/^The file is damaged in one place, which need not be in this part\.$/);
});

it.each([
  ["opus", `${sound} -c:a libopus`],
  ["mka", `${sound} -c:a aac -cluster_time_limit 400`],
])("%s with a hole is told to be as long as its sound is, not as its clock says", async (from, coding) => {
  const path = await made(from, coding);
  const bytes = await readFile(path);
  const [start, end] = [Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.6)];
  await writeFile(path, Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]));
  const result = await convert(path, from, "wav");
  const [, told] = /^Only ([\d.]+) of 4\.0 seconds/.exec(result.notes.get("INPUT_DAMAGED") ?? "") ?? [];
  expect(Math.abs(Number(told) - (await stat(result.path)).size / 96_000)).toBeLessThan(0.1);
});
