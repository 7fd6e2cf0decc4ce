/** Subtitles from films, and films without a container. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ffmpegEngine } from "#services/conversion/engines/media/ffmpeg.ts";
import { useBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const typical = (name: string): string => join(import.meta.dirname, "../../../../corpus/typical", name);

const bench = useBench(ffmpegEngine);

it.each(["mkv", "mk3d", "mp4", "m4v", "mov", "webm"].flatMap((from) => ["srt", "vtt", "ass"].map((to) => [from, to] as const)))(
  "%s to %s keeps every text",
  async (from, to) => {
    const { path, notes } = await bench.convert(typical(`video/subtitled.${from}`), from, to);
    const text = await readFile(path, "utf8");
    for (const words of ["Quokka line one", "Ünïcødé", "second row"]) expect(text).toContain(words);
    expect([...notes]).toEqual([]);
  },
);

it("closed captions of QuickTime (CEA-608) are read as text", async () => {
  const captioned = join(import.meta.dirname, "../../../../corpus/odd/captions.mov");
  const { path, notes } = await bench.convert(captioned, "mov", "vtt");
  expect(await readFile(path, "utf8")).toMatch(/00:00\.440 --> 00:01\.720\n.*HELLO CAPTION/);
  expect([...notes.keys()]).toEqual(["STYLING_DROPPED"]);
});

it("closed captions within the pictures of a broadcast are named where they are lost", async () => {
  const bytes = await readFile(typical("video/typical.m2v"));
  // After the extension of each picture's header, as ATSC A/53 has it.
  const captions = "000001b24741393403c1fffc9420ff";
  const told = bytes.toString("hex").replace(/(000001b58.(?:..){4,20}?)(?=000001)/g, `$1${captions}`);
  const broadcast = join(bench.folder, "captions.m2v");
  await writeFile(broadcast, Buffer.from(told, "hex"));
  const message = "Closed captions within the video were left out.";
  expect((await bench.convert(broadcast, "m2v", "avi")).notes.get("MEDIA_CHANGED")).toBe(message);
  expect((await bench.convert(broadcast, "m2v", "mp4")).notes.has("MEDIA_CHANGED")).toBe(false);
});

it("says so when a film has none", async () => {
  const converted = bench.convert(typical("video/typical.mp4"), "mp4", "srt");
  await expect(converted).rejects.toMatchObject({ code: "INVALID_INPUT", message: "The video has no subtitles." });
});

it.each(["srt", "vtt", "ass"])("a track without text is refused, and a part without text is blamed on its option, in %s", async (to) => {
  const filmOf = async (start: string): Promise<string> => {
    const [text, path] = [join(bench.folder, "cue.srt"), join(bench.folder, "cue.mkv")];
    await writeFile(text, `1\n${start} --> 00:00:06,000\nx\n`);
    await run("ffmpeg", ["-y", "-f", "lavfi", "-i", "color=size=16x16:duration=1", "-i", text, "-t", "1", path]);
    return path;
  };
  const converted = bench.convert(await filmOf("00:00:05,000"), "mkv", to);
  await expect(converted).rejects.toMatchObject({ code: "INVALID_INPUT", message: "The subtitle track contains no text." });
  expect(await readFile((await bench.convert(await filmOf("00:00:00,000"), "mkv", to)).path, "utf8")).toContain("x");
  const part = bench.convert(await filmOf("00:00:00,800"), "mkv", to, { duration: 0.5 });
  await expect(part).rejects.toMatchObject({ code: "INVALID_OPTION", details: { option: "duration" } });
});

it("a track with an unknown codec is named, and blamed if it is all there is", async () => {
  const film = await readFile(typical("video/subtitled.mkv"), "latin1");
  const path = join(bench.folder, "unknown.mkv");
  await writeFile(path, film.replaceAll("S_TEXT/UTF8", "S_TEXT/WEBV"), "latin1");
  const { notes } = await bench.convert(path, "mkv", "mp4");
  expect([...notes]).toEqual([["TRACKS_LEFT_OUT", "A track was left out because its codec is unknown (subtitle)."]]);
  expect([...(await bench.convert(path, "mkv", "mp3")).notes.keys()]).not.toContain("TRACKS_LEFT_OUT");
  const message = "The codec of the subtitle track is unknown, so it cannot be decoded.";
  await expect(bench.convert(path, "mkv", "srt")).rejects.toMatchObject({ code: "INVALID_INPUT", message });
});

it("a codec without a decoder is blamed", async () => {
  const sound = await readFile(typical("audio/typical.m4a"), "latin1");
  const path = join(bench.folder, "mpeg-h.m4a");
  await writeFile(path, sound.replaceAll("mp4a", "mhm1").replaceAll("esds", "free"), "latin1");
  const message = "FFmpeg cannot decode the codec mpegh_3d_audio.";
  await expect(bench.convert(path, "m4a", "mp3")).rejects.toMatchObject({ code: "INVALID_INPUT", message });
});

it("refuses a number that the film does not have", async () => {
  const converted = bench.convert(typical("video/subtitled.mkv"), "mkv", "srt", { subtitle: 2 });
  await expect(converted).rejects.toMatchObject({
    code: "INVALID_OPTION",
    message: expect.stringMatching(/^There is no such subtitle track; the video has 1 to \d/),
    details: { option: "subtitle" },
  });
});

it("notes that an animation lacks the subtitles of the film", async () => {
  const { notes } = await bench.convert(typical("video/subtitled.mkv"), "mkv", "gif");
  expect(notes.get("TRACKS_LEFT_OUT")).toMatch(/^An animation has no (audio or )?subtitles\.$/);
});

const bare = ["h264", "hevc", "m2v", "m1v", "ivf", "nut", "swf"].map((from) => [from, "mp4"] as const);
/** Copies of a stream without timestamps cannot be written to these. */
const timed = [
  ["m1v", "mkv"],
  ["m2v", "mkv"],
  ["m2v", "ts"],
] as const;
it.each([...bare, ...timed])("%s becomes %s with all of its frames", async (from, to) => {
  const input = typical(`video/typical.${from}`);
  const { path } = await bench.convert(input, from, to);
  const frames = async (file: string) => {
    const args = [
      "-v",
      "error",
      "-count_frames",
      "-select_streams",
      "v:0",
      "-show_entries",
      "stream=nb_read_frames",
      "-of",
      "csv=p=0",
      file,
    ];
    return Number((await run("ffprobe", args)).stdout.split(/[\n,]/)[0]);
  };
  expect(Math.abs((await frames(path)) - (await frames(input)))).toBeLessThanOrEqual(1);
});

it.each(["mlp", "thd", "f4a", "adx", "g722", "mod", "xm", "it", "s3m"])("%s becomes WAV", async (from) => {
  const { path } = await bench.convert(typical(`audio/typical.${from}`), from, "wav");
  const { stdout } = await run("ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path]);
  expect(Number(stdout)).toBeGreaterThan(0.9);
});
