/** Track metadata of films, and tracks that are neither picture nor sound: kept, or named in a note. */
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { execute, ffmpeg, ffmpegBench, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

const tone = words("-f lavfi -i sine=duration=1:sample_rate=48000");
const film = words("-f lavfi -i testsrc2=size=64x48:rate=10:duration=1");

describe("languages and other tracks of a film", () => {
  async function spoken(): Promise<string> {
    const path = pathOf("spoken.mkv");
    await ffmpeg(
      ...tone,
      ...film,
      ...words("-map 1 -map 0 -metadata:s:a language=deu -metadata:s:a title=Kommentar -pix_fmt yuv420p"),
      path,
    );
    return path;
  }
  const languageOf = async (path: string) => {
    const { stdout } = await execute(
      "ffprobe",
      words(`-v error -select_streams a:0 -show_entries stream_tags=language -of csv=p=0 ${path}`),
    );
    return stdout.split(",")[0]?.trim();
  };

  const songLanguageOf = async (path: string) =>
    (await execute("ffprobe", words(`-v error -show_entries format_tags=language -of csv=p=0 ${path}`))).stdout.trim();

  it.each(["mp4", "mov", "webm", "ts", "mp3", "flac"])("are named in %s", async (to) => {
    const { path, notes } = await convert(await spoken(), "mkv", to);
    const found = /^(mp3|flac)$/.test(to) ? await songLanguageOf(path) : await languageOf(path);
    expect(["deu", "ger"]).toContain(found);
    expect(notes.get("METADATA_DROPPED") ?? "").not.toContain("language");
  });

  it("are noted where the format has no place for them", async () => {
    const { notes } = await convert(await spoken(), "mkv", "flv");
    expect(notes.get("METADATA_DROPPED")).toContain("The format does not store the language of a track (deu).");
    expect(notes.get("METADATA_DROPPED")).toContain("track titles");
  });

  it("that are forced, for the deaf, or heard first keep that, or the note says so", async () => {
    const [script, path] = [pathOf("marked.srt"), pathOf("marked.mkv")];
    await writeFile(script, "1\n00:00:00,100 --> 00:00:00,900\nQuokka\n");
    const marks = "-disposition:a:0 0 -disposition:a:1 default -disposition:s:0 default+hearing_impaired -disposition:s:1 forced";
    await ffmpeg(
      ...["-i", await spoken(), ...tone, "-i", script, "-i", script, ...words("-map 0:v -map 0:a -map 1 -map 2 -map 3")],
      ...words(`-c:v copy -c:a libmp3lame -c:s srt ${marks}`),
      path,
    );
    const told = async (to: string) => (await convert(path, "mkv", to)).notes.get("METADATA_DROPPED") ?? "";
    expect(await told("mkv")).toBe("");
    expect(await told("mp4")).not.toContain("mark tracks");
    expect(await told("avi")).toContain("The format cannot mark tracks as the one that is heard first.");
    expect(await told("webm")).toContain("The format cannot mark tracks as for people who do not hear well.");
  });

  it("that are not shown in MKV and would be in MP4 are noted", async () => {
    const [script, path] = [pathOf("hidden.srt"), pathOf("hidden.mkv")];
    await writeFile(script, "1\n00:00:00,100 --> 00:00:00,900\nQuokka\n");
    await ffmpeg("-i", await spoken(), "-i", script, ...words("-map 0 -map 1 -c copy -disposition:s:0 0"), path);
    expect((await convert(path, "mkv", "mp4")).notes.get("METADATA_DROPPED")).toContain("mark tracks as shown at once, or not");
  });

  it("that are not shown stay so in MKV, where the first of several was", async () => {
    const [script, path] = [pathOf("two.srt"), pathOf("two.mkv")];
    await writeFile(script, "1\n00:00:00,100 --> 00:00:00,900\nQuokka\n");
    const hidden = "-map 0 -map 1 -map 1 -c copy -disposition:s:0 0 -disposition:s:1 forced";
    await ffmpeg("-i", await spoken(), "-i", script, ...words(hidden), path);
    for (const to of ["mkv", "webm"]) expect((await convert(path, "mkv", to)).notes.get("METADATA_DROPPED")).toBeUndefined();
  });

  it("of a format with one audio track have the default one, not the first", async () => {
    const path = pathOf("second.mkv");
    const second = "-map 0:v -map 0:a -map 1 -metadata:s:a:1 language=fin -disposition:a:0 0 -disposition:a:1 default -c:v copy";
    await ffmpeg("-i", await spoken(), ...tone, ...words(second), path);
    const { path: made, notes } = await convert(path, "mkv", "3gp");
    expect([await languageOf(made), notes.get("TRACKS_LEFT_OUT")]).toEqual(["fin", "Only track 2 of 2 was converted."]);
  });

  it("of files that are attached are noted", async () => {
    const path = pathOf("attached.mkv");
    await writeFile(pathOf("note.txt"), "text");
    await ffmpeg("-i", await spoken(), "-attach", pathOf("note.txt"), ...words("-metadata:s:t mimetype=text/plain -c copy"), path);
    expect((await convert(path, "mkv", "mp4")).notes.get("TRACKS_LEFT_OUT")).toBe("Attached files and data tracks were left out.");
  });

  it("with styled subtitles keep their styles, or say that they are gone", async () => {
    const [script, path] = [pathOf("styled.ass"), pathOf("styled.mk3d")];
    await writeFile(script, "1\n00:00:00,100 --> 00:00:00,900\n<i>Quokka</i>\n");
    await ffmpeg("-i", await spoken(), ...words("-f srt -i"), script, ...words("-map 0 -map 1 -c copy -c:s ass -f matroska"), path);
    const kept = await convert(path, "mk3d", "mkv");
    expect(
      (await execute("ffprobe", words(`-v error -select_streams s -show_entries stream=codec_name -of csv=p=0 ${kept.path}`))).stdout,
    ).toContain("ass");
    expect(kept.notes.has("STYLING_DROPPED")).toBe(false);
    for (const to of ["mp4", "srt"]) expect((await convert(path, "mk3d", to)).notes.has("STYLING_DROPPED"), to).toBe(true);
  });
});

it("the audio of another program of a broadcast is no track of the video", async () => {
  const path = pathOf("programs.ts");
  const second = words("-f lavfi -i testsrc=size=64x48:rate=10:duration=1 -f lavfi -i sine=880:duration=1:sample_rate=32000");
  const programs = words("-program st=0:st=1 -program st=2:st=3 -map 1 -map 3 -map 2 -map 0");
  await ffmpeg(...tone, ...film, ...second, ...programs, ...words("-c:v mpeg2video -c:a mp2"), path);
  const { path: made, notes } = await convert(path, "ts", "mp4");
  const { stdout } = await execute("ffprobe", words(`-v error -select_streams a -show_entries stream=sample_rate -of csv=p=0 ${made}`));
  expect(stdout.trim()).toBe("32000");
  expect(notes.get("TRACKS_LEFT_OUT")).toBe("Only one of 2 programs was converted.");
});

it("a film under Common Encryption is refused as protected, not copied or called damaged", async () => {
  const key = words("-encryption_scheme cenc-aes-ctr -encryption_key 76a6c65c5ea762046bd749a2e632ccbb");
  const path = pathOf("protected.mp4");
  await ffmpeg(...film, ...tone, ...words("-pix_fmt yuv420p -encryption_kid a7e61c373e219033c21091fa607bf3b8"), ...key, path);
  for (const to of ["mkv", "mp3"])
    await expect(convert(path, "mp4", to)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("rights management"),
    });
});

