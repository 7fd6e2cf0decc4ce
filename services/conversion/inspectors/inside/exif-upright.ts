/** Finds what to change in a JPEG or PNG with upright pixels so that its metadata says so. */
import { crc32 } from "node:zlib";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { contentOf } from "./remote-file.ts";

type Patch = { readonly at: number; readonly hex: string };

/** EXIF in a JPEG fits into one segment, and a PNG's colour profile before it is not much larger. */
const headBytes = 4 * 2 ** 20;
/** Honest files need one or two. */
const mostPatches = 1000;
const orientationTag = 0x0112;

/** The file's content may be damaged. */
export async function uprightPatchesOf(file: ByteSource): Promise<readonly Patch[]> {
  // A copy, because it is changed here in the same way as the file will be.
  const head = Buffer.from(await contentOf(file, headBytes));
  const patches: Patch[] = [];
  try {
    if (head.readUInt16BE(0) === 0xffd8) uprightJpeg(patches, head);
    else uprightPng(patches, head);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return patches.slice(0, mostPatches);
}

/** @see ITU-T T.81, B.1.1.4: segments until the scan. */
function uprightJpeg(patches: Patch[], head: Buffer): void {
  for (let at = 2; head[at] === 0xff && head[at + 1] !== 0xda; at += 2 + head.readUInt16BE(at + 2)) {
    if (head[at + 1] !== 0xe1 || head.toString("latin1", at + 4, at + 10) !== "Exif\0\0") continue;
    const place = setUpright(head.subarray(at + 10, at + 2 + head.readUInt16BE(at + 2)));
    if (place !== undefined) patches.push(patchOf(head, at + 10 + place, 2));
  }
}

/** @see PNG third edition, 5.3 and 11.3.4.5 */
function uprightPng(patches: Patch[], head: Buffer): void {
  for (let at = 8; at + 12 <= head.length; at += 12 + head.readUInt32BE(at)) {
    if (head.toString("latin1", at + 4, at + 8) !== "eXIf") continue;
    const end = at + 8 + head.readUInt32BE(at);
    const place = setUpright(head.subarray(at + 8, end));
    if (place === undefined) continue;
    head.writeUInt32BE(crc32(head.subarray(at + 4, end)), end);
    patches.push(patchOf(head, at + 8 + place, 2), patchOf(head, end, 4));
  }
}

function patchOf(head: Buffer, at: number, length: number): Patch {
  return { at, hex: head.toString("hex", at, at + length) };
}

/** Sets the orientation in the first directory to 1 and returns its position. Undefined if it needed no change. @see TIFF 6.0, section 2 */
function setUpright(tiff: Buffer): number | undefined {
  const isLittle = tiff[0] === 0x49;
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let index = 0; index < short(first); index++) {
    const place = first + 2 + index * 12 + 8;
    if (short(place - 8) !== orientationTag) continue;
    if (short(place) === 1) return undefined;
    if (isLittle) tiff.writeUInt16LE(1, place);
    else tiff.writeUInt16BE(1, place);
    return place;
  }
  return undefined;
}
