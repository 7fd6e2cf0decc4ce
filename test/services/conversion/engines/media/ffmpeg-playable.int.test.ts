/** Film in MP4 is playable in browsers and on phones, whatever its source. */
import { describe, expect, it } from "vitest";
import { execute, ffmpeg, ffmpegBench, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

async function filmOf(path: string): Promise<string> {
  const end = await execute("ffprobe", [
    ...words("-v error -select_streams v:0 -show_entries stream=codec_name,pix_fmt -of csv=p=0"),
    path,
  ]);
  return String(end.stdout).trim();
}

async function made(name: string, args: string): Promise<string> {
  const path = pathOf(name);
  await ffmpeg(...words("-f lavfi -i testsrc2=size=96x64:rate=25:duration=1"), ...words(args), path);
  return path;
}

describe("a film whose codec or pixels no browser plays is encoded anew for MP4", () => {
  it.each(["mp4", "m4v"])("MPEG-4 Part 2 of a MOV to %s", async (to) => {
    const { path } = await convert(await made("part2.mov", "-pix_fmt yuv420p -c:v mpeg4"), "mov", to);
    expect(await filmOf(path)).toBe("h264,yuv420p");
  });

  it.each([
    ["yuv444p", "Pixels per colour sample: 4 instead of 1."],
    ["yuv422p10le", "Bits per colour channel: 8 instead of 10."],
    ["gbrp", "Pixels per colour sample: 4 instead of 1."],
  ])("H.264 with %s", async (pixels, said) => {
    const encoder = pixels === "gbrp" ? "libx264rgb -pix_fmt bgr24" : `libx264 -pix_fmt ${pixels}`;
    const { path, notes } = await convert(await made(`${pixels}.mkv`, `-c:v ${encoder}`), "mkv", "mp4");
    expect(await filmOf(path)).toBe("h264,yuv420p");
    expect(notes.get("MEDIA_CHANGED")).toContain(said);
  });

  it("is copied where it plays, where MP4 was asked to become MP4, and into MKV", async () => {
    expect(await filmOf((await convert(await made("plain.mov", "-c:v libx264 -pix_fmt yuv420p"), "mov", "mp4")).path)).toBe("h264,yuv420p");
    const source = await made("own.mp4", "-c:v libx264 -pix_fmt yuv444p");
    expect(await filmOf((await convert(source, "mp4", "mp4")).path)).toBe("h264,yuv444p");
    expect(await filmOf((await convert(source, "mp4", "mkv")).path)).toBe("h264,yuv444p");
  });
});

it.each(["webm", "avi"])("%s of a film in 4:4:4 has fewer colour samples, which no note said", async (to) => {
  const { notes } = await convert(await made(`full-${to}.mkv`, "-pix_fmt yuv444p -c:v libx264"), "mkv", to);
  expect(notes.get("MEDIA_CHANGED")).toBe("Pixels per colour sample: 4 instead of 1.");
});
