// Runs inside the sandbox, beside sharp-child.mjs: what a GIF's frames leave uncovered is transparent, but libvips fills it with black
// unless a frame declares a transparent colour.

/**
 * The same GIF, whose frames declare a transparent colour that they do not use where they leave a part of the canvas uncovered. Without
 * such frames, returns the same bytes. `onFull` is called for a frame that uses all 256 colours, which stays as it is.
 *
 * @see GIF89a, 20 to 23
 */
export function withClearCanvas(bytes, onFull) {
  const frames = framesOf(bytes);
  const isUncovered = (frame, index) =>
    (index === 0 && !frame.isWhole) || (frame.isCleared && frames[index + 1] !== undefined && !frames[index + 1].isWhole);
  const parts = [];
  let done = 0;
  for (const frame of frames.filter((each, index) => !each.isClear && isUncovered(each, index))) {
    const free = unusedIndex(bytes, frame.dataAt);
    if (free === undefined) {
      onFull();
      continue;
    }
    const [start, end] = frame.controlAt === undefined ? [frame.at, frame.at] : [frame.controlAt, frame.controlAt + 8];
    const control = start === end ? Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0]) : Buffer.from(bytes.subarray(start, end));
    control[3] |= 1;
    control[6] = free;
    parts.push(bytes.subarray(done, start), control);
    done = end;
  }
  return done === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(done)]);
}

/** The signature and the description of the screen. */
const headerBytes = 13;

function framesOf(bytes) {
  const frames = [];
  if (bytes.length < headerBytes) return frames;
  const [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  let controlAt;
  for (let at = headerBytes + tableBytes(bytes[10]); at + 10 < bytes.length; ) {
    if (bytes[at] === 0x21) {
      if (bytes[at + 1] === 0xf9) controlAt = at;
      at = afterBlocks(bytes, at + 2);
    } else if (bytes[at] === 0x2c) {
      const [left, top, wide, high] = [1, 3, 5, 7].map((place) => bytes.readUInt16LE(at + place));
      const packed = controlAt === undefined ? 0 : bytes[controlAt + 3];
      const dataAt = at + 10 + tableBytes(bytes[at + 9]);
      const isWhole = left === 0 && top === 0 && wide >= width && high >= height;
      frames.push({ at, controlAt, dataAt, isWhole, isClear: (packed & 1) === 1, isCleared: ((packed >> 2) & 7) === 2 });
      controlAt = undefined;
      at = afterBlocks(bytes, dataAt + 1);
    } else break;
  }
  return frames;
}

/** Whether the file ends before its trailer. What is no block, such as data that a program appended, does not matter. */
export function isCutShort(bytes) {
  let at = headerBytes + tableBytes(bytes[10]);
  while (at < bytes.length) {
    if (bytes[at] === 0x21) at = afterBlocks(bytes, at + 2);
    else if (bytes[at] === 0x2c) at = afterBlocks(bytes, at + 11 + tableBytes(bytes[at + 9]));
    else return false;
  }
  return true;
}

const tableBytes = (packed) => ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1));

function afterBlocks(bytes, start) {
  let at = start;
  while (bytes[at] > 0) at += bytes[at] + 1;
  return at + 1;
}

/** A colour index that a frame does not use. Every index first occurs as a code of its own, so nothing has to be unpacked. */
function unusedIndex(bytes, dataAt) {
  const least = bytes[dataAt];
  const clear = 2 ** least;
  if (least !== 8) return 255;
  const used = new Set();
  let [width, next, held, bits, isFirst] = [least + 1, clear + 2, 0, 0, true];
  for (let at = dataAt + 1; bytes[at] > 0; at += bytes[at] + 1) {
    for (const byte of bytes.subarray(at + 1, at + 1 + bytes[at])) {
      held |= byte << bits;
      bits += 8;
      if (bits < width) continue;
      const code = held & (2 ** width - 1);
      held >>>= width;
      bits -= width;
      if (code === clear) [width, next, isFirst] = [least + 1, clear + 2, true];
      else {
        if (code < clear) used.add(code);
        if (!isFirst && next < 4096) next += 1;
        if (next === 2 ** width && width < 12) width += 1;
        isFirst = false;
      }
    }
  }
  return Array.from({ length: 256 }, (_, index) => 255 - index).find((index) => !used.has(index));
}
