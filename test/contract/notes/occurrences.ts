/** Files that raise each declared note: the note, the engine and the file. */
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { NoteCode } from "#services/conversion/domain/notes.ts";
import { photo } from "#test/contract/options/samples.ts";
import { cell, documentOf, double, message, tableOf } from "#test/services/conversion/engines/data/numbers-archive.ts";
import { pdfOf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";
import { numbers, png, screen } from "#test/services/conversion/engines/pictures/colour-charts.ts";
import { halfTransparent, moving, noise, twoColours } from "#test/services/conversion/engines/pictures/picture-samples.ts";
import { exrOf } from "#test/services/conversion/engines/pictures/raster-samples.ts";
import { book, documents } from "./document-occurrences.ts";
import { joins } from "./join-occurrences.ts";
import { mail } from "./mail-occurrences.ts";
import { maps } from "./map-occurrences.ts";
import { metadata } from "./metadata-occurrences.ts";
import { models } from "./model-occurrences.ts";
import { type Content, copy, latin, type Occurrence, undrawn } from "./occurrence.ts";
import { ffmpeg, magick, run, takenTiff } from "./tools.ts";

const turned = (path: string) => twoColours().withMetadata({ orientation: 6 }).jpeg().toFile(path);
const turnedPng = (path: string) => twoColours().withMetadata({ orientation: 6 }).png().toFile(path);
const alpha = (path: string) => halfTransparent().png().toFile(path);
const clearBmp = (path: string) => magick("-size", "32x32", "xc:none", "-draw", "rectangle 0,0 9,9", "-define", "bmp:format=bmp4", path);
const twoPages = (path: string) => magick("-size", "40x30", "xc:red", "xc:blue", path);
const tagged = (path: string) =>
  twoColours()
    .withExif({ IFD0: { Artist: "Quokka" } })
    .jpeg()
    .toFile(path);
const displayP3 = (path: string) => twoColours().withIccProfile("p3").png().toFile(path);
/** Two pictures in one HEIC or AVIF file. */
const severalStills =
  (...codec: readonly string[]) =>
  async (path: string, folder: string) => {
    await twoColours(64, 64).png().toFile(join(folder, "one.png"));
    await run("heif-enc", [...codec, join(folder, "one.png"), join(folder, "one.png"), "-o", path]);
  };

const deepPng = (path: string) => writeFile(path, png(screen));
const deepJxl = async (path: string, folder: string) => {
  await deepPng(join(folder, "deep.png"));
  await run("cjxl", [join(folder, "deep.png"), path, "-d", "0"]);
};
/** In linear light, and rotated. */
const lightOnItsSide = (path: string) => {
  const orientation = Buffer.from("4d4d002a000000080001011200030000000100060000000000 00".replace(" ", ""), "hex");
  return writeFile(path, png(screen, ["gAMA", numbers(100_000)], ["eXIf", orientation]));
};

const pictures: readonly Omit<Occurrence, "engine">[] = [
  { hop: "png>jpg", code: "MEDIA_CHANGED", content: deepPng },
  { hop: "jpg>png", code: "ORIENTATION_APPLIED", content: turned },
  { hop: "jpg>gif", code: "METADATA_DROPPED", content: tagged },
  { hop: "png>webp", code: "PROFILE_CONVERTED", content: displayP3 },
  { hop: "jpg>jpg", code: "FITTED_TO_SIZE", content: (path) => noise(90, 70).jpeg().toFile(path), options: { maxKb: 2, quality: 80 } },
  { hop: "png>png", code: "SOURCE_KEPT", content: (path) => twoColours().png({ palette: true, compressionLevel: 9 }).toFile(path) },
  { hop: "png>jpg", code: "ALPHA_FLATTENED", content: alpha },
  { hop: "gif>png", code: "ANIMATION_REDUCED", content: async (path) => writeFile(path, await moving("gif")) },
  { hop: "tiff>png", code: "PAGES_LEFT_OUT", content: twoPages },
  { hop: "avif>png", code: "PAGES_LEFT_OUT", content: severalStills("-A") },
  { hop: "svg>png", code: "TEXT_LEFT_OUT", content: undrawn },
  {
    ...{ hop: "svg>png", code: "FONT_SUBSTITUTED" },
    content: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text font-family="Quokka Grotesk">a</text></svg>',
  },
  { hop: "svg>png", code: "IMAGES_REMOVED", content: undrawn },
  { hop: "svg>png", code: "STYLING_DROPPED", content: undrawn },
  {
    hop: "svg>png",
    code: "EXTERNAL_CONTENT_BLOCKED",
    content:
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="https://example.org/a.png" width="9" height="9"/></svg>',
  },
];

const pictureTools: readonly Occurrence[] = [
  { engine: "potrace", hop: "bmp>svg", code: "ALPHA_FLATTENED", content: clearBmp },
  { engine: "imagemagick", hop: "tiff>bmp", code: "PAGES_LEFT_OUT", content: twoPages },
  { engine: "imagemagick", hop: "bmp>bmp", code: "SOURCE_KEPT", content: (path) => magick("-size", "9x9", "xc:red", `bmp3:${path}`) },
  { engine: "imagemagick", hop: "tiff>tiff", code: "METADATA_DROPPED", content: takenTiff(), options: { rotate: "90" } },
  { engine: "svgo", hop: "svg>svg", code: "SOURCE_KEPT", content: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
  {
    engine: "svgo",
    hop: "svg>svg",
    code: "ENCODING_GUESSED",
    content: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><text>\xdcberf\xfchrung</text></svg>', "latin1"),
  },
  { engine: "imagemagick", hop: "png>ppm", code: "ALPHA_FLATTENED", content: alpha },
  { engine: "imagemagick", hop: "png>bmp", code: "ORIENTATION_APPLIED", content: turnedPng },
  { engine: "imagemagick", hop: "png>bmp", code: "MEDIA_CHANGED", content: deepPng },
  { engine: "imagemagick-exr", hop: "exr>png", code: "MEDIA_CHANGED", content: exrOf({ B: 0, G: 1, R: 5 }) },
  { engine: "libheif", hop: "png>heic", code: "MEDIA_CHANGED", content: deepPng },
  { engine: "libjxl", hop: "jxl>jpg", code: "MEDIA_CHANGED", content: deepJxl },
  { engine: "libjxl", hop: "png>jxl", code: "ORIENTATION_APPLIED", content: lightOnItsSide },
  { engine: "ffmpeg-stills", hop: "png>qoi", code: "PROFILE_CONVERTED", content: displayP3 },
  { engine: "imagemagick", hop: "png>jp2", code: "PROFILE_CONVERTED", content: displayP3 },
  { engine: "mupdf", hop: "png>pdf", code: "ORIENTATION_APPLIED", content: turnedPng },
  { engine: "ffmpeg-stills", hop: "png>qoi", code: "ORIENTATION_APPLIED", content: turnedPng },
  ...["ppm", "pgm", "pbm", "pam", "viff", "mtv", "avs", "miff", "dcx"].map(
    (format): Occurrence => ({ engine: "imagemagick", hop: `${format}>png`, code: "PAGES_LEFT_OUT", content: severalOf(format) }),
  ),
  { engine: "icnsutils", hop: "icns>png", code: "PAGES_LEFT_OUT", content: (path) => copy("image/typical.icns", path) },
  { engine: "imagemagick-exr", hop: "png>exr", code: "ORIENTATION_APPLIED", content: turnedPng },
  { engine: "imagemagick-exr", hop: "png>exr", code: "PROFILE_CONVERTED", content: displayP3 },
  { engine: "imagemagick-exr", hop: "tiff>exr", code: "PAGES_LEFT_OUT", content: twoPages },
  { engine: "libheif", hop: "heic>jpg", code: "ALPHA_FLATTENED", content: photo },
  { engine: "libheif", hop: "heic>png", code: "PROFILE_CONVERTED", content: photo, options: { profile: "srgb" } },
  { engine: "libheif", hop: "png>heic", code: "ORIENTATION_APPLIED", content: turnedPng },
  { engine: "libjxl", hop: "jxl>jpg", code: "ALPHA_FLATTENED", content: photo },
  { engine: "libjxl", hop: "jxl>png", code: "PROFILE_CONVERTED", content: photo, options: { profile: "srgb" } },
  {
    engine: "libjxl",
    hop: "jxl>png",
    code: "METADATA_DROPPED",
    content: async (path, folder) => {
      await tagged(join(folder, "tagged.jpg"));
      await run("cjxl", [join(folder, "tagged.jpg"), path]);
    },
  },
  { engine: "libheif", hop: "heic>png", code: "PAGES_LEFT_OUT", content: severalStills() },
  {
    engine: "libjxl",
    hop: "jxl>jpg",
    code: "ANIMATION_REDUCED",
    content: async (path, folder) => {
      const film = ["-f", "lavfi", "-i", "testsrc2=size=32x32:rate=5:duration=1", "-pix_fmt", "rgb24", "-f", "apng"];
      await ffmpeg(...film, join(folder, "moving.png"));
      await run("cjxl", [join(folder, "moving.png"), path]);
    },
  },
  {
    engine: "ffmpeg-stills",
    hop: "apng>png",
    code: "ANIMATION_REDUCED",
    content: (path) => ffmpeg("-f", "lavfi", "-i", "testsrc2=size=32x32:rate=5:duration=1", path),
  },
  {
    engine: "ffmpeg-stills",
    hop: "png>qoi",
    code: "MEDIA_CHANGED",
    content: (path) => ffmpeg("-f", "lavfi", "-i", "testsrc2=size=32x32", "-frames:v", "1", "-pix_fmt", "rgb48be", path),
  },
  { engine: "mupdf", hop: "jpg>pdf", code: "ORIENTATION_APPLIED", content: turned },
  { engine: "mupdf", hop: "png>pdf", code: "PROFILE_CONVERTED", content: displayP3 },
  { engine: "mupdf", hop: "png>pdf", code: "MEDIA_CHANGED", content: deepPng },
  { engine: "poppler", hop: "pdf>png", code: "PAGES_LEFT_OUT", content: pdfOf(["one", "two"]) },
  {
    engine: "djvulibre",
    hop: "djvu>pdf",
    code: "TEXT_LEFT_OUT",
    content: async (path) => {
      await copy("document/typical.djvu", path);
      await run("djvused", ["-e", "select 1; set-rotation 1", "-s", path]);
    },
  },
];

/** Formats that hold several pictures by simple concatenation. */
function severalOf(format: string): Content {
  return async (path, folder) => {
    if (format === "dcx" || format === "miff") return await magick("-size", "40x30", "xc:red", "xc:blue", `${format}:${path}`);
    await magick("-size", "40x30", "-seed", "1", "plasma:", `${format}:${join(folder, "one")}`);
    const one = await readFile(join(folder, "one"));
    await writeFile(path, Buffer.concat([one, one]));
  };
}

const tone = ["-f", "lavfi", "-i", "sine=frequency=440:duration=1"];
const film = ["-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=1"];
const media: readonly Omit<Occurrence, "engine">[] = [
  {
    hop: "mp3>wav",
    code: "METADATA_DROPPED",
    content: async (path, folder) => {
      await twoColours(32, 32).jpeg().toFile(join(folder, "cover.jpg"));
      await ffmpeg(
        ...tone,
        "-i",
        join(folder, "cover.jpg"),
        "-map",
        "0",
        "-map",
        "1",
        "-c:v",
        "copy",
        "-disposition:v",
        "attached_pic",
        path,
      );
    },
  },
  {
    hop: "mp4>mp3",
    code: "TRACKS_LEFT_OUT",
    content: (path) => ffmpeg(...film, ...tone, ...tone, "-map", "0", "-map", "1", "-map", "2", "-pix_fmt", "yuv420p", path),
  },
  {
    hop: "mp4>mp4",
    code: "FITTED_TO_SIZE",
    options: { maxMb: 0.02 },
    content: (path) => ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10:duration=2", "-pix_fmt", "yuv420p", path),
  },
  {
    hop: "mp3>mp3",
    code: "SOURCE_KEPT",
    options: { audioBitrate: 320 },
    content: (path) => ffmpeg(...tone, "-b:a", "64k", path),
  },
  {
    hop: "wav>flac",
    code: "ENCODING_GUESSED",
    content: async (path) => {
      await ffmpeg(...tone, "-bitexact", "-metadata", "title=Jurgen", path);
      await writeFile(path, latin((await readFile(path, "latin1")).replace("Jurgen", "J\xfcrgen")));
    },
  },
  { hop: "wav>wma", code: "MEDIA_CHANGED", content: (path) => ffmpeg(...tone, "-ar", "96000", path) },
  {
    hop: "mkv>srt",
    code: "STYLING_DROPPED",
    content: async (path, folder) => {
      const text = join(folder, "text.srt");
      await writeFile(text, "1\n00:00:00,100 --> 00:00:00,900\nText\n");
      await ffmpeg(...film, "-i", text, "-pix_fmt", "yuv420p", "-c:s", "ass", path);
    },
  },
  { hop: "mkv>avi", code: "TRACKS_LEFT_OUT", content: (path) => ffmpeg(...film, "-map", "0", "-map", "0", "-pix_fmt", "yuv420p", path) },
  { hop: "gif>mp4", code: "ALPHA_FLATTENED", content: (path) => magick("-delay", "10", "-size", "32x32", "xc:none", "xc:red", path) },
  {
    hop: "mp4>webm",
    code: "PROFILE_CONVERTED",
    content: (path) =>
      ffmpeg(
        ...film,
        "-vf",
        "format=yuv420p10le,setparams=colorspace=bt2020nc:color_primaries=bt2020:color_trc=smpte2084:range=tv",
        "-c:v",
        "libx265",
        "-x265-params",
        "log-level=error",
        path,
      ),
  },
  {
    hop: "mov>mp4",
    code: "ALPHA_FLATTENED",
    content: (path) => ffmpeg(...film, "-pix_fmt", "yuva444p10le", "-c:v", "prores_ks", "-profile:v", "4444", path),
  },
];

const data: readonly (readonly [hop: string, code: NoteCode, content: Content])[] = [
  ["json>yaml", "ENCODING_GUESSED", latin('{"a":"J\xfcrgen"}')],
  ["yaml>json", "TYPES_AS_TEXT", "a: .inf\n"],
  ["json>bson", "NUMBERS_ROUNDED", '{"a":1.234567890123456789}'],
  ["json>toml", "EMPTY_VALUES_DROPPED", '{"a":null,"b":1}'],
  ["json>xml", "NAMES_CHANGED", '{"a b":1,"c":2}'],
  ["msgpack>xlsx", "METADATA_DROPPED", Buffer.from("81a161d6ff5a4af6a5", "hex")],
  ["csv>json", "DIALECT_GUESSED", "a;b\n1;2\n"],
  ["json>yaml", "NAMES_CHANGED", '{"a":1,"a":2}'],
  ["csv>json", "NAMES_CHANGED", "a,a\n1,2\n"],
  ["json>xml", "CHARACTERS_REPLACED", '{"a":"\\u0001","b":1}'],
  ["json>csv", "STRUCTURE_FLATTENED", '[{"a":{"b":1}}]'],
  ["json>properties", "STRUCTURE_FLATTENED", '{"a":{"b":1}}'],
  ["properties>json", "ENTRIES_LEFT_OUT", "a=1\na=2\n"],
  ["yaml>json", "METADATA_DROPPED", "a: !own b\n"],
  ["fods>yaml", "SHEETS_LEFT_OUT", book],
  ["numbers>xlsx", "STYLING_DROPPED", documentOf([3], [...tableOf(3, "T", [cell(6, { 1: double(1) })])])],
  ["numbers>csv", "DRAWINGS_LEFT_OUT", documentOf([3, 9], [...tableOf(3, "T", [cell(6, { 1: double(1) })]), [9, 5021, message({})]])],
  ["mdb>json", "STRUCTURE_DROPPED", gunzipSync(readFileSync("test/corpus/values/attachments.accdb.gz"))],
];

const ofEngine = (engine: string, rows: readonly (readonly [string, NoteCode, Content])[]): Occurrence[] =>
  rows.map(([hop, code, content]) => ({ engine, hop, code, content }));

export const occurrences: readonly Occurrence[] = [
  ...pictures.map((each) => ({ engine: "sharp", ...each })),
  ...pictureTools,
  ...metadata,
  ...media.map((each) => ({ engine: "ffmpeg", ...each })),
  ...documents,
  ...maps,
  ...models,
  ...joins,
  { engine: "fluidsynth", hop: "mid>wav", code: "METADATA_DROPPED", content: (path) => copy("audio/typical.mid", path) },
  ...ofEngine("data", data),
  ...ofEngine("mail", mail),
];
