/** Tag fields that FFmpeg does not read or write: carried over, or named. Written and read by Mutagen and ExifTool. */
import { appendFile, copyFile, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { execute, ffmpeg, ffmpegBench, words } from "./ffmpeg-bench.ts";

const { convert, pathOf, programs } = ffmpegBench();

const python = async (code: string, ...args: readonly string[]): Promise<string> =>
  (await execute("/usr/bin/python3", ["-I", "-c", code, ...args])).stdout.trim();

const tone = words("-f lavfi -i sine=duration=1:sample_rate=44100");

const richId3 = `
import sys
from mutagen.id3 import ID3, TPE1, TBPM, TCON, COMM, USLT, POPM, APIC, TRCK, TXXX, TKEY
tags = ID3(sys.argv[1])
tags.add(TPE1(encoding=3, text=["Änn", "Bo"]))
tags.add(TCON(encoding=3, text=["Rock", "Jazz"]))
tags.add(TBPM(encoding=3, text="128"))
tags.add(TKEY(encoding=3, text="Am"))
tags.add(TRCK(encoding=3, text="03/12"))
tags.add(USLT(encoding=3, lang="eng", desc="", text="La\\nla"))
tags.add(TXXX(encoding=3, desc="MusicBrainz Album Id", text="abc"))
for more in sys.argv[2:]:
    if more == "languages":
        tags.add(COMM(encoding=3, lang="eng", desc="", text="Hello"))
        tags.add(COMM(encoding=3, lang="deu", desc="", text="Hallo"))
    elif more == "rating":
        tags.add(POPM(email="a@example.org", rating=200, count=3))
    else:
        tags.add(APIC(encoding=3, mime="image/png", type=4 if "back" in more else 3, desc=more[-9:], data=open(more, "rb").read()))
tags.save()
`;

async function richMp3(...more: readonly string[]): Promise<string> {
  const path = pathOf("rich.mp3");
  await ffmpeg(...tone, ...words("-metadata title=Quokka"), path);
  await python(richId3, path, ...more);
  return path;
}

/** For any kind of tags, under Mutagen's common names. */
async function easy(path: string, to: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const named = pathOf(`named.${to}`);
  await copyFile(path, named);
  const code = `
import json, sys, mutagen
from mutagen.apev2 import APEv2
path = sys.argv[1]
if path.endswith("aiff"):
    frames = mutagen.File(path).tags
    file = {name: list(frames[frame].text) for name, frame in (("title", "TIT2"), ("artist", "TPE1"), ("bpm", "TBPM"), ("genre", "TCON"))}
else:
    file = APEv2(path) if path.endswith("tta") else mutagen.File(path, easy=True)
names = {"year": "date", "track": "tracknumber", "author": "artist", "wm/beatsperminute": "bpm", "wm/genre": "genre"}
print(json.dumps({names.get(key.lower(), key.lower()): [str(each) for each in file[key]] if not isinstance(file[key], str) else [file[key]] for key in file.keys() if "cover" not in key.lower() and "picture" not in key.lower()}))`;
  return JSON.parse(await python(code, named));
}

const targets = ["mp3", "flac", "ogg", "oga", "opus", "m4a", "m4b", "wma", "wv", "aiff", "tta"];

describe("a second artist, beats per minute and lyrics of an MP3 are kept or named:", () => {
  it.each(targets)("%s", async (to) => {
    const { path, notes } = await convert(await richMp3(), "mp3", to);
    const found = await easy(path, to);
    expect(found).toMatchObject({ title: ["Quokka"], artist: ["Änn", "Bo"], bpm: ["128"] });
    expect(found.genre).toEqual(["Rock", "Jazz"]);
    expect(notes.get("METADATA_DROPPED")).toBeUndefined();
    // ExifTool does not read APE tags.
    if (/^(wv|tta|wma)$/.test(to)) return;
    const { stdout } = await execute("exiftool", ["-s3", "-Lyrics", "-Lyrics-eng", "-Lyrics-xxx", "-UnsyncedLyrics", path]);
    expect(stdout).toMatch(/La/);
  });

  it.each(["wav", "mka", "aac", "caf"])("%s, which cannot hold them, names them", async (to) => {
    const { notes } = await convert(await richMp3(), "mp3", to);
    expect(notes.get("METADATA_DROPPED")).toMatch(/tags \([^)]*artist/);
  });

  it.each(["flac", "ogg", "m4a", "wma"])("from %s to all others", async (from) => {
    const { path: source } = await convert(await richMp3(), "mp3", from);
    for (const to of ["mp3", "flac", "opus", "m4a"]) {
      const { path, notes } = await convert(source, from, to);
      expect(await easy(path, to), to).toMatchObject({ artist: ["Änn", "Bo"], genre: ["Rock", "Jazz"], bpm: ["128"] });
      expect(notes.get("METADATA_DROPPED"), to).toBeUndefined();
    }
  });
});

it("the number of tracks in a field of its own in FLAC is kept in M4A, also behind tags of ID3", async () => {
  const path = pathOf("numbered.flac");
  await ffmpeg(...tone, ...words("-metadata TRACKNUMBER=03 -metadata TRACKTOTAL=12 -metadata LABEL=Quokka"), path);
  await python("import sys; from mutagen.id3 import ID3, TIT2; t = ID3(); t.add(TIT2(encoding=3, text='x')); t.save(sys.argv[1])", path);
  const { path: made, notes } = await convert(path, "flac", "m4a");
  expect((await easy(made, "m4a")).tracknumber).toEqual(["3/12"]);
  expect(await python("import sys; from mutagen.mp4 import MP4; print(MP4(sys.argv[1])['----:com.apple.iTunes:LABEL'])", made)).toContain(
    "Quokka",
  );
  expect([...notes]).toEqual([]);
});

it("lyrics that end in half a line break count as kept", async () => {
  const source = pathOf("lyrics.flac");
  await ffmpeg(...tone, "-metadata", "LYRICS=La\r\nla\r", source);
  expect([...(await convert(source, "flac", "mp3")).notes]).toEqual([]);
});

it("languages of comments and ratings stay where the tags are ID3, and are named elsewhere", async () => {
  const source = await richMp3("languages", "rating");
  const { path, notes } = await convert(source, "mp3", "aiff");
  expect([...notes.keys()]).not.toContain("METADATA_DROPPED");
  const listed = await python("import sys; from mutagen.aiff import AIFF; print(sorted(AIFF(sys.argv[1]).tags.keys()))", path);
  for (const key of ["COMM::deu", "COMM::eng", "POPM:a@example.org", "USLT::eng"]) expect(listed).toContain(key);
  const told = (await convert(source, "mp3", "flac")).notes.get("METADATA_DROPPED");
  expect(told).toBe("Not carried over: tags (languages of comment, rating).");
});

it("movements and groupings of iTunes are kept in ID3, and named elsewhere", async () => {
  const path = await richMp3();
  const code =
    "import sys; from mutagen.id3 import ID3, Frames as F; t = ID3(sys.argv[1]); [t.add(F[n](encoding=3, text=n)) for n in ('MVNM', 'GRP1')]; t.save()";
  await python(code, path);
  const { path: made } = await convert(path, "mp3", "aiff");
  const listed = "import sys; from mutagen.aiff import AIFF; t = AIFF(sys.argv[1]).tags; print(t['MVNM'], t['GRP1'])";
  expect(await python(listed, made)).toBe("MVNM GRP1");
  const lost = (await convert(path, "mp3", "wav")).notes.get("METADATA_DROPPED");
  for (const name of ["movement", "grp1"]) expect(lost).toContain(name);
});

it("sort names and the disc's identifier stay in ID3v2.3, and other frames are named", async () => {
  const path = pathOf("sorted.mp3");
  await ffmpeg(...tone, ...words("-metadata title=Quokka"), path);
  const write = `import sys; from mutagen.id3 import ID3, COMM, TSOP, TMOO, MCDI, EQU2
tags = ID3(sys.argv[1]); tags.add(TSOP(encoding=3, text="Bo, A")); tags.add(TMOO(encoding=3, text="calm")); tags.add(MCDI(data=b"12")); tags.add(COMM(encoding=3, lang="eng", desc="iTunNORM", text="0")); tags.add(EQU2(method=0, desc="x", adjustments=[(1, 2)])); tags.save()`;
  await python(write, path);
  const { path: made, notes } = await convert(path, "mp3", "aiff");
  const read =
    "import sys; from mutagen.aiff import AIFF; t = AIFF(sys.argv[1]).tags; print(t.version[1], t['TSOP'], t['TMOO'], t['MCDI'].data)";
  await copyFile(made, pathOf("sorted.aiff"));
  expect(await python(read, pathOf("sorted.aiff"))).toBe("3 Bo, A calm b'12'");
  expect([...notes.values()].join()).toBe("Not carried over: tags (EQU2).");
  expect((await convert(path, "mp3", "flac")).notes.get("METADATA_DROPPED")).toMatch(
    /^Not carried over: tags \((identifier of the disc|EQU2), (identifier of the disc|EQU2)\)\.$/,
  );
});

it("tags of APE behind an MP3, which FFmpeg does not read, are carried over", async () => {
  const path = pathOf("ape.mp3");
  await ffmpeg(...tone, ...words("-id3v2_version 0"), path);
  await python(
    `import sys; from mutagen.apev2 import APEv2; t = APEv2(); t["Artist"] = ["Änn", "Bo"]; t["Title"] = "Quokka"; t.save(sys.argv[1])`,
    path,
  );
  for (const to of ["flac", "m4a", "mp3"]) {
    const { path: made } = await convert(path, "mp3", to);
    expect(await easy(made, to), to).toMatchObject({ artist: ["Änn", "Bo"], title: ["Quokka"] });
  }
  expect((await convert(path, "mp3", "wav")).notes.get("METADATA_DROPPED")).toContain("artist");
});

describe("tags that are not Unicode are read in their code page:", () => {
  /** "Jürgen" as one byte a letter: in the chunks of a WAV, and in ID3v1. */
  const makers: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    async wav(path) {
      await ffmpeg(...tone, ...words("-metadata artist=J?rgen -metadata title=Quokka"), path);
      await writeFile(path, Buffer.from((await readFile(path)).toString("latin1").replace("J?rgen", "J\u00fcrgen"), "latin1"));
    },
    async mp3(path) {
      await ffmpeg(...tone, ...words("-id3v2_version 0 -write_id3v1 0"), path);
      await appendFile(path, Buffer.from(`TAG${"Quokka".padEnd(30, "\0")}${"J\u00fcrgen".padEnd(30, "\0")}${"\0".repeat(65)}`, "latin1"));
    },
  };
  const guessed = { ENCODING_GUESSED: "The encoding of the tags was guessed (Windows-1252)." };

  it.each(["wav", "mp3"].flatMap((from) => ["mp3", "flac", "m4a"].map((to) => [from, to] as const)))("%s to %s", async (from, to) => {
    const path = pathOf(`german.${from}`);
    await makers[from]?.(path);
    const { path: made, notes } = await convert(path, from, to);
    expect(await easy(made, to)).toMatchObject({ artist: ["Jürgen"], title: ["Quokka"] });
    expect(Object.fromEntries(notes)).toEqual(guessed);
  });

  it("are as they were in WAV, and named where nothing else can be done", async () => {
    const path = pathOf("german.wav");
    await makers.wav?.(path);
    const { path: made, notes } = await convert(path, "wav", "rf64");
    expect((await readFile(made)).includes(Buffer.from("J\u00fcrgen", "latin1"))).toBe(true);
    expect([...notes]).toEqual([]);
    expect((await convert(path, "wav", "mka")).notes.get("METADATA_DROPPED")).toContain("artist");
  });
});

