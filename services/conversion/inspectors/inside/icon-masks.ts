/** Windows icons and cursors whose transparency is only in their mask. */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { writeToHost } from "./exchange.ts";
import { contentOf } from "./remote-file.ts";

const [entryBytes, headerBytes] = [16, 40];

/**
 * Writes a copy whose pictures of 32 bits are as transparent as their masks, where all their alpha values are zero: Windows ignores those,
 * and other programs would show nothing. Without such pictures, writes nothing.
 */
export async function maskIcon(file: ByteSource): Promise<Answer<"iconMasked">> {
  const icon = Buffer.from(await contentOf(file));
  const seen = new Set<number>();
  let isChanged = false;
  // Pictures of a hostile file may overlap.
  let left = icon.length;
  for (let at = 6; icon.length >= 6 && seen.size < icon.readUInt16LE(4) && at + entryBytes <= icon.length; at += entryBytes) {
    const start = icon.readUInt32LE(at + 12);
    if (seen.has(start)) break;
    seen.add(start);
    const picture = pictureAt(icon, start);
    if (picture === undefined) continue;
    left -= picture.pixels.length;
    if (left < 0) break;
    isChanged = maskPicture(picture) || isChanged;
  }
  if (isChanged) writeToHost(icon);
  return { isChanged };
}

type Picture = { readonly pixels: Buffer; readonly mask: Buffer; readonly width: number };

/** Undefined for a PNG, and for a picture with fewer bits or without a whole mask. @see BITMAPINFOHEADER */
function pictureAt(icon: Buffer, start: number): Picture | undefined {
  if (start + headerBytes > icon.length || icon.readUInt32LE(start) !== headerBytes) return undefined;
  const [width, bothHeights] = [icon.readInt32LE(start + 4), icon.readInt32LE(start + 8)];
  if (icon.readUInt16LE(start + 14) !== 32 || icon.readUInt32LE(start + 16) !== 0 || width < 1 || bothHeights < 2) return undefined;
  const height = Math.floor(bothHeights / 2);
  const maskAt = start + headerBytes + width * height * 4;
  const end = maskAt + Math.ceil(width / 32) * 4 * height;
  if (end > icon.length) return undefined;
  return { pixels: icon.subarray(start + headerBytes, maskAt), mask: icon.subarray(maskAt, end), width };
}

function maskPicture({ pixels, mask, width }: Picture): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 0) return false;
  const rowBytes = Math.ceil(width / 32) * 4;
  for (let at = 3, pixel = 0; at < pixels.length; at += 4, pixel++) {
    const [row, column] = [Math.floor(pixel / width), pixel % width];
    const isHidden = ((mask[row * rowBytes + (column >> 3)] ?? 0) >> (7 - (column & 7))) & 1;
    pixels[at] = isHidden === 1 ? 0 : 255;
  }
  return true;
}
