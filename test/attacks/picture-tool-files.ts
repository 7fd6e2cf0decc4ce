/** Builds small pictures in less common formats, with headers that claim anything. */
import { noise } from "./picture-files.ts";

const latin = (text: string): Buffer => Buffer.from(text, "latin1");

/** A text followed by big-endian 32-bit numbers. */
export function words(head: string, numbers: readonly number[], length = 0): Buffer {
  const body = Buffer.alloc(Math.max(numbers.length * 4, length));
  for (const [index, number] of numbers.entries()) body.writeUInt32BE(number, index * 4);
  return Buffer.concat([latin(head), body]);
}

/** This many entries of the same icon. */
export function icon(count: number): Buffer {
  const head = Buffer.from([0, 0, 1, 0, count & 255, count >> 8]);
  const entry = Buffer.alloc(16, Buffer.from("10100000010020006804000000000000", "hex"));
  entry.writeUInt32LE(head.length + entry.length * count, 12);
  const bitmap = Buffer.alloc(40 + 16 * 16 * 4 + 16 * 4);
  for (const [at, value] of [
    [0, 40],
    [4, 16],
    [8, 32],
    [12, 0x20_0001],
  ] as const)
    bitmap.writeUInt32LE(value, at);
  return Buffer.concat([head, ...Array<Buffer>(count).fill(entry), bitmap]);
}

export function psd(layers: number): Buffer {
  const head = Buffer.alloc(26 + 12 + 6);
  head.write("8BPS\0\x01", 0, "latin1");
  head.set([0, 3, 0, 0, 0, 8, 0, 0, 0, 8, 0, 8, 0, 3], 12);
  head.writeUInt32BE(0xffff_fff0, 34);
  head.writeUInt32BE(0xffff_ff00, 38);
  head.writeInt16BE(layers, 42);
  return noise(head);
}

export function dds(mipmaps: number, depth: number): Buffer {
  const head = Buffer.alloc(128);
  head.write("DDS ", 0, "latin1");
  for (const [at, value] of [
    [4, 124],
    [8, 0x80a1007],
    [12, 8],
    [16, 8],
    [24, depth],
    [28, mipmaps],
    [76, 32],
    [80, 4],
    [108, 0x400008],
    [112, 0x200000],
  ] as const)
    head.writeUInt32LE(value, at);
  head.write("DXT5", 84, "latin1");
  return noise(head);
}

/** A header with every count at its maximum. @see ITU-T T.800, A.5.1 */
export function jp2Codestream(tileSide: number): Buffer {
  const size = Buffer.alloc(4 + 38 + 9);
  size.writeUInt32BE(0xff4f_ff51);
  size.writeUInt16BE(47, 4);
  for (const [index, value] of [9000, 9000, 0, 0, tileSide, tileSide, 0, 0].entries()) size.writeUInt32BE(value, 8 + index * 4);
  size.writeUInt16BE(3, 40);
  size.set([7, 1, 1, 7, 1, 1, 7, 1, 1], 42);
  return noise(size);
}

/** A picture of 2³⁰ × 2³⁰ pixels in the shortest form. @see ISO/IEC 18181-1, SizeHeader */
export const vastJxl = (): Buffer => Buffer.from("ff0afeffffff87ffffffff0f", "hex");
export const jxlBox = (type: string, body: Buffer): Buffer => Buffer.concat([words("", [body.length + 8]), latin(type), body]);
export const jxlFile = (boxes: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from("0000000c4a584c200d0a870a", "hex"), jxlBox("ftyp", latin("jxl \0\0\0\0jxl ")), ...boxes]);

export const bmp = (width: number, height: number, bits: number, colours: number): Buffer => {
  const head = Buffer.alloc(54);
  head.write("BM", 0, "latin1");
  for (const [at, value] of [
    [10, 54],
    [14, 40],
    [18, width],
    [22, height],
    [46, colours],
  ] as const)
    head.writeInt32LE(value, at);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(bits, 28);
  return noise(head);
};
