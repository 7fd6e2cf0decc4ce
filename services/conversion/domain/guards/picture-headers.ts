/** Where pictures of less common formats store their size. */
import { type ByteSource, bytesAt } from "./byte-source.ts";
import { jxlSizeOf } from "./jxl.ts";
import type { PictureSize } from "./picture-size.ts";

type Found = PictureSize | undefined;
type SizeReader = (source: ByteSource) => Found | Promise<Found>;
type HeadReader = (head: Buffer) => Found;

/** A file that ends within its header has no size. Its reader will reject it. */
const inHead =
  (read: HeadReader): SizeReader =>
  ({ head }) => {
    try {
      return read(head);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  };
const big32 = (widthAt: number, heightAt: number) =>
  inHead((head) => ({ width: head.readUInt32BE(widthAt), height: head.readUInt32BE(heightAt) }));
const little32 = (widthAt: number, heightAt: number) =>
  inHead((head) => ({ width: head.readUInt32LE(widthAt), height: head.readUInt32LE(heightAt) }));
/** Decimal numbers in a text header. */
const inText = (width: RegExp, height: RegExp) =>
  inHead((head) => {
    const text = head.toString("latin1");
    const found = [width, height].map((pattern) => Number(pattern.exec(text)?.[1] ?? Number.NaN));
    const [wide = Number.NaN, high = Number.NaN] = found;
    return Number.isNaN(wide) || Number.isNaN(high) ? undefined : { width: wide, height: high };
  });

/** The largest picture in the directory of an icon. A PNG in it has its own size field. */
async function iconSizeOf(source: ByteSource): Promise<Found> {
  if (source.head.length < 22) return undefined;
  const count = Math.min(source.head.readUInt16LE(4), 256);
  const sizes: PictureSize[] = [];
  for (let at = 6; at + 16 <= Math.min(source.head.length, 6 + 16 * count); at += 16) {
    const picture = await bytesAt(source, source.head.readUInt32LE(at + 12), 24);
    if (picture.length < 24) continue;
    if (picture.readUInt32BE(0) === 0x89504e47) sizes.push({ width: picture.readUInt32BE(16), height: picture.readUInt32BE(20) });
    else sizes.push({ width: Math.abs(picture.readInt32LE(4)), height: Math.ceil(Math.abs(picture.readInt32LE(8)) / 2) });
  }
  return sizes.toSorted((a, b) => b.width * b.height - a.width * a.height)[0];
}

const pcxSize: HeadReader = (head) => ({
  width: head.readUInt16LE(8) - head.readUInt16LE(4) + 1,
  height: head.readUInt16LE(10) - head.readUInt16LE(6) + 1,
});

/** Several PCX pictures after a table of offsets. */
async function dcxSizeOf(source: ByteSource): Promise<Found> {
  if (source.head.length < 8) return undefined;
  const first = await bytesAt(source, source.head.readUInt32LE(4), 12);
  return first.length < 12 ? undefined : pcxSize(first);
}

/** The corners of the data window, both inclusive. @see https://openexr.com/en/latest/OpenEXRFileLayout.html */
const exrSize: HeadReader = (head) => {
  const at = head.indexOf("dataWindow\0box2i\0", 0, "latin1");
  if (at < 0) return undefined;
  const [left, top, right, bottom] = [0, 4, 8, 12].map((offset) => head.readInt32LE(at + 21 + offset));
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) return undefined;
  return { width: right - left + 1, height: bottom - top + 1 };
};

/** ISO/IEC 15444-1, I.5.3.1 and A.5.1. */
const jp2Size: HeadReader = (head) => {
  const at = head.indexOf("ihdr", 0, "latin1");
  return at < 0 ? undefined : { height: head.readUInt32BE(at + 4), width: head.readUInt32BE(at + 8) };
};
const j2kSize: HeadReader = (head) => ({
  width: head.readUInt32BE(8) - head.readUInt32BE(16),
  height: head.readUInt32BE(12) - head.readUInt32BE(20),
});

