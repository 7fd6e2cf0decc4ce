/** A file's metadata: carried over, or named in a note. */
import { appendFile, readFile, writeFile } from "node:fs/promises";
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
  it.each(["mp3", "ogg", "opus", "mkv"])("of the container MP4 does not become tags of %s", async (to) => {
    const source = await tagged("container.mp4");
    const { tags } = await said((await convert(source, "mp4", to)).path);
    expect(Object.keys(tags).filter((name) => /brand|minor_version|vendor_id/.test(name))).toEqual([]);
    expect(tags.title).toBe("Quokka dances");
  });

  it.each(["ogg", "oga", "flac", "opus", "mp3", "m4a", "mka", "wma", "aiff"])("loses neither tags nor chapters in %s", async (to) => {
    const source = await tagged("book.m4b", ...words("-c:a aac -f ipod"));
    const { path, notes } = await convert(source, "m4b", to);
    const found = await said(path);
    expect(found.chapters).toEqual(chapters);
    const told: Readonly<Record<string, string | undefined>> = { date: found.tags["wm/year"] ?? found.tags["WM/Year"], ...found.tags };
    expect(names.filter((name) => told[name] === undefined)).toEqual([]);
    expect(found.tags).toMatchObject({ title: "Quokka dances", artist: "Müller", comment: "Two words" });
    expect(notes.get("METADATA_DROPPED")).toBeUndefined();
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

  it("has no notes about what the options leave out", async () => {
    const { notes } = await convert(await tagged("plain.mp3", "-map_chapters", "-1"), "mp3", "wav", { metadata: "strip" });
    expect([...notes]).toEqual([]);
  });
});

it("has its chapters in the order of their times where ID3 lists them in another", async () => {
  const path = pathOf("disordered.mp3");
  await ffmpeg(...tone, ...words("-id3v2_version 0"), path);
  const frame = (name: string, content: Buffer) => {
    const head = Buffer.alloc(10);
    head.write(name, "latin1");
    head.writeUInt32BE(content.length, 4);
    return Buffer.concat([head, content]);
  };
  const chapter = (title: string, startMs: number, endMs: number) => {
    const times = Buffer.alloc(16, 0xff);
    times.writeUInt32BE(startMs, 0);
    times.writeUInt32BE(endMs, 4);
    return frame("CHAP", Buffer.concat([Buffer.from(`${title}\0`), times, frame("TIT2", Buffer.from(`\0${title}`))]));
  };
  const frames = Buffer.concat([chapter("End", 700, 1000), chapter("Begin", 0, 400), chapter("Middle", 400, 700)]);
  const head = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, frames.length >> 7, frames.length & 127]);
  await writeFile(path, Buffer.concat([head, frames, await readFile(path)]));
  for (const to of ["m4b", "ogg", "mka", "opus"]) {
    const { path: made, notes } = await convert(path, "mp3", to);
    expect((await said(made)).chapters).toEqual([
      ["0.0", "Begin"],
      ["0.4", "Middle"],
      ["0.7", "End"],
    ]);
    expect(notes.get("METADATA_DROPPED")).toBeUndefined();
  }
  const { path: part } = await convert(path, "mp3", "m4b", { start: 0.5 });
  expect((await said(part)).chapters).toEqual([
    ["0.0", "Middle"],
    ["0.2", "End"],
  ]);
});

