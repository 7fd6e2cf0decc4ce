/** What a file says of itself: carried over, or named in a note. */
import { appendFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { execute, ffmpeg, ffmpegBench, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

const told = `;FFMETADATA1
title=Quokka dances
artist=Müller
album_artist=Band
composer=Bach
album=Album
date=2021-05-04
genre=Rock
track=3/12
disc=1/2
comment=Two words
[CHAPTER]
TIMEBASE=1/1000
START=0
END=400
title=One
[CHAPTER]
TIMEBASE=1/1000
START=400
END=1000
title=Two wörds
`;

const tone = words("-f lavfi -i sine=duration=1:sample_rate=48000");
const film = words("-f lavfi -i testsrc2=size=64x48:rate=10:duration=1");

async function tagged(name: string, ...more: readonly string[]): Promise<string> {
  const [path, list] = [pathOf(name), pathOf("told.txt")];
  await writeFile(list, told);
  const sources = more.includes("-an") || /\.(mkv|mp4)$/.test(name) ? [...tone, ...film] : tone;
  const maps =
    sources.length > tone.length ? words("-map 1 -map 0 -map_metadata 2 -map_chapters 2") : words("-map 0 -map_metadata 1 -map_chapters 1");
  await ffmpeg(...sources, ...words("-f ffmetadata -i"), list, ...maps, ...more, path);
  return path;
}

async function said(path: string): Promise<{ readonly tags: Readonly<Record<string, string>>; readonly chapters: readonly unknown[] }> {
  const entries = "format_tags:stream_tags:chapter=start_time:chapter_tags=title";
  const { stdout } = await execute("ffprobe", ["-v", "error", "-show_entries", entries, "-of", "json", path]);
  const answer: {
    readonly format?: { readonly tags?: Record<string, string> };
    readonly streams: readonly { readonly tags?: Record<string, string> }[];
    readonly chapters: readonly { readonly start_time: string; readonly tags?: { readonly title: string } }[];
  } = JSON.parse(stdout);
  const tags = Object.entries({ ...answer.streams[0]?.tags, ...answer.format?.tags }).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    tags: Object.fromEntries(tags),
    chapters: answer.chapters.map((chapter) => [Number(chapter.start_time).toFixed(1), chapter.tags?.title]),
  };
}

const chapters = [
  ["0.0", "One"],
  ["0.4", "Two wörds"],
];
const names = ["title", "artist", "album_artist", "composer", "album", "date", "genre", "track", "disc", "comment"];

describe("an audiobook", () => {
  it.each(["ogg", "oga", "flac", "opus", "mp3", "m4a", "mka", "wma", "aiff"])("loses neither tags nor chapters in %s", async (to) => {
    const source = await tagged("book.m4b", ...words("-c:a aac -f ipod"));
    const { path, notes } = await convert(source, "m4b", to);
    const found = await said(path);
    expect(found.chapters).toEqual(chapters);
    expect(names.filter((name) => found.tags[name] === undefined)).toEqual([]);
    expect(found.tags).toMatchObject({ title: "Quokka dances", artist: "Müller", comment: "Two words" });
    expect(notes.has("METADATA_DROPPED")).toBe(false);
  });

  it("keeps the chapters of a part where they are in it", async () => {
    const source = await tagged("book.m4b", ...words("-c:a aac -f ipod"));
    const { path } = await convert(source, "m4b", "flac", { start: 0.3, duration: 0.5 });
    expect((await said(path)).chapters).toEqual([
      ["0.0", "One"],
      ["0.1", "Two wörds"],
    ]);
  });

  it.each([
    ["wav", "Not carried over: tags (album_artist, composer, disc); chapters (2)."],
    ["aac", `Not carried over: tags (${names.join(", ")}); chapters (2).`],
    ["w64", `Not carried over: tags (${names.join(", ")}); chapters (2).`],
  ])("is told what %s does not hold", async (to, message) => {
    const { notes } = await convert(await tagged("book.m4b", ...words("-c:a aac -f ipod")), "m4b", to);
    const sorted = (text: string | undefined) => text?.split(/[(),;. ]+/).sort();
    expect(sorted(notes.get("METADATA_DROPPED"))).toEqual(sorted(message));
  });

  it("is told nothing of what it asked to be left out", async () => {
    const { notes } = await convert(await tagged("plain.mp3", "-map_chapters", "-1"), "mp3", "wav", { metadata: "strip" });
    expect([...notes]).toEqual([]);
  });
});

it("marks of a WAV are noted, which FFmpeg does not read", async () => {
  const path = pathOf("marked.wav");
  await ffmpeg(...tone, path);
  const cue = Buffer.alloc(36);
  cue.write("cue ", "latin1");
  cue.writeUInt32LE(28, 4);
  cue.writeUInt32LE(1, 8);
  cue.write("data", 24, "latin1");
  await appendFile(path, cue);
  expect((await convert(path, "wav", "flac")).notes.get("METADATA_DROPPED")).toBe("Not carried over: marks in the sound (1).");
});

describe("a cover", () => {
  async function covered(name: string): Promise<string> {
    const [bare, cover, path] = [await tagged(`bare-${name}`, "-shortest"), pathOf("cover.jpg"), pathOf(name)];
    await ffmpeg(...film, ...words("-frames:v 1"), cover);
    const place = /\.mp4$/.test(name)
      ? ["-map", "0:v", "-map", "0:a", "-map", "1", "-disposition:v:1"]
      : ["-map", "0", "-map", "1", "-disposition:v"];
    await ffmpeg("-i", bare, "-i", cover, ...place, "attached_pic", ...words("-c copy"), path);
    return path;
  }

  const covers = async (path: string) => {
    const { stdout } = await execute("ffprobe", words(`-v error -show_entries stream_disposition=attached_pic -of csv=p=0 ${path}`));
    return stdout.split("\n").filter((line) => line.startsWith("1")).length;
  };

  it.each([
    ["song.mp3", "aiff"],
    ["song.mp3", "flac"],
    ["film.mp4", "m4v"],
  ])("of %s stays in %s", async (name, to) => {
    const { path, notes } = await convert(await covered(name), name.split(".")[1] ?? "", to);
    expect(await covers(path)).toBe(1);
    expect(notes.has("METADATA_DROPPED")).toBe(false);
  });

  it("stays beside a film that is encoded anew", async () => {
    const { path } = await convert(await covered("film.mp4"), "mp4", "m4v", { crf: 30, fps: 5, width: 32 });
    expect(await covers(path)).toBe(1);
  });

  it.each([
    ["song.mp3", "ogg"],
    ["song.mp3", "wv"],
    ["film.mp4", "mkv"],
  ])("of %s that %s does not get is noted", async (name, to) => {
    const { notes } = await convert(await covered(name), name.split(".")[1] ?? "", to);
    expect(notes.get("METADATA_DROPPED")).toContain("the cover picture");
  });
});

describe("languages and other tracks of a film", () => {
  async function spoken(): Promise<string> {
    return await tagged("spoken.mkv", ...words("-metadata:s:a language=deu -metadata:s:a title=Kommentar -pix_fmt yuv420p"));
  }
  const languageOf = async (path: string) => {
    const { stdout } = await execute(
      "ffprobe",
      words(`-v error -select_streams a:0 -show_entries stream_tags=language -of csv=p=0 ${path}`),
    );
    return stdout.split(",")[0]?.trim();
  };

  it.each(["mp4", "mov", "webm", "ts", "mp3", "flac"])("are named in %s", async (to) => {
    const { path, notes } = await convert(await spoken(), "mkv", to);
    const found = /^(mp3|flac)$/.test(to) ? (await said(path)).tags.language : await languageOf(path);
    expect(["deu", "ger"]).toContain(found);
    expect(notes.get("METADATA_DROPPED") ?? "").not.toContain("language");
  });

  it("are noted where the format has no place for them", async () => {
    const { notes } = await convert(await spoken(), "mkv", "flv");
    expect(notes.get("METADATA_DROPPED")).toContain("The format does not name the language of a track (deu).");
    expect(notes.get("METADATA_DROPPED")).toContain("titles of tracks");
  });

  it("of files that are attached are noted", async () => {
    const path = pathOf("attached.mkv");
    await writeFile(pathOf("note.txt"), "text");
    await ffmpeg("-i", await spoken(), "-attach", pathOf("note.txt"), ...words("-metadata:s:t mimetype=text/plain -c copy"), path);
    expect((await convert(path, "mkv", "mp4")).notes.get("TRACKS_LEFT_OUT")).toBe("Attached files and tracks of data were left out.");
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
