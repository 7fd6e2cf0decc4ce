/** Two-colour charts, encoded in each colour space that a format supports. */
import { crc32, deflateSync } from "node:zlib";
import type { Halves } from "#test/contract/colours.ts";

export const [width, height] = [32, 16];
export const chart: Halves = { left: [200, 120, 60], right: [60, 110, 190] };
type Light = readonly [number, number, number];

const light = (value: number): number => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
export const value = (share: number): number => (share <= 0.0031308 ? share * 12.92 : 1.055 * share ** (1 / 2.4) - 0.055);
/** From BT.709. @see ITU-R BT.2087; SMPTE EG 432-1 */
export const wider = {
  p3: [
    [0.82246, 0.17754, 0],
    [0.03319, 0.96681, 0],
    [0.01708, 0.0724, 0.91052],
  ],
  bt2020: [
    [0.6274, 0.32928, 0.04331],
    [0.0691, 0.91954, 0.01136],
    [0.01639, 0.08801, 0.8956],
  ],
} as const;
const inSpace = (rows: readonly Light[], from: Light): Light =>
  rows.map((row) => row.reduce((sum, share, index) => sum + share * (from[index] ?? 0), 0)) as unknown as Light;
/** SMPTE ST 2084, for reference white of 203 cd/m². */
export const perceptual = (share: number): number => {
  const power = ((share * 203) / 10_000) ** 0.1593017578125;
  return ((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power)) ** 78.84375;
};
/** ARIB STD-B67, for the same. */
export const hybrid = (share: number): number => {
  const scene = (share * 0.203) ** (1 / 1.2);
  return scene <= 1 / 12 ? Math.sqrt(3 * scene) : 0.17883277 * Math.log(12 * scene - 0.28466892) + 0.55991073;
};

/** Every sample of the chart, from 0 to 1, interleaved by channel. */
export function samplesOf(encode: (light: Light) => Light): number[] {
  const halves = [chart.left, chart.right].map((colour) => encode([light(colour[0]), light(colour[1]), light(colour[2])]));
  return Array.from({ length: width * height }, (_, index) => halves[index % width < width / 2 ? 0 : 1] ?? []).flat();
}
export const each =
  (encode: (share: number) => number) =>
  (from: Light): Light => [encode(from[0]), encode(from[1]), encode(from[2])];
export const wide = (rows: readonly Light[], encode: (share: number) => number) => (from: Light) => each(encode)(inSpace(rows, from));

function chunkOf(kind: string, data: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(kind), data, Buffer.alloc(4)]);
  bytes.writeUInt32BE(data.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}
export const numbers = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, each] of values.entries()) bytes.writeUInt32BE(each, index * 4);
  return bytes;
};

/** 16-bit, colour type 2. */
export function png(samples: readonly number[], ...chunks: readonly (readonly [string, Buffer])[]): Buffer {
  const rows = Buffer.alloc((width * 6 + 1) * height);
  for (const [index, sample] of samples.entries()) {
    rows.writeUInt16BE(Math.round(sample * 65_535), Math.floor(index / (width * 3)) * (width * 6 + 1) + 1 + (index % (width * 3)) * 2);
  }
  return pngOf(rows, [16, 2], ...chunks);
}
export function pngOf(rows: Buffer, [bits, type]: readonly [number, number], ...chunks: readonly (readonly [string, Buffer])[]): Buffer {
  const head = Buffer.concat([numbers(width, height), Buffer.from([bits, type, 0, 0, 0])]);
  const all = [["IHDR", head] as const, ...chunks, ["IDAT", deflateSync(rows)] as const, ["IEND", Buffer.alloc(0)] as const];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...all.map(([kind, data]) => chunkOf(kind, data))]);
}

type Tiff = { readonly bits: number; readonly kind: 1 | 2 | 3; readonly photometric: number; readonly channels: 1 | 3 };
/** Little-endian, one strip. @see TIFF 6.0 */
export function tiff(data: Buffer, { bits, kind, photometric, channels }: Tiff): Buffer {
  const tags = [
    ...[
      [256, width],
      [257, height],
      [258, bits],
      [259, 1],
      [262, photometric],
      [273, 8],
      [277, channels],
      [278, height],
    ],
    ...[
      [279, data.length],
      [339, kind],
    ],
  ] as const;
  const places = 8 + data.length + 2 + tags.length * 12 + 4;
  const directory = Buffer.alloc(2 + tags.length * 12 + 4 + 16);
  directory.writeUInt16LE(tags.length);
  for (const [index, [tag = 0, content = 0]] of tags.entries()) {
    const [at, isList] = [2 + index * 12, channels === 3 && (tag === 258 || tag === 339)];
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(tag === 273 || tag === 279 ? 4 : 3, at + 2);
    directory.writeUInt32LE(isList ? 3 : 1, at + 4);
    const list = tag === 258 ? 0 : 6;
    directory.writeUInt32LE(isList ? places + list : content, at + 8);
    if (isList) for (const number of [0, 1, 2]) directory.writeUInt16LE(content, 2 + tags.length * 12 + 4 + list + number * 2);
  }
  const head = Buffer.from("II*\0\0\0\0\0", "latin1");
  head.writeUInt32LE(8 + data.length, 4);
  return Buffer.concat([head, data, directory]);
}
export const floats = (samples: readonly number[]): Buffer => Buffer.from(new Float32Array(samples).buffer);
export const screen = samplesOf(each(value));
