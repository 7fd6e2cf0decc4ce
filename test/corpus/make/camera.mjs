/**
 * Makes typical/image/typical.{cr2,orf,raf,rw2}, whose sensor data are compressed as these cameras do, with the mosaic of typical.nef:
 * node test/corpus/make/camera.mjs
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";

const folder = join(import.meta.dirname, "../typical/image");
const [width, height] = [320, 240];
const nef = readFileSync(join(folder, "typical.nef"));
/** Rows of red and green, then of green and blue; 14 bits. */
const mosaic = Uint16Array.from({ length: width * height }, (_, at) => nef.readUInt16LE(nef.length - 2 * (width * height - at)));

/** Bits from the highest on. */
class BitWriter {
  bytes = [];
  #held = 0;
  #count = 0;
  constructor(isStuffed = false) {
    this.isStuffed = isStuffed;
  }
  put(value, count) {
    for (let at = count - 1; at >= 0; at -= 1) {
      this.#held = (this.#held << 1) | ((value >> at) & 1);
      this.#count += 1;
      if (this.#count < 8) continue;
      this.bytes.push(this.#held);
      if (this.isStuffed && this.#held === 0xff) this.bytes.push(0);
      [this.#held, this.#count] = [0, 0];
    }
  }
  end() {
    while (this.#count > 0) this.put(1, 1);
    return Buffer.from(this.bytes);
  }
}

const sizeOf = (difference) => 32 - Math.clz32(Math.abs(difference));
const big = (...values) => values.flatMap((value) => [value >> 8, value & 255]);

/** Lossless JPEG (ITU-T T.81, annex H), two components from neighbouring pixels, as Canon's cameras write it. */
function losslessJpeg(bits) {
  const lengths = [0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const head = [
    ...[0xff, 0xd8, 0xff, 0xc4, ...big(2 + 17 + 15), 0, ...lengths, ...Array.from({ length: 15 }, (_, at) => at)],
    ...[0xff, 0xc3, ...big(8 + 6), bits, ...big(height, width / 2), 2, 1, 0x11, 0, 2, 0x11, 0],
    ...[0xff, 0xda, ...big(6 + 4), 2, 1, 0, 2, 0, 1, 0, 0],
  ];
  const out = new BitWriter(true);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const first = row === 0 ? 1 << (bits - 1) : mosaic[(row - 1) * width + column];
      const difference = mosaic[row * width + column] - (column < 2 ? first : mosaic[row * width + column - 2]);
      const size = sizeOf(difference);
      out.put(size, 4);
      out.put(difference < 0 ? difference + (1 << size) - 1 : difference, size);
    }
  }
  return Buffer.concat([Buffer.from(head), out.end(), Buffer.from([0xff, 0xd9])]);
}

const ascii = (text) => Buffer.from(`${text}\0`);
const shorts = (...values) => Buffer.from(Uint16Array.from(values).buffer);
const longs = (...values) => Buffer.from(Uint32Array.from(values).buffer);
const kindOf = { ascii: 2, byte: 1, short: 3, long: 4 };

/** A TIFF directory at an offset, with its longer values behind it. @param {[number, keyof typeof kindOf, Buffer][]} entries */
function directory(offset, entries, next = 0) {
  const head = Buffer.alloc(2 + 12 * entries.length + 4);
  const behind = [];
  let end = offset + head.length;
  head.writeUInt16LE(entries.length, 0);
  for (const [at, [tag, kind, value]] of entries.toSorted(([a], [b]) => a - b).entries()) {
    const place = 2 + 12 * at;
    head.writeUInt16LE(tag, place);
    head.writeUInt16LE(kindOf[kind], place + 2);
    head.writeUInt32LE(value.length / { ascii: 1, byte: 1, short: 2, long: 4 }[kind], place + 4);
    if (value.length <= 4) {
      value.copy(head, place + 8);
      continue;
    }
    head.writeUInt32LE(end, place + 8);
    behind.push(value, Buffer.alloc(value.length % 2));
    end += value.length + (value.length % 2);
  }
  head.writeUInt32LE(next, head.length - 4);
  return Buffer.concat([head, ...behind]);
}

const preview = await sharp(join(folder, "typical.png")).resize(160, 120, { fit: "fill" }).jpeg().toBuffer();
const named = (maker, model) => [
  [0x10f, "ascii", ascii(maker)],
  [0x110, "ascii", ascii(model)],
  [0x112, "short", shorts(1)],
];

/** Canon: the first directory has the preview, the second the sensor data. */
function cr2() {
  const pixels = losslessJpeg(14);
  const rawEntries = (offset) => [
    [0x103, "short", shorts(6)],
    [0x111, "long", longs(offset)],
    [0x117, "long", longs(pixels.length)],
    [0xc640, "short", shorts(0, 0, width)],
  ];
  const firstEntries = (offset) => [
    ...named("Canon", "Canon EOS 40D"),
    [0x100, "short", shorts(160)],
    [0x101, "short", shorts(120)],
    [0x103, "short", shorts(6)],
    [0x111, "long", longs(offset)],
    [0x117, "long", longs(preview.length)],
  ];
  const second = 16 + directory(16, firstEntries(0)).length;
  const behind = second + directory(second, rawEntries(0)).length;
  const head = Buffer.from("II*\0\x10\0\0\0CR\x02\0\0\0\0\0", "latin1");
  head.writeUInt32LE(second, 12);
  return Buffer.concat([head, directory(16, firstEntries(behind), second), directory(second, rawEntries(behind + preview.length)), preview, pixels]);
}

/** What Olympus' cameras predict a pixel from: those of the same colour to the left, above, and above to the left. */
function predicted(values, row, column) {
  const before = (rows, columns) => values[(row - rows) * width + column - columns];
  if (row < 2) return column < 2 ? 0 : before(0, 2);
  if (column < 2) return before(2, 0);
  const [left, above, both] = [before(0, 2), before(2, 0), before(2, 2)];
  const [one, other] = [Math.abs(left - both), Math.abs(above - both)];
  if (!(left < both && both < above) && !(above < both && both < left)) return one > other ? left : above;
  return one > 32 || other > 32 ? left + above - both : (left + above) >> 1;
}

/** Differences from the prediction in a code that adapts itself, for 12 bits. */
function olympusPixels() {
  const values = mosaic.map((value) => value >> 2);
  const out = new BitWriter();
  for (let row = 0; row < height; row += 1) {
    const states = [0, 1].map(() => ({ size: 0, drift: 0, calm: 0 }));
    for (let column = 0; column < width; column += 1) {
      const state = states[column & 1];
      const extra = state.calm < 3 ? 2 : 0;
      let bits = 2 + extra;
      while (state.size >> (bits + extra) > 0) bits += 1;
      const whole = values[row * width + column] - predicted(values, row, column);
      const difference = whole >> 2;
      const rest = difference - state.drift;
      state.size = rest < 0 ? ~rest : rest;
      out.put((rest < 0 ? 4 : 0) | (whole & 3), 3);
      const high = state.size >> bits;
      if (high < 12) out.put(1, high + 1);
      else {
        out.put(0, 12);
        out.put(high << 1, 16 - bits);
      }
      out.put(state.size, bits);
      state.drift = (difference * 3 + state.drift) >> 5;
      state.calm = state.size > 16 ? 0 : state.calm + 1;
    }
  }
  return Buffer.concat([Buffer.alloc(7), out.end()]);
}

function orf() {
  const pixels = olympusPixels();
  const entries = (offset) => [
    ...named("OLYMPUS IMAGING CORP.", "E-410"),
    [0x100, "short", shorts(width)],
    [0x101, "short", shorts(height)],
    [0x102, "short", shorts(16)],
    [0x103, "short", shorts(1)],
    [0x106, "short", shorts(32_803)],
    [0x111, "long", longs(offset)],
    [0x115, "short", shorts(1)],
    [0x117, "long", longs(pixels.length)],
  ];
  const behind = 8 + directory(8, entries(0)).length;
  return Buffer.concat([Buffer.from("IIRO\x08\0\0\0", "latin1"), directory(8, entries(behind)), pixels]);
}

/** Fujifilm: a preview whose Exif names the camera, a directory of its own, and 16 bits a pixel. */
function raf() {
  const exif = Buffer.concat([Buffer.from("Exif\0\0II*\0\x08\0\0\0", "latin1"), directory(8, named("FUJIFILM", "FinePix X100"))]);
  const picture = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1, ...big(exif.length + 2)]), exif, preview.subarray(2)]);
  const facts = [
    [0x100, big(height, width)],
    [0x121, big(height, width)],
    [0x130, [0, 8, 0, 0]],
    [0x2ff0, big(300, 500, 300, 450)],
  ];
  const own = Buffer.from([0, 0, ...big(facts.length), ...facts.flatMap(([tag, bytes]) => [...big(tag, bytes.length), ...bytes])]);
  const head = Buffer.alloc(160);
  head.write("FUJIFILMCCD-RAW 0201FF383501FinePix X100", "latin1");
  head.write("0100", 60, "latin1");
  const starts = [head.length, head.length + picture.length, head.length + picture.length + own.length];
  const pixels = Buffer.from(mosaic.buffer);
  for (const [at, part] of [picture, own, pixels].entries()) {
    head.writeUInt32BE(starts[at], 84 + 8 * at);
    head.writeUInt32BE(part.length, 88 + 8 * at);
  }
  return Buffer.concat([head, picture, own, pixels]);
}

