/** The same picture in many formats, made by any program except the engine under test. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { yellowBlue } from "#test/contract/colours.ts";

const run = promisify(execFile);
export const width = 64;
export const height = 48;

const halves = yellowBlue;
const colourAt = (x: number) => (x < width / 2 ? halves.left : halves.right);

/** Three bytes per pixel. */
export const pixels = Buffer.from(Array.from({ length: width * height }, (_, index) => [...colourAt(index % width)]).flat());

export const png = (): Promise<Buffer> =>
  sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();

function plane(channel: 0 | 1 | 2): Buffer {
  return Buffer.from(Array.from({ length: width * height }, (_, index) => colourAt(index % width)[channel]));
}

/** Version 1 (PSD) or 2 (PSB), no layers, raw planes. @see Adobe Photoshop File Formats Specification */
function photoshop(version: 1 | 2): Buffer {
  const header = Buffer.alloc(26);
  header.write("8BPS", "latin1");
  header.writeUInt16BE(version, 4);
  header.writeUInt16BE(3, 12);
  header.writeUInt32BE(height, 14);
  header.writeUInt32BE(width, 18);
  header.writeUInt16BE(8, 22);
  header.writeUInt16BE(3, 24);
  const sections = Buffer.alloc(version === 1 ? 12 : 16);
  return Buffer.concat([header, sections, Buffer.alloc(2), plane(0), plane(1), plane(2)]);
}

/** One PNG after a directory entry. */
async function icon(type: 1 | 2): Promise<Buffer> {
  const picture = await png();
  const directory = Buffer.alloc(22);
  directory.writeUInt16LE(type, 2);
  directory.writeUInt16LE(1, 4);
  directory.set([width, height], 6);
  directory.writeUInt16LE(type === 1 ? 1 : 0, 10);
  directory.writeUInt16LE(type === 1 ? 32 : 0, 12);
  directory.writeUInt32LE(picture.length, 14);
  directory.writeUInt32LE(22, 18);
  return Buffer.concat([directory, picture]);
}

/** Uncompressed, 24 bits. */
function directDraw(): Buffer {
  const header = Buffer.alloc(128);
  header.write("DDS ", "latin1");
  for (const [at, value] of [
    [4, 124],
    [8, 0x100f],
    [12, height],
    [16, width],
    [20, width * 3],
    [76, 32],
    [80, 0x40],
    [88, 24],
    [92, 0xff0000],
    [96, 0xff00],
    [100, 0xff],
    [108, 0x1000],
  ] as const)
    header.writeUInt32LE(value, at);
  const swapped = Buffer.from(pixels);
  for (let at = 0; at < swapped.length; at += 3) swapped.set([pixels[at + 2] ?? 0, pixels[at + 1] ?? 0, pixels[at] ?? 0], at);
  return Buffer.concat([header, swapped]);
}

/** Linear light from an sRGB value (IEC 61966-2-1). */
const linear = (value: number) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);

/** OpenEXR in linear light, from floats in a PFM. */
async function openExr(folder: string): Promise<string> {
  const data = Buffer.alloc(width * height * 12);
  for (let index = 0; index < width * height; index++) {
    for (const [channel, value] of colourAt(index % width).entries()) data.writeFloatLE(linear(value), index * 12 + channel * 4);
  }
  const source = join(folder, "raster-source.pfm");
  const path = join(folder, "raster.exr");
  await writeFile(source, Buffer.concat([Buffer.from(`PF\n${width} ${height}\n-1.0\n`), data]));
  await run("ffmpeg", ["-v", "error", "-nostdin", "-y", "-i", source, "-c:v", "exr", "-f", "image2", "-update", "1", path]);
  return path;
}

