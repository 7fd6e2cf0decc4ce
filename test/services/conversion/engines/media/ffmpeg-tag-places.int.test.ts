/** Each field stands where programs look for it in the tags of the target. Written and read by Mutagen. */
import { expect, it } from "vitest";
import { execute, ffmpeg, ffmpegBench, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

const python = async (code: string, ...args: readonly string[]): Promise<string> =>
  (await execute("/usr/bin/python3", ["-I", "-c", code, ...args])).stdout.trim();

const fields = {
  ...{ TITLE: "Quokka", ARTISTSORT: "Bo", ALBUMARTIST: "All", TRACKNUMBER: "3", TRACKTOTAL: "12", DISCNUMBER: "1", DISCTOTAL: "2" },
  ...{ COMPILATION: "1", BPM: "128", ISRC: "USRC17607839", DATE: "2019-05-17", LABEL: "House", MUSICBRAINZ_ALBUMID: "abc" },
};

const write =
  "import json, sys; from mutagen.flac import FLAC; file = FLAC(sys.argv[1]); file.update(json.loads(sys.argv[2])); file.save()";

const read = `
import json, sys, mutagen
tags = mutagen.File(sys.argv[1]).tags
def plain(value):
    return value.decode() if isinstance(value, bytes) else str(value)
print(json.dumps({key: [plain(each) for each in (getattr(tags[key], "text", tags[key]) if not isinstance(tags[key], bool) else [tags[key]])]
                  for key in tags.keys() if "over" not in key and "covr" not in key}))`;

const places: Readonly<Record<string, readonly string[]>> = {
  mp3: words("TIT2 TSOP TPE2 TRCK TPOS TCMP TBPM TSRC TDRC TPUB TXXX:MusicBrainz_Album_Id"),
  wma: words(
    "Title WM/ArtistSortOrder WM/AlbumArtist WM/TrackNumber WM/PartOfSet WM/IsCompilation WM/BeatsPerMinute WM/ISRC WM/Year WM/Publisher MusicBrainz/Album_Id",
  ),
  // Upper and lower case are the same in APE.
  wv: words("TITLE ARTISTSORT Album_Artist Track Disc COMPILATION BPM ISRC Year LABEL MUSICBRAINZ_ALBUMID"),
};

async function richFlac(): Promise<string> {
  const path = pathOf("rich.flac");
  await ffmpeg(...words("-f lavfi -i sine=duration=1:sample_rate=44100"), path);
  await python(write, path, JSON.stringify(fields));
  return path;
}

it.each(Object.keys(places))("every field of a FLAC has its proper place in %s, and no other", async (to) => {
  const { path } = await convert(await richFlac(), "flac", to);
  const found: Readonly<Record<string, readonly string[]>> = JSON.parse(await python(read, path));
  const isFlag = to === "wma" ? "True" : "1";
  const values = ["Quokka", "Bo", "All", "3/12", "1/2", isFlag, "128", "USRC17607839", "2019-05-17", "House", "abc"];
  const keys = places[to]?.map((key) => (key === "MUSICBRAINZ_ALBUMID" ? key : key.replaceAll("_", " "))) ?? [];
  expect(found).toMatchObject(Object.fromEntries(keys.map((key, place) => [key, [values[place]]])));
  const others = Object.keys(found).filter((key) => !keys.includes(key));
  expect(others.join(" ")).not.toMatch(/total|bpm|isrc|sort|compilation|label|publisher|musicbrainz/i);
});

it("sort names, publisher and compilation of a WMA have the names of Vorbis comments in FLAC, and are no words in M4A", async () => {
  const { path: source } = await convert(await richFlac(), "flac", "wma");
  const { path } = await convert(source, "wma", "flac");
  const found = JSON.parse(await python(read, path));
  expect(found).toMatchObject({ artistsort: ["Bo"], label: ["House"], compilation: ["1"], bpm: ["128"], musicbrainz_albumid: ["abc"] });
  const { path: apple } = await convert(source, "wma", "m4a");
  expect(JSON.parse(await python(read, apple))).toMatchObject({ cpil: ["True"], tmpo: ["128"], soar: ["Bo"], trkn: ["(3, 12)"] });
});

it("the seconds of a date are kept in MP3", async () => {
  const source = await richFlac();
  await python(write, source, JSON.stringify({ DATE: "2019-05-17T13:45:10Z" }));
  const { path } = await convert(source, "flac", "mp3");
  expect(JSON.parse(await python(read, path)).TDRC).toEqual(["2019-05-17 13:45:10"]);
});

it("a date of words stays as it is in WMA and WavPack, and is no wrong year in MP3", async () => {
  const source = await richFlac();
  await python(write, source, JSON.stringify({ DATE: "12 May 2003" }));
  const { path: windows } = await convert(source, "flac", "wma");
  expect(JSON.parse(await python(read, windows))).toMatchObject({ "WM/Year": ["12 May 2003"] });
  const { path } = await convert(source, "flac", "wv");
  expect(JSON.parse(await python(read, path))).toMatchObject({ Year: ["12 May 2003"] });
  const { path: mpeg } = await convert(source, "flac", "mp3");
  const found = JSON.parse(await python(read, mpeg));
  expect([found.TDRC, found["TXXX:DATE"]]).toEqual([undefined, ["12 May 2003"]]);
});