/** How three pixels are written as differences in steps of `2 ** shift`: the codes and what a reader makes of them. */
function steps(wanted, before, shift) {
  const seen = [...before];
  const codes = wanted.map((value, at) => {
    let base = seen[at] - (0x80 << shift);
    if (base < 0 || shift === 4) base &= (1 << shift) - 1;
    const code = Math.min(255, Math.max(1, Math.round((value - base) / (1 << shift))));
    seen[at + 2] = base + (code << shift);
    return code;
  });
  const off = wanted.map((value, at) => Math.abs(value - seen[at + 2]));
  return { codes, seen, off: Math.max(...off) };
}

/** Panasonic: fourteen pixels of 12 bits in sixteen bytes, which are filled from their end. */
function panasonicPixels(rawWidth) {
  const blocks = [];
  const valueAt = (row, column) => Math.max(16, mosaic[row * width + Math.min(column, width - 2 + (column & 1))] >> 2);
  for (let row = 0; row < height; row += 1) {
    for (let start = 0; start < rawWidth; start += 14) {
      const wanted = Array.from({ length: 14 }, (_, at) => valueAt(row, start + at));
      const out = new BitWriter();
      out.put(wanted[0], 12);
      out.put(wanted[1], 12);
      let seen = wanted.slice(0, 2);
      for (let at = 2; at < 14; at += 3) {
        const ways = [0, 1, 2, 4].map((shift) => steps(wanted.slice(at, at + 3), seen.slice(-2), shift));
        const best = ways.reduce((one, other) => (other.off < one.off ? other : one));
        out.put(ways.indexOf(best), 2);
        for (const code of best.codes) out.put(code, 8);
        seen = best.seen;
      }
      blocks.push(out.end().reverse());
    }
  }
  return rotated(Buffer.concat(blocks));
}

