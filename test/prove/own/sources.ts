/** The files of which something is asked: made anew by each run, and large enough to get smaller. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { magick } from "#services/conversion/engines/pictures/imagemagick-program.ts";
import { bytesFrom } from "#test/prove/readers/program.ts";
import { type KnownFile, kindOf, samplesOf } from "#test/prove/samples.ts";
import { archiveOf, drawing, recordsOf } from "./data-sources.ts";
import { reportOf, scannedWords, scanOf, sheetOf, slidesOf } from "./page-sources.ts";
import type { Studio } from "./studio.ts";

/** What each source is, for those who read the figures. */
export const sourceNames = {
  photo: "a drawn photo, 2400 × 1600",
  animation: "24 pictures, 320 × 180",
  film: "a film of 8 s, 640 × 360",
  music: "30 s of stereo sound",
  report: "3 pages with a drawn photo each",
  slides: "3 slides with a drawn photo each",
  sheet: "a sheet with a drawn photo",
  scan: "2 pages scanned at 300 dpi",
  files: "4 files of records",
  records: "2000 records",
  font: "DejaVu Sans",
  drawing: "a drawing of 300 paths",
} as const;
export type SourceName = keyof typeof sourceNames;

export type Source = KnownFile & {
  /** Words that are in it whether or not a reader finds them. */
  readonly words?: readonly string[];
};

export async function sourceOf(name: SourceName, format: string, studio: Studio): Promise<Source> {
  const file = { path: join(studio.folder, `${name}.${format}`), format, kind: kindOf(format) };
  if (name === "font") return samplesOf(format)[0] ?? file;
  await makers[name](file, studio);
  return name === "scan" ? { ...file, words: scannedWords } : file;
}

const makers: Readonly<Record<Exclude<SourceName, "font">, (file: KnownFile, studio: Studio) => Promise<void>>> = {
  photo: writePhoto,
  animation: ({ path }, { folder }) => film(folder, "-vf", "fps=3,scale=320:-1,split[a][b];[a]palettegen[p];[b][p]paletteuse", path),
  film: writeFilm,
  music: writeMusic,
  report: async (file, studio) => reportOf(await jpegOf(studio.folder), file, studio),
  slides: async (file, studio) => slidesOf(await jpegOf(studio.folder), file, studio),
  sheet: async (file, studio) => sheetOf(await jpegOf(studio.folder), file, studio),
  scan: ({ path }, { folder }) => scanOf(path, folder),
  files: archiveOf,
  records: ({ path, format }) => writeFile(path, recordsOf(format)),
  drawing: ({ path }) => writeFile(path, drawing()),
};

/** Clouds, shapes with edges, and the grain of a camera. */
async function photoOf(folder: string): Promise<string> {
  const path = join(folder, "photo-of-all.png");
  const drawn =
    "fill #203050 circle 600,500 800,640 fill #f0d040 rectangle 1300,300 1900,900 fill none stroke white stroke-width 5 line 0,1500 2400,200";
  const clouds = ["-seed", "14", "-size", "2400x1600", "plasma:tomato-steelblue", "-blur", "0x1", "-draw", drawn];
  if (!existsSync(path))
    await bytesFrom(magick.path, ...clouds, "-attenuate", "0.12", "+noise", "Gaussian", "-depth", "8", `PNG24:${path}`);
  return path;
}

const jpegOf = async (folder: string): Promise<Buffer> =>
  sharp(await photoOf(folder))
    .jpeg({ quality: 95 })
    .toBuffer();

async function writePhoto({ path, format }: KnownFile, { folder }: Studio): Promise<void> {
  const photo = await photoOf(folder);
  if (format === "tiff") await bytesFrom(magick.path, photo, "-compress", "None", path);
  else if (format === "heic") await bytesFrom("heif-enc", "-q", "90", "-p", "preset=ultrafast", "-o", path, photo);
  else if (format === "avif") await sharp(photo).avif({ quality: 90, effort: 1 }).toFile(path);
  else if (format === "png") await sharp(photo).png().toFile(path);
  else await sharp(photo)[format === "webp" ? "webp" : "jpeg"]({ quality: 95 }).toFile(path);
}

const ffmpeg = async (...args: readonly string[]): Promise<void> =>
  void (await bytesFrom("ffmpeg", "-nostdin", "-v", "error", "-y", ...args));

/** A walk over the photo. */
async function film(folder: string, ...args: readonly string[]): Promise<void> {
  const walk = join(folder, "walk.mkv");
  const seen = "scale=1200:-1,crop=640:360:x='20+n*2':y='20+n',format=yuv420p,noise=alls=4:allf=t";
  const picture = ["-loop", "1", "-framerate", "25", "-i", await photoOf(folder)];
  const coded = ["-vf", seen, "-t", "8", "-c:v", "libx264", "-preset", "veryfast", "-crf", "12", "-c:a", "flac", "-ar", "44100"];
  if (!existsSync(walk)) await ffmpeg(...picture, "-f", "lavfi", "-i", melody, ...coded, walk);
  await ffmpeg("-i", walk, ...args);
}

const codecs: Readonly<Record<string, string>> = {
  mp4: "-c:v copy -c:a aac -b:a 192k",
  mov: "-c:v copy -c:a aac -b:a 192k",
  mkv: "-c copy",
  webm: "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 5M -c:a libopus",
  avi: "-c:v mpeg4 -q:v 2 -c:a libmp3lame -b:a 192k",
};

async function writeFilm({ path, format }: KnownFile, { folder }: Studio): Promise<void> {
  await film(folder, ...(codecs[format] ?? "").split(" "), path);
}

/** Two voices that swell and glide, one to the left and one to the right. */
const melody =
  "aevalsrc=0.3*sin(2*PI*220*t)*(1+0.5*sin(4*t))+0.1*sin(2*PI*1320*t)|0.3*sin(2*PI*330*t+9*sin(2*t))+0.1*sin(2*PI*1980*t):s=44100:d=30";

const soundCodecs: Readonly<Record<string, string>> = {
  mp3: "-c:a libmp3lame -b:a 320k",
  m4a: "-c:a aac -b:a 256k",
  ogg: "-c:a libvorbis -b:a 256k",
  flac: "-c:a flac -sample_fmt s16",
  wav: "-c:a pcm_s24le",
};

async function writeMusic({ path, format }: KnownFile): Promise<void> {
  const hiss = ["-f", "lavfi", "-i", "anoisesrc=color=pink:amplitude=0.02:seed=7:r=44100:d=30"];
  const mixed = ["-filter_complex", "[1][1]join=inputs=2:channel_layout=stereo[n];[0][n]amix=inputs=2:duration=first[m]", "-map", "[m]"];
  await ffmpeg("-f", "lavfi", "-i", melody, ...hiss, ...mixed, ...(soundCodecs[format] ?? "").split(" "), path);
}
