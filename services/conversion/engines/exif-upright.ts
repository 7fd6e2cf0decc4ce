/** Says in a JPEG or PNG whose pixels stand upright that they do: decoders turn pixels and may leave the EXIF as it was. */
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";

/** EXIF in a JPEG is no longer than a segment, and a PNG's colour profile before it not much. */
const headBytes = 4 * 2 ** 20;
const orientationTag = 0x0112;

/** The file is ours and out of every sandbox's reach; what it holds need not be well. */
export async function standUpright(path: string): Promise<void> {
  await using file = await open(path, "r+");
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(headBytes, (await file.stat()).size)), position: 0 });
  const head = buffer.subarray(0, bytesRead);
  try {
    if (head.readUInt16BE(0) === 0xffd8) await uprightJpeg(file, head);
    else await uprightPng(file, head);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

/** @see ITU-T T.81, B.1.1.4: segments until the scan. */
async function uprightJpeg(file: FileHandle, head: Buffer): Promise<void> {
  for (let at = 2; head[at] === 0xff && head[at + 1] !== 0xda; at += 2 + head.readUInt16BE(at + 2)) {
    if (head[at + 1] !== 0xe1 || head.toString("latin1", at + 4, at + 10) !== "Exif\0\0") continue;
    const place = setUpright(head.subarray(at + 10, at + 2 + head.readUInt16BE(at + 2)));
    if (place !== undefined) await file.write(head, at + 10 + place, 2, at + 10 + place);
  }
}

/** @see PNG third edition, 5.3 and 11.3.4.5 */
async function uprightPng(file: FileHandle, head: Buffer): Promise<void> {
  for (let at = 8; at + 12 <= head.length; at += 12 + head.readUInt32BE(at)) {
    if (head.toString("latin1", at + 4, at + 8) !== "eXIf") continue;
    const end = at + 8 + head.readUInt32BE(at);
    if (setUpright(head.subarray(at + 8, end)) === undefined) continue;
    head.writeUInt32BE(crc32(head.subarray(at + 4, end)), end);
    await file.write(head, at + 8, end + 4 - at - 8, at + 8);
  }
}

/** Where the orientation was that is 1 now, in the first directory; undefined when it needed no change. @see TIFF 6.0, section 2 */
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