/** A RIFF chunk: four letters, a 32-bit length and the content. */
function chunk(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

async function withChunk(name: string, content: Buffer): Promise<string> {
  const path = pathOf("beside.wav");
  await ffmpeg(...tone, path);
  await appendFile(path, chunk(name, content));
  return path;
}

/** 32-bit numbers. */
const numbers = (count: number, filled: Readonly<Record<number, number>> = {}) => {
  const bytes = Buffer.alloc(count * 4);
  for (const [place, value] of Object.entries(filled)) bytes.writeUInt32LE(value, Number(place) * 4);
  return bytes;
};

describe("chunks of a WAV that FFmpeg does not read are kept or named:", () => {
  it.each([
    ["cue ", numbers(7, { 0: 1 }), "markers in the audio"],
    ["smpl", numbers(15, { 7: 2 }), "loops for samplers (2)"],
    ["smpl", numbers(9), "settings for samplers"],
    ["inst", Buffer.from([60, 0, 0, 0, 127, 1, 127]), "settings for samplers"],
    ["iXML", Buffer.from("<BWFXML/>"), "recording notes (iXML)"],
    ["cart", Buffer.alloc(2048), "broadcast notes (cart)"],
    ["bext", Buffer.alloc(602).fill("fa", 412, 414, "hex"), "the measured loudness (bext)"],
    ["_PMX", Buffer.from("<x:xmpmeta/>"), "XMP"],
    ["LIST", Buffer.concat([Buffer.from("adtlltxt"), numbers(6, { 0: 20, 1: 1 })]), "regions of the audio"],
  ])("%s", async (name, content, message) => {
    const path = await withChunk(name, content);
    expect((await convert(path, "wav", "w64")).notes.get("METADATA_DROPPED")).toContain(`Not carried over: ${message}`);
  });

  /** Four letters, a big-endian length of 32 or 64 bits, and the content. */
  const bigChunk = (name: string, content: Buffer, lengthBytes: 4 | 8): Buffer => {
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(content.length, lengthBytes - 4);
    return Buffer.concat([Buffer.from(name, "latin1"), length, content]);
  };

  it.each([
    ["aiff", "MARK", Buffer.from("0002000100000010024f6e65000200000020025477", "hex"), 4, "markers in the audio (2)"],
    ["aiff", "COMT", Buffer.from("000100000000000000024869", "hex"), 4, "comments"],
    ["caf", "mark", Buffer.concat([Buffer.from("0000000000000003", "hex"), Buffer.alloc(84)]), 8, "markers in the audio (3)"],
    ["caf", "regn", Buffer.concat([Buffer.from("0000000000000001", "hex"), Buffer.alloc(20)]), 8, "regions of the audio"],
  ] as const)("and of %s: %s", async (format, name, content, lengthBytes, message) => {
    const path = pathOf(`beside.${format}`);
    await ffmpeg(...tone, path);
    await appendFile(path, bigChunk(name, content, lengthBytes));
    expect((await convert(path, format, "wav")).notes.get("METADATA_DROPPED")).toContain(`Not carried over: ${message}`);
  });

  it("markers are not noted where they are kept as chapters", async () => {
    const cue = numbers(7, { 0: 1, 1: 1, 2: 12_000, 3: 0x61746164, 6: 12_000 });
    const { path, notes } = await convert(await withChunk("cue ", cue), "wav", "m4a");
    expect((await execute("ffprobe", [...words("-v error -show_chapters -of csv"), path])).stdout).toMatch(/^chapter,/);
    expect([...notes]).toEqual([]);
  });

  it("loops are noted even where metadata is to be left out, notes are not", async () => {
    const loops = await convert(await withChunk("smpl", numbers(15, { 7: 1 })), "wav", "flac", { metadata: "strip" });
    expect(loops.notes.get("METADATA_DROPPED")).toBe("Not carried over: loops for samplers.");
    const notes = await convert(await withChunk("iXML", Buffer.from("<BWFXML/>")), "wav", "flac", { metadata: "strip" });
    expect([...notes.notes]).toEqual([]);
  });
});

describe("a broadcast WAV", () => {
  async function recorded(): Promise<string> {
    const path = pathOf("recorded.wav");
    const told = {
      ...{ description: "Scene 12", originator: "Recorder", originator_reference: "R1", origination_date: "2021-03-04" },
      ...{ origination_time: "10:20:30", time_reference: "4800000", coding_history: "A=PCM" },
    };
    await ffmpeg(...tone, ...Object.entries(told).flatMap(([name, value]) => ["-metadata", `${name}=${value}`]), "-write_bext", "1", path);
    return path;
  }

  const told = async (path: string) => {
    const bytes = await readFile(path);
    const at = bytes.indexOf("bext") + 8;
    const text = (from: number, length: number) => bytes.toString("latin1", at + from, at + from + length).replaceAll("\0", "");
    return [text(0, 256), text(256, 32), text(288, 32), text(320, 10), text(330, 8), Number(bytes.readBigUInt64LE(at + 338))];
  };

  it("keeps when and by whom it was recorded, in WAV and by way of FLAC", async () => {
    const source = await recorded();
    const all = ["Scene 12", "Recorder", "R1", "2021-03-04", "10:20:30", 4_800_000];
    expect(await told(source)).toEqual(all);
    expect(await told((await convert(source, "wav", "rf64")).path)).toEqual(all);
    const { path } = await convert(source, "wav", "wav", { start: 0.5 });
    expect(await told(path)).toEqual(all.with(-1, 4_824_000));
  });

  it("has a note if the format does not hold its time of day", async () => {
    expect((await convert(await recorded(), "wav", "m4a")).notes.get("METADATA_DROPPED")).toContain("time_reference");
  });
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
    ["song.mp3", "ogg"],
    ["song.mp3", "opus"],
    ["song.mp3", "wma"],
    ["film.mp4", "m4v"],
  ])("of %s stays in %s", async (name, to) => {
    const { path, notes } = await convert(await covered(name), name.split(".")[1] ?? "", to);
    expect(await covers(path)).toBe(1);
    expect(notes.get("METADATA_DROPPED")).toBeUndefined();
  });

  it("stays beside a film that is encoded anew", async () => {
    const { path } = await convert(await covered("film.mp4"), "mp4", "m4v", { crf: 30, fps: 5, width: 32 });
    expect(await covers(path)).toBe(1);
  });

  it.each([
    ["song.mp3", "wav"],
    ["song.mp3", "mka"],
    ["film.mp4", "mkv"],
  ])("of %s that %s does not get is noted", async (name, to) => {
    const { notes } = await convert(await covered(name), name.split(".")[1] ?? "", to);
    expect(notes.get("METADATA_DROPPED")).toContain("the cover picture");
  });
});

it.each(["mp3", "m4a"])("the time of a date, the whole original date and a track of zero are kept in %s", async (to) => {
  const source = pathOf("dated.flac");
  const dates = words("-metadata DATE=2013-04-29T07:00:00Z -metadata ORIGINALDATE=2011-02-03 -metadata TRACKNUMBER=3/0");
  await ffmpeg(...words("-f lavfi -i sine=duration=1"), ...dates, source);
  const { path, notes } = await convert(source, "flac", to);
  expect([...notes]).toEqual([]);
  const { stdout } = await execute("exiftool", ["-a", "-u", path]);
  expect(stdout).toMatch(/2013:29?:?04.*07:00|2013:04:29 07:00/);
  expect(stdout).toMatch(/2011[:-]02[:-]03/);
});