/** Flat RGBE in linear light. */
function radiance(): Buffer {
  const data = Array.from({ length: width * height }, (_, index) => [...colourAt(index % width).map((value) => linear(value) * 256), 128]);
  return Buffer.concat([
    Buffer.from(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${height} +X ${width}\n`),
    Buffer.from(data.flat().map((value) => Math.min(255, Math.round(value)))),
  ]);
}

/** The simplest QOI: every pixel as three bytes. @see https://qoiformat.org/qoi-specification.pdf */
function quiteOk(): Buffer {
  const header = Buffer.alloc(14);
  header.write("qoif", "latin1");
  header.writeUInt32BE(width, 4);
  header.writeUInt32BE(height, 8);
  header.set([3, 0], 12);
  const data = Array.from({ length: width * height }, (_, index) => [0xfe, ...colourAt(index % width)]);
  return Buffer.concat([header, Buffer.from(data.flat()), Buffer.from([0, 0, 0, 0, 0, 0, 0, 1])]);
}

const byHand: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = {
  png,
  tiff: () =>
    sharp(pixels, { raw: { width, height, channels: 3 } })
      .tiff({ compression: "lzw" })
      .toBuffer(),
  jpg: () =>
    sharp(pixels, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 95 })
      .toBuffer(),
  psd: () => photoshop(1),
  psb: () => photoshop(2),
  ico: () => icon(1),
  cur: () => icon(2),
  dds: directDraw,
  hdr: radiance,
  qoi: quiteOk,
};

/** ffmpeg's encoder and muxer. */
const byFfmpeg: Readonly<Record<string, readonly string[]>> = {
  bmp: ["-c:v", "bmp"],
  ppm: ["-c:v", "ppm"],
  pgm: ["-c:v", "pgm"],
  pbm: ["-c:v", "pbm"],
  pam: ["-c:v", "pam"],
  pcx: ["-c:v", "pcx"],
  jp2: ["-c:v", "jpeg2000"],
  j2k: ["-c:v", "jpeg2000", "-format", "j2k"],
  xbm: ["-c:v", "xbm"],
  sgi: ["-c:v", "sgi"],
  dpx: ["-c:v", "dpx"],
  xwd: ["-c:v", "xwd"],
  fits: ["-pix_fmt", "gray", "-c:v", "fits"],
  apng: ["-c:v", "apng", "-f", "apng"],
};
const netpbm: Readonly<Record<string, string>> = {
  xpm: "ppmtoxpm",
  pict: "ppmtopict",
  tga: "ppmtotga -rgb -norle",
  ras: "pnmtorast -standard",
};

/** Writes a sample of a format to a folder and returns its path. */
export async function rasterSample(format: string, folder: string): Promise<string> {
  const path = join(folder, `raster.${format}`);
  const made = byHand[format];
  if (made !== undefined) {
    await writeFile(path, await made());
    return path;
  }
  if (format === "exr") return openExr(folder);
  const source = join(folder, "raster-source.ppm");
  await writeFile(source, Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), pixels]));
  const codec = byFfmpeg[format];
  const program = netpbm[format];
  if (codec !== undefined) {
    const target = codec.includes("-f") ? codec : [...codec, "-f", "image2", "-update", "1"];
    await run("ffmpeg", ["-v", "error", "-nostdin", "-y", "-i", source, ...target, path]);
  } else if (program !== undefined) await run("sh", ["-c", `${program} < "$1" > "$2"`, "sh", source, path]);
  else await run("gm", ["convert", source, `${format}:${path}`]);
  return path;
}

/** One pixel of floating point, uncompressed; channels in the order of the alphabet. @see The OpenEXR file layout */
export function exrOf(channels: Readonly<Record<string, number>>, primaries?: readonly number[]): Buffer {
  const number = (bytes: number, value: number): Buffer => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeUIntLE(value, 0, Math.min(bytes, 4));
    return buffer;
  };
  const floats = (...values: readonly number[]): Buffer => Buffer.from(new Float32Array(values).buffer);
  const attribute = (name: string, kind: string, content: Buffer) =>
    Buffer.concat([Buffer.from(`${name}\0${kind}\0`), number(4, content.length), content]);
  const kinds = Object.keys(channels).map((channel) =>
    Buffer.concat([Buffer.from(`${channel}\0`), number(4, 2), number(4, 0), number(4, 1), number(4, 1)]),
  );
  const head = Buffer.concat([
    ...[number(4, 20_000_630), number(4, 2)],
    attribute("channels", "chlist", Buffer.concat([...kinds, number(1, 0)])),
    ...(primaries === undefined ? [] : [attribute("chromaticities", "chromaticities", floats(...primaries))]),
    attribute("compression", "compression", number(1, 0)),
    ...["dataWindow", "displayWindow"].map((name) => attribute(name, "box2i", Buffer.alloc(16))),
    attribute("lineOrder", "lineOrder", number(1, 0)),
    attribute("pixelAspectRatio", "float", floats(1)),
    attribute("screenWindowCenter", "v2f", Buffer.alloc(8)),
    attribute("screenWindowWidth", "float", floats(1)),
    number(1, 0),
  ]);
  const values = floats(...Object.values(channels));
  return Buffer.concat([head, number(8, head.length + 8), number(4, 0), number(4, values.length), values]);
}

/** A DDS of 1 by 1 pixel, or one block. `masks`: bits per pixel, and masks of red, green, blue and alpha. */
export function surfaceOf(
  data: readonly number[],
  told: { readonly masks?: readonly number[]; readonly kind?: number; readonly isCube?: boolean },
): Buffer {
  const { masks = [0, 0, 0, 0, 0], kind, isCube = false } = told;
  const head = Buffer.alloc(kind === undefined ? 128 : 148);
  head.write("DDS ");
  const numbers = [
    [4, 124],
    [8, 0x1007],
    [12, 1],
    [16, 1],
    [76, 32],
    [80, kind === undefined ? 0x41 : 4],
    [108, 0x1000],
  ] as const;
  for (const [at, value] of [...numbers, ...masks.map((value, index) => [88 + index * 4, value] as const)]) head.writeUInt32LE(value, at);
  if (isCube) head.writeUInt32LE(0xfe00, 112);
  if (kind !== undefined) {
    head.write("DX10", 84);
    for (const [at, value] of [
      [128, kind],
      [132, 3],
      [140, 1],
    ] as const)
      head.writeUInt32LE(value, at);
  }
  return Buffer.concat([head, Buffer.from(data)]);
}

/** A Photoshop file of 1 by 1 pixel. `kind`: 2 has a palette. */
export function photoshopOf(
  kind: number,
  data: readonly number[],
  resources: readonly (readonly [number: number, data: readonly number[]])[],
): Buffer {
  const long = (value: number) => Buffer.from(value.toString(16).padStart(8, "0"), "hex");
  const head = Buffer.from("8BPS\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01\0\x08\0\0", "latin1");
  head[13] = data.length;
  head[25] = kind;
  const palette = Buffer.concat((kind === 2 ? [10, 20, 30] : []).map((value) => Buffer.alloc(256, value)));
  const kept = resources.map(([number, bytes]) =>
    Buffer.concat([Buffer.from("8BIM"), long(number * 0x1_0000), long(bytes.length), Buffer.from(bytes), Buffer.alloc(bytes.length % 2)]),
  );
  const all = Buffer.concat(kept);
  return Buffer.concat([head, long(palette.length), palette, long(all.length), all, long(0), Buffer.from([0, 0, ...data])]);
}