/** In every 16 KiB, the part from 0x2008 on comes first. */
function rotated(bytes) {
  const whole = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 0x3fff)]);
  const parts = [];
  for (let at = 0; at < whole.length; at += 0x4000) parts.push(whole.subarray(at + 0x2008, at + 0x4000), whole.subarray(at, at + 0x2008));
  return Buffer.concat(parts);
}

function rw2() {
  const rawWidth = 322;
  const pixels = panasonicPixels(rawWidth);
  const entries = (offset) => [
    ...named("Panasonic", "DMC-LX3"),
    [0x01, "byte", Buffer.from("0310")],
    [0x02, "short", shorts(rawWidth)],
    [0x03, "short", shorts(height)],
    [0x04, "short", shorts(0)],
    [0x05, "short", shorts(0)],
    [0x06, "short", shorts(height)],
    [0x07, "short", shorts(width)],
    [0x09, "short", shorts(1)],
    [0x0a, "short", shorts(12)],
    [0x24, "short", shorts(500)],
    [0x25, "short", shorts(256)],
    [0x26, "short", shorts(400)],
    [0x2d, "short", shorts(4)],
    [0x118, "long", longs(offset)],
  ];
  const behind = 8 + directory(8, entries(0)).length;
  return Buffer.concat([Buffer.from("IIU\0\x08\0\0\0", "latin1"), directory(8, entries(behind)), pixels]);
}

for (const [name, made] of Object.entries({ cr2, orf, raf, rw2 })) writeFileSync(join(folder, `typical.${name}`), made());
