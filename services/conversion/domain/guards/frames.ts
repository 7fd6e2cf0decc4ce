/** Counts the frames of an animation by its blocks, without decoding any. */
import { type ByteSource, bytesAt } from "./byte-source.ts";
import type { PictureSize } from "./picture-size.ts";
import { maxPixels } from "./raster.ts";
import { tooComplex } from "./refusals.ts";

/** Three minutes at 25 frames per second. */
const maxFrames = 4500;
/** Frames times canvas: the total that a converter processes. */
const maxAnimatedPixels = 20 * maxPixels;
/** Blocks beyond this number are not followed. Blocks that large are limited by the size of the file. */
const maxBlocks = 100_000;
const windowBytes = 262_144;

export function assertFrames(frames: number, { width, height }: PictureSize): void {
  if (frames > maxFrames || frames * width * height > maxAnimatedPixels) throw tooComplex("The animation has too many frames.");
}

/** A lower limit of the number of frames. Counting stops when there are too many anyway. */
export async function frameCountOf(source: ByteSource, format: string): Promise<number> {
  switch (format) {
    case "png":
    case "apng":
      return apngFrames(source.head);
    case "gif":
      return gifFrames(source);
    case "webp":
      return webpFrames(source);
    default:
      return 1;
  }
}

/** The acTL chunk comes before the first picture data (PNG third edition, 11.3.6.1). */
function apngFrames(head: Buffer): number {
  for (let at = 8; at + 12 <= head.length; ) {
    const type = head.toString("latin1", at + 4, at + 8);
    if (type === "acTL") return head.readUInt32BE(at + 8);
    if (type === "IDAT") return 1;
    at += 12 + head.readUInt32BE(at);
  }
  return 1;
}

async function webpFrames(source: ByteSource): Promise<number> {
  let frames = 0;
  let offset = 12;
  for (let blocks = 0; blocks < maxBlocks && frames <= maxFrames; blocks++) {
    const chunk = await bytesAt(source, offset, 8);
    if (chunk.length < 8) break;
    if (chunk.toString("latin1", 0, 4) === "ANMF") frames += 1;
    const length = chunk.readUInt32LE(4);
    offset += 8 + length + (length % 2);
  }
  return Math.max(1, frames);
}

/** Blocks of GIF89a: extensions and pictures, each with a chain of sub-blocks of up to 255 bytes. */
async function gifFrames(source: ByteSource): Promise<number> {
  const reader = createWindow(source);
  const colours = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let offset = 13 + colours(source.head[10] ?? 0);
  let frames = 0;
  for (let blocks = 0; blocks < maxBlocks && frames <= maxFrames; blocks++) {
    const kind = await reader.byte(offset);
    if (kind === 0x2c) {
      frames += 1;
      offset += 11 + colours((await reader.byte(offset + 9)) ?? 0);
    } else if (kind === 0x21) offset += 2;
    else break;
    for (;;) {
      const length = await reader.byte(offset);
      offset += 1 + (length ?? 0);
      if (length === undefined || length === 0) break;
    }
  }
  return Math.max(1, frames);
}

function createWindow(source: ByteSource): { byte(offset: number): Promise<number | undefined> | number | undefined } {
  let bytes = source.head;
  let from = 0;
  return {
    byte(offset) {
      const found = bytes[offset - from];
      if (found !== undefined || offset >= source.sizeBytes) return found;
      return source.read(offset, windowBytes).then((next) => {
        bytes = next;
        from = offset;
        return next[0];
      });
    },
  };
}