it.each(["mp3", "flac", "ogg", "m4a", "wma", "wv"])("a second cover stays in %s", async (to) => {
  for (const side of ["front", "back"])
    await ffmpeg(...words(`-f lavfi -i testsrc2=size=${side === "front" ? 64 : 66}x48 -frames:v 1`), pathOf(`${side}.png`));
  const { path, notes } = await convert(await richMp3(pathOf("front.png"), pathOf("back.png")), "mp3", to);
  const { stdout } = await execute(
    "ffprobe",
    words(`-v error -show_entries stream=width:stream_disposition=attached_pic -of csv=p=0 ${path}`),
  );
  expect(stdout.match(/^6\d,1/gm)?.sort()).toEqual(["64,1", "66,1"]);
  expect(notes.get("METADATA_DROPPED")).toBeUndefined();
});

it("tags that are damaged do not hinder the sound", async () => {
  const path = pathOf("damaged.mp3");
  await ffmpeg(...tone, ...words("-id3v2_version 0"), path);
  const footer = Buffer.concat([
    Buffer.from("APETAGEX"),
    Buffer.from([208, 7, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0xff, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.alloc(8),
  ]);
  await appendFile(path, footer);
  const { path: made } = await convert(path, "mp3", "flac");
  expect((await execute("ffprobe", words(`-v error -show_entries format=format_name -of csv=p=0 ${made}`))).stdout.trim()).toBe("flac");
});

const chapters = `
import sys
from mutagen.id3 import ID3, CHAP, CTOC, TIT2, WXXX
tags = ID3(sys.argv[1])
tags.add(CTOC(element_id="toc", flags=3, child_element_ids=["a", "b"], sub_frames=[]))
for name, start, parts in (("a", 0, []), ("b", 500, [WXXX(encoding=0, desc="", url="http://example.com/" + "x" * 150)])):
    tags.add(CHAP(element_id=name, start_time=start, end_time=start + 500, sub_frames=[*parts, TIT2(encoding=3, text=name)]))
tags.save(sys.argv[1], v2_version=4)`;

const cueSheet = `
import sys
from mutagen.flac import FLAC, CueSheet, CueSheetTrack, CueSheetTrackIndex
file, sheet = FLAC(sys.argv[1]), CueSheet.__new__(CueSheet)
sheet.media_catalog_number, sheet.tracks = b"1234567890123", [CueSheetTrack(number, at, isrc=b"") for number, at in ((1, 0), (170, 44100))]
sheet.tracks[0].indexes.append(CueSheetTrackIndex(1, 0))
file.metadata_blocks.append(sheet)
file.save()`;

it("a chapter with a long link in ID3v2.4 is named if it is lost", async () => {
  const path = pathOf("chapters.mp3");
  await ffmpeg(...tone, path);
  await python(chapters, path);
  const { notes } = await convert(path, "mp3", "m4a");
  expect(notes.get("METADATA_DROPPED")).toBe("Not carried over: tags (links and pictures of chapters); chapters (2).");
});

it("the catalogue number in a cue sheet of FLAC is named if it is lost", async () => {
  const path = pathOf("sheet.flac");
  await ffmpeg(...tone, path);
  await python(cueSheet, path);
  const { notes } = await convert(path, "flac", "m4a");
  expect(notes.get("METADATA_DROPPED")).toBe("Not carried over: tags (numbers of the cue sheet).");
});

it.each(["mp3", "ogg"])("tags of a second recording in an %s are named", async (from) => {
  const paths = ["One", "Two"].map((title) => ({ title, path: pathOf(`${title}.${from}`) }));
  for (const { title, path } of paths) await ffmpeg(...tone, "-metadata", `title=${title}`, path);
  const joined = pathOf(`joined.${from}`);
  await writeFile(joined, Buffer.concat(await Promise.all(paths.map(({ path }) => readFile(path)))));
  expect((await convert(joined, from, "flac")).notes.get("METADATA_DROPPED")).toMatch(/Not carried over: .*further recordings in the file/);
  expect((await convert(paths[0]?.path ?? "", from, "flac")).notes.get("METADATA_DROPPED")).toBeUndefined();
});

it("the title that Windows shows of a WAV is kept", async () => {
  const path = pathOf("shown.wav");
  await ffmpeg(...tone, path);
  await appendFile(path, Buffer.from("DISP\x0e\0\0\0\x01\0\0\0Quokka One", "latin1"));
  const { path: result } = await convert(path, "wav", "flac");
  expect((await execute("ffprobe", [...words("-v error -show_entries format_tags=title -of csv=p=0"), result])).stdout).toBe(
    "Quokka One\n",
  );
});

describe("tags are searched for only in files that may have them:", () => {
  it.each([
    ["wav", []],
    ["aiff", []],
    ["mp4", words("-f lavfi -i testsrc2=duration=1 -c:v libx264 -c:a aac")],
  ])("from %s", async (from, more) => {
    const path = pathOf(`bare.${from}`);
    await ffmpeg(...tone, ...more, path);
    programs.length = 0;
    const { notes } = await convert(path, from, "mp3");
    expect(programs).toEqual(["ffprobe", "ffmpeg", "ffprobe"]);
    expect(notes.get("METADATA_DROPPED")).toBeUndefined();
  });

  it("a film with words for it is searched", async () => {
    const path = pathOf("told.mp4");
    await ffmpeg(...tone, ...words("-c:a aac -metadata title=Quokka"), path);
    programs.length = 0;
    await convert(path, "mp4", "mp3");
    expect(programs).toEqual(["ffprobe", "ffmpeg", "python3", "ffprobe"]);
  });
});
