/** Locates the pictures in files that contain PNG. */
import { FilemillError } from "#contract/errors.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";

const pngMark = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const mostPictures = 1000;
const mostPieces = 1000;

const jp2Mark = Buffer.from("\0\0\0\fjP  \r\n\x87\n", "latin1");
/** Types whose pictures may be JPEG 2000. */
const widths = new Map(Object.entries({ ic07: 128, ic08: 256, ic09: 512, ic10: 1024, ic11: 32, ic12: 64, ic13: 256, ic14: 512 }));

/** The pictures in an icon that are PNG or JPEG 2000, by width. libicns does not read all of them. @see the Icon Services format, `icns` */
export async function iconPicturesOf({ head, sizeBytes, read }: ByteSource): Promise<Answer<"iconPictures">> {
  if (sizeBytes < 16 || head.toString("latin1", 0, 4) !== "icns") {
    throw new FilemillError("INVALID_INPUT", "The icon is damaged, or is not a macOS icon.");
  }
  const found = new Map<number, { width: number; offset: number; length: number; isJp2: boolean }>();
  for (let at = 8; at + 8 <= sizeBytes && found.size < mostPictures; ) {
    const entry = await read(at, 8 + 24);
    const end = at + entry.readUInt32BE(4);
    if (end <= at + 8 || end > sizeBytes) break;
    const isPng = end - at - 8 > 33 && entry.subarray(8, 16).equals(pngMark);
    const isJp2 = entry.subarray(8, 20).equals(jp2Mark);
    const width = isPng ? entry.readUInt32BE(8 + 16) : isJp2 ? widths.get(entry.toString("latin1", 0, 4)) : undefined;
    if (width !== undefined) found.set(width, { width, offset: at + 8, length: end - at - 8, isJp2 });
    at = end;
  }
  return { pictures: [...found.values()] };
}

/** The first frame of an animated PNG is the picture itself: everything except the animation chunks. @see PNG third edition, 11.3.6 */
export async function stillPiecesOf({ sizeBytes, read }: ByteSource): Promise<Answer<"stillPieces">> {
  const kept: [number, number][] = [[0, Math.min(8, sizeBytes)]];
  for (let at = 8, end = 8; at + 12 <= sizeBytes; at = end) {
    const chunk = await read(at, 8);
    end = Math.min(sizeBytes, at + 12 + chunk.readUInt32BE(0));
    if (/^(acTL|fcTL|fdAT)$/.test(chunk.toString("latin1", 4, 8))) continue;
    const last = kept.at(-1);
    if (last !== undefined && last[0] + last[1] === at) last[1] += end - at;
    else kept.push([at, end - at]);
    if (kept.length > mostPieces) throw new FilemillError("INPUT_TOO_COMPLEX", "The picture has too many parts.");
  }
  return { pieces: kept };
}