it("every reason why tracks are left out is noted", async () => {
  const path = pathOf("two-films.mkv");
  await ffmpeg(...film, ...film, ...words("-map 0 -map 1 -attach package.json -metadata:s:t mimetype=text/plain -pix_fmt yuv420p"), path);
  const { notes } = await convert(path, "mkv", "mp4");
  expect(notes.get("TRACKS_LEFT_OUT")).toBe(
    "Only the first track of each kind was converted. Attached files and data tracks were left out.",
  );
});

it("the centre of 6.1 came out of another speaker in Opus", async () => {
  const [path, centre] = [pathOf("centre.wav"), pathOf("centre.pcm")];
  await ffmpeg(...words("-f lavfi -i"), "aevalsrc=0|0|0.5*sin(440*2*PI*t)|0|0|0|0:c=6.1:d=0.5:s=48000", path);
  const { path: made, notes } = await convert(path, "wav", "opus");
  await ffmpeg("-i", made, ...words("-af pan=mono|c0=FC -f s16le"), centre);
  const samples = new Int16Array(new Uint8Array(await readFile(centre)).buffer);
  expect(Math.max(...samples)).toBeGreaterThan(10_000);
  expect(notes.get("MEDIA_CHANGED")).toBe("Channels: 8 (7.1) instead of 7 (6.1).");
});
