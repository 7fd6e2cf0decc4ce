/**
 * Sizes in HEIC and AVIF, which may be those of tiles and of the whole picture.
 *
 * @see ISO/IEC 14496-12 4.2 (boxes), ISO/IEC 23008-12 6.5.3 (`ispe`)
 */
import { type ByteSource, bytesAt } from "./byte-source.ts";
import type { PictureSize } from "./picture-size.ts";

type Box = { readonly type: string; readonly from: number; readonly end: number };

const maxBoxes = 64;
const maxMetaBytes = 262_144;
/** An `ispe` box: length, type, version, width and height. */
const sizeBoxBytes = 20;

/** The largest size among the picture's properties; undefined if there is none near the beginning. */
export async function heifSizeOf(source: ByteSource): Promise<PictureSize | undefined> {
  const meta = await findMeta(source);
  if (meta === undefined) return undefined;
  const bytes = await bytesAt(source, meta.from, Math.min(meta.end - meta.from, maxMetaBytes));
  let largest: PictureSize | undefined;
  for (let at = bytes.indexOf("ispe"); at >= 4; at = bytes.indexOf("ispe", at + 4)) {
    if (at + sizeBoxBytes - 4 > bytes.length || bytes.readUInt32BE(at - 4) !== sizeBoxBytes) continue;
    const size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    if (largest === undefined || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}

async function findMeta(source: ByteSource): Promise<Box | undefined> {
  let offset = 0;
  for (let boxes = 0; boxes < maxBoxes; boxes++) {
    const head = await bytesAt(source, offset, 16);
    if (head.length < 8) return undefined;
    const short = head.readUInt32BE(0);
    const length = short === 1 && head.length === 16 ? Number(head.readBigUInt64BE(8)) : short === 0 ? source.sizeBytes - offset : short;
    if (length < 8) return undefined;
    const box = { type: head.toString("latin1", 4, 8), from: offset, end: offset + length };
    if (box.type === "meta") return box;
    offset = box.end;
  }
  return undefined;
}