const dpxSize: HeadReader = (head) =>
  head.toString("latin1", 0, 4) === "XPDS"
    ? { width: head.readUInt32LE(772), height: head.readUInt32LE(776) }
    : { width: head.readUInt32BE(772), height: head.readUInt32BE(776) };

/** Width and height are the first numbers after the magic bytes. Comments are skipped. */
const netpbmSize: HeadReader = (head) => {
  const text = head.toString("latin1", 2, 4096).replace(/#[^\n]*/g, "");
  const found = /^\s*(\d{1,10})\s+(\d{1,10})\s/.exec(text);
  return found === null ? undefined : { width: Number(found[1]), height: Number(found[2]) };
};

/** Seven bits per byte. The highest bit says that more follow. */
const wbmpSize: HeadReader = (head) => {
  let at = 2;
  const number = () => {
    let value = 0;
    for (let count = 0; count < 5; count++) {
      const byte = head.readUInt8(at++);
      value = value * 128 + (byte & 127);
      if (byte < 128) break;
    }
    return value;
  };
  const width = number();
  return { width, height: number() };
};

const viffSize: HeadReader = (head) =>
  head[4] === 8
    ? { width: head.readUInt32LE(520), height: head.readUInt32LE(524) }
    : { width: head.readUInt32BE(520), height: head.readUInt32BE(524) };

/** The picture's frame, after 512 unused bytes. */
const pictSize: HeadReader = (head) => {
  const width = head.readInt16BE(520) - head.readInt16BE(516);
  const height = head.readInt16BE(518) - head.readInt16BE(514);
  return width > 0 && height > 0 ? { width, height } : undefined;
};

export const pictureHeaders: Readonly<Record<string, SizeReader>> = {
  ico: iconSizeOf,
  cur: iconSizeOf,
  psb: big32(18, 14),
  dds: little32(16, 12),
  exr: inHead(exrSize),
  hdr: inText(/[-+]X\s+(\d{1,10})/, /[-+]Y\s+(\d{1,10})/),
  ppm: inHead(netpbmSize),
  pgm: inHead(netpbmSize),
  pbm: inHead(netpbmSize),
  pam: inText(/^WIDTH\s+(\d{1,10})/m, /^HEIGHT\s+(\d{1,10})/m),
  pcx: inHead(pcxSize),
  dcx: dcxSizeOf,
  jp2: inHead(jp2Size),
  j2k: inHead(j2kSize),
  jxl: inHead(jxlSizeOf),
  xpm: inText(/^[^"]*"\s*(\d{1,10})\s/, /^[^"]*"\s*\d{1,10}\s+(\d{1,10})\s/),
  xbm: inText(/_width\s+(\d{1,10})/, /_height\s+(\d{1,10})/),
  sgi: inHead((head) => ({ width: head.readUInt16BE(6), height: head.readUInt16BE(8) })),
  wbmp: inHead(wbmpSize),
  pict: inHead(pictSize),
  dpx: inHead(dpxSize),
  fits: inText(/^.*?NAXIS1 *= *(\d{1,10})/s, /^.*?NAXIS2 *= *(\d{1,10})/s),
  ras: big32(4, 8),
  xwd: big32(16, 20),
  miff: inText(/\bcolumns=(\d{1,10})/i, /\brows=(\d{1,10})/i),
  jng: big32(16, 20),
  viff: inHead(viffSize),
  vicar: inText(/\bNS=(\d{1,10})/, /\bNL=(\d{1,10})/),
  mtv: inText(/^(\d{1,10}) /, /^\d{1,10} (\d{1,10})\s/),
  avs: big32(0, 4),
  tga: inHead((head) => ({ width: head.readUInt16LE(12), height: head.readUInt16LE(14) })),
  qoi: big32(4, 8),
};
