/** Builds small pictures with arbitrary content. */
import { crc32, deflateSync } from "node:zlib";

export function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

type Png = { width: number; height: number; depth?: number; colours?: number; rows?: number; extra?: readonly Buffer[]; fill?: Uint8Array };

/** With fewer `rows` than the height, the header lies. `fill`: one row, zeros by default. */
export function png({ width, height, depth = 8, colours = 2, rows = height, extra = [], fill }: Png): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colours, 0, 0, 0], 8);
  const rowBytes = 1 + Math.ceil((width * depth * (colours === 2 ? 3 : 1)) / 8);
  const row = Buffer.alloc(rowBytes);
  if (fill !== undefined) row.set(fill, 1);
  const pixels = fill === undefined ? Buffer.alloc(rowBytes * rows) : Buffer.concat(Array<Buffer>(rows).fill(row));
  const chunks = [
    chunk("IHDR", header),
    ...extra,
    chunk("IDAT", deflateSync(pixels, { level: pixels.length > 1e8 ? 1 : 6 })),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks]);
}

/** A picture in one colour with a text inside, recognisable in bytes and in pixels. */
export function markedPng(text: string, [red, green, blue]: readonly [number, number, number]): Buffer {
  const pixel = Buffer.from([red, green, blue]);
  const extra = [chunk("tEXt", Buffer.from(`Comment\0${text}`))];
  return png({ width: 64, height: 64, extra, fill: Buffer.concat(Array<Buffer>(64).fill(pixel)) });
}

/** Single-pixel frames, 100 of them in 2 kB. */
export function gif(frames: number): Buffer {
  const head = Buffer.from("GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff", "latin1");
  const frame = Buffer.from("21f90400010000002c00000000010001000002024401", "hex");
  return Buffer.concat([head, ...Array<Buffer>(frames).fill(Buffer.concat([frame, Buffer.from([0])])), Buffer.from(";")]);
}

/** A still AVIF or HEIC made of boxes: the size is in `ispe`, and there is no data. */
export function heif(brand: string, width: number, height: number): Buffer {
  const box = (type: string, ...parts: (Buffer | string)[]): Buffer => {
    const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
    const size = Buffer.alloc(4);
    size.writeUInt32BE(body.length + 8);
    return Buffer.concat([size, Buffer.from(type, "latin1"), body]);
  };
  const size = Buffer.alloc(12);
  size.writeUInt32BE(width, 4);
  size.writeUInt32BE(height, 8);
  const codec = brand === "avif" ? "av01" : "hvc1";
  const none = "\0\0\0\0";
  const properties = box("iprp", box("ipco", box("ispe", size)), box("ipma", none, "\0\0\0\x01\0\x01\x01\x81"));
  const items = box("iinf", none, "\0\x01", box("infe", "\x02\0\0\0\0\x01\0\0", codec, "\0"));
  const meta = box("meta", none, box("hdlr", none, none, "pict", Buffer.alloc(13)), box("pitm", none, "\0\x01"), items, properties);
  return Buffer.concat([box("ftyp", brand, none, "mif1", brand), meta, box("mdat", Buffer.alloc(64))]);
}

/** A TIFF whose directory refers to itself as the next. */
export function loopedTiff(): Buffer {
  const file = Buffer.alloc(8 + 2 + 3 * 12 + 4);
  file.write("II*\0", 0, "latin1");
  file.writeUInt32LE(8, 4);
  file.writeUInt16LE(3, 8);
  for (const [index, [tag, value]] of [[256, 8] as const, [257, 8] as const, [273, 8] as const].entries()) {
    file.writeUInt16LE(tag, 10 + index * 12);
    file.writeUInt16LE(4, 12 + index * 12);
    file.writeUInt32LE(1, 14 + index * 12);
    file.writeUInt32LE(value, 18 + index * 12);
  }
  file.writeUInt32LE(8, 10 + 36);
  return file;
}

/** Deterministic. */
export function noise(head: Buffer): Buffer {
  const body = Buffer.alloc(4096);
  let state = 1;
  for (let at = 0; at < body.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    body[at] = state >>> 24;
  }
  return Buffer.concat([head, body]);
}
