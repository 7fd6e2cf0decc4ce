/** Pixels of a picture, page or drawing, from the first program that can read it and did not write it. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { magick } from "#services/conversion/engines/pictures/imagemagick-program.ts";
import type { KnownFile } from "#test/prove/samples.ts";
import { bytesFrom } from "./program.ts";

export type Pixels = { readonly reader: string; readonly width: number; readonly height: number; readonly picture: Buffer };

type Reader = {
  readonly name: string;
  /** Engines that use this program. */
  readonly engines: readonly string[];
  /** Undefined: any picture may be tried. */
  readonly formats?: ReadonlySet<string>;
  /** Returns a PNG, a PNM, or anything else that sharp reads. */
  read(path: string, format: string): Promise<Buffer>;
};

const set = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const paged = "pdf pdfa";
const drawn = set(`svg svgz eps ps emf wmf dxf ${paged}`);
const gmName = (format: string) => ({ ras: "sun", jpg: "jpeg", apng: "png" })[format] ?? format;
const pdftoppm = ["-png", "-r", "60", "-f", "1", "-l", "1", "-singlefile"];
const gsPage = [
  "-q",
  "-dSAFER",
  "-dBATCH",
  "-dNOPAUSE",
  "-dLastPage=1",
  "-sDEVICE=png16m",
  "-r60",
  "-dTextAlphaBits=4",
  "-dGraphicsAlphaBits=4",
];
const pillow =
  "import sys; from PIL import Image; im = Image.open(sys.argv[1]); im.seek(0); im.convert('RGBA').save(sys.stdout.buffer, 'PNG', compress_level=1)";

const readers: readonly Reader[] = [
  { name: "poppler", engines: ["poppler", "poppler-tiff"], formats: set(paged), read: (path) => bytesFrom("pdftoppm", ...pdftoppm, path) },
  {
    name: "mupdf",
    engines: ["mupdf"],
    formats: set(`${paged} xps`),
    read: (path) => bytesFrom("mutool", "draw", "-q", "-r", "60", "-F", "png", "-o", "-", path, "1"),
  },
  {
    name: "ghostscript",
    engines: ["ghostscript"],
    formats: set("ps pdf pdfa"),
    read: (path) => bytesFrom("gs", ...gsPage, "-sOutputFile=-", path),
  },
  {
    name: "ghostscript",
    engines: ["ghostscript"],
    formats: set("eps"),
    read: (path) => bytesFrom("gs", ...gsPage, "-dEPSCrop", "-sOutputFile=-", path),
  },
  {
    name: "sharp",
    engines: ["sharp"],
    formats: set("jpg png webp gif avif tiff apng"),
    read: (path) => readFile(path),
  },
  // rsvg-convert's output is written by Cairo; librsvg only reads.
  { name: "librsvg", engines: [], formats: set("svg svgz"), read: (path) => bytesFrom("rsvg-convert", path) },
  {
    name: "mupdf",
    engines: ["mupdf"],
    formats: set("svg"),
    read: (path) => bytesFrom("mutool", "draw", "-q", "-F", "png", "-o", "-", path, "1"),
  },
  // It defines what its source looks like. ImageMagick's rendering depends on what else is installed.
  { name: "graphviz", engines: ["graphviz"], formats: set("gv"), read: (path) => bytesFrom("dot", "-Tpng:cairo", "-Gdpi=96", path) },
  // The ancestor of LibRaw, which has since gone its own way.
  {
    name: "dcraw",
    engines: [],
    formats: set("dng nef arw pef cr2 orf raf rw2"),
    read: (path) => bytesFrom("dcraw", "-c", "-T", "-w", "-o", "1", path),
  },
  {
    name: "ffmpeg",
    engines: ["ffmpeg", "ffmpeg-stills"],
    read: (path, format) =>
      bytesFrom(
        "ffmpeg",
        ...["-v", "error", "-nostdin", ...(format === "exr" ? ["-apply_trc", "iec61966_2_1"] : []), "-i", path],
        ...["-frames:v", "1", "-c:v", "png", "-f", "image2pipe", "-"],
      ),
  },
  {
    name: "graphicsmagick",
    engines: ["graphicsmagick"],
    read: (path, format) => bytesFrom("gm", "convert", `${gmName(format)}:${path}[0]`, "-depth", "8", "png:-"),
  },
  { name: "pillow", engines: [], read: (path) => bytesFrom("/usr/bin/python3", "-I", "-c", pillow, path) },
  { name: "libheif", engines: ["libheif"], formats: set("heic"), read: heifPng },
  {
    name: "netpbm",
    engines: [],
    formats: set("pict"),
    read: (path) => bytesFrom("sh", "-c", 'picttoppm < "$1" 2>/dev/null', "sh", path),
  },
  {
    name: "imagemagick",
    engines: ["imagemagick", "imagemagick-exr"],
    read: (path, format) => bytesFrom(magick.path, `${format === "ras" ? "sun" : format}:${path}[0]`, "-depth", "8", "png:-"),
  },
  // The writer itself, if there is nothing else.
  { name: "self", engines: [], formats: set("jxl"), read: (path) => bytesFrom("sh", "-c", 'djxl "$1" - --output_format png', "sh", path) },
];

async function heifPng(path: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-heif-"));
  try {
    await bytesFrom("heif-convert", path, join(folder, "read.png"));
    return await readFile(join(folder, "read.png"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every reading of a file, by programs other than its writer first; the caller uses the first suitable one. */
export async function* readingsOf({ path, format }: KnownFile, writer?: string): AsyncGenerator<Pixels> {
  const isDrawn = drawn.has(format);
  const able = readers.filter(({ formats }) => (formats === undefined ? !isDrawn : formats.has(format)));
  const foreign = able.filter(({ engines }) => writer === undefined || !engines.includes(writer));
  const own = able.filter((reader) => !foreign.includes(reader)).map((reader) => ({ ...reader, name: "self" }));
  for (const { name, read } of [...foreign, ...own]) {
    try {
      const picture = await read(path, format);
      const { width, height } = await sharp(picture, { limitInputPixels: 1e8 }).metadata();
      yield { reader: name, width, height, picture };
    } catch {
      // The next one may succeed.
    }
  }
}

/** The writer, if it matters: the readings of a format are the same for all writers that are not among its readers. */
export function writerAmongReaders(writer: string, format: string): string {
  return readers.some(({ engines, formats }) => engines.includes(writer) && formats?.has(format) !== false) ? writer : "";
}

/** Sources, scaled to the size at which their results are compared. */
const shrunk = new WeakMap<Pixels, Map<string, Promise<Buffer>>>();

/** Returns a cached buffer, which must not be modified. */
export function rgbOf(pixels: Pixels, width: number, height: number): Promise<Buffer> {
  const sizes = shrunk.get(pixels) ?? new Map<string, Promise<Buffer>>();
  shrunk.set(pixels, sizes);
  const size = `${width} ${height}`;
  const known = sizes.get(size) ?? readAt(pixels, width, height);
  sizes.set(size, known);
  return known;
}

/** RGB on white at a given size; excess width or height is cropped around the centre. */
function readAt({ picture }: Pixels, width: number, height: number): Promise<Buffer> {
  return sharp(picture, { limitInputPixels: 1e8 })
    .flatten({ background: "#fff" })
    .toColourspace("srgb")
    .resize(width, height, { fit: "cover", kernel: "linear" })
    .raw()
    .toBuffer({ resolveWithObject: true })
    .then(({ data, info }) => (info.channels === 3 ? data : spread(data, info.channels)));
}

/** Expands one or two channels to three. */
function spread(data: Buffer, channels: number): Buffer {
  const rgb = Buffer.alloc((data.length / channels) * 3);
  for (let index = 0; index < data.length / channels; index++) rgb.fill(data[index * channels] ?? 0, index * 3, index * 3 + 3);
  return rgb;
}

/** Frames of an animation; 1 for a still, and for formats without a reader that counts. */
export async function framesOf({ path, format }: KnownFile): Promise<number> {
  if (format === "gif" || format === "webp" || format === "avif") return (await sharp(path).metadata()).pages ?? 1;
  if (format !== "apng" && format !== "png") return 1;
  const bytes = await readFile(path);
  const at = bytes.indexOf("acTL");
  return at < 0 ? 1 : bytes.readUInt32BE(at + 4);
}
