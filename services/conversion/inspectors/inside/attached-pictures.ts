/** What phones store in a picture's file besides the picture: maps of brightness and depth, and a film. Converters keep the picture only. */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Attached } from "#services/conversion/domain/tellable.ts";
import type { Found } from "./metadata-blocks.ts";

/** A gain map says in its own XMP what it is. */
const headBytes = 65_536;
const mostAttached = 1000;

/**
 * The other pictures of a multi-picture file. Previews of the same picture do not count. `at`: where the segment's TIFF structure starts.
 *
 * @see CIPA DC-007-2009, 5.2
 */
export async function multiPictureIn(file: ByteSource, at: number, tiff: Buffer, found: Found): Promise<void> {
  const isLittle = tiff[0] === 0x49;
  const number = (from: number, bytes: 2 | 4) => (isLittle ? tiff.readUIntLE(from, bytes) : tiff.readUIntBE(from, bytes));
  const first = number(4, 4);
  for (let index = 0; index < number(first, 2); index += 1) {
    const field = first + 2 + index * 12;
    if (number(field, 2) !== 0xb002) continue;
    const [length, list] = [number(field + 4, 4), number(field + 8, 4)];
    for (let entry = 16; entry < Math.min(length, 16 * mostAttached); entry += 16) {
      const [kind, offset] = [number(list + entry, 4) & 0xffffff, number(list + entry + 8, 4)];
      const head = await bytesAt(file, at + offset, headBytes);
      if (kind >> 16 !== 1 && isJpeg(head)) found.add(kind === 0x020002 ? "depth" : kindOf(head));
    }
    // A hostile file may repeat the list thousands of times.
    return;
  }
}

const isJpeg = (head: Buffer): boolean => head[0] === 0xff && head[1] === 0xd8;
const isFilm = (head: Buffer): boolean => head.toString("latin1", 4, 8) === "ftyp";
const kindOf = (head: Buffer): Attached =>
  /HDRGainMap|hdrgm:Version|urn:iso:std:iso:ts:21496/.test(head.toString("latin1")) ? "gainMap" : "further";

const kinds: Readonly<Record<string, Attached>> = { GainMap: "gainMap", MotionPhoto: "film", Depth: "depth" };

/** What follows a JPEG according to its XMP, if it is there. @see Android's formats for motion photos, dynamic depth and Ultra HDR */
export async function appendedIn(file: ByteSource, packet: Buffer, found: Found): Promise<void> {
  const text = packet.toString("latin1");
  const items = [...text.matchAll(/<Container:Item\b([^<>]*)>/g)].slice(1, mostAttached);
  let at = file.sizeBytes;
  const older = Number(/\bMicroVideoOffset="(\d{1,15})"/.exec(text)?.[1] ?? 0);
  if (older > 0 && isFilm(await bytesAt(file, at - older, 12))) found.add("film");
  for (const [, item = ""] of items.toReversed()) {
    at -= Number(/\bLength="(\d{1,15})"/.exec(item)?.[1] ?? 0);
    const kind = kinds[/\bSemantic="(\w+)"/.exec(item)?.[1] ?? ""];
    const head = await bytesAt(file, at, 12);
    if (kind !== undefined && (isJpeg(head) || isFilm(head))) found.add(kind);
  }
}

export const statesGainMap = (packet: Buffer): boolean => packet.includes('Semantic="GainMap"');

/** Kinds of entries in the trailer of Samsung's phones. The time (0x0a01) is in EXIF, too. */
const samsungKinds: ReadonlyMap<number, Attached | undefined> = new Map([
  [0x0a01, undefined],
  [0x0a30, "film"],
  [0x0ab1, "depth"],
]);

/** What programs append to a JPEG, by its last bytes: IPTC by AFCP, Photo Mechanic and FotoStation, and what Samsung's phones know of it. */
export async function trailerIn(file: ByteSource, found: Found): Promise<void> {
  const end = await bytesAt(file, file.sizeBytes - 12, 12);
  const text = end.toString("latin1");
  if (/^AXS[!*]|cbipcbbl$|\xa1\xb2\xc3\xd4$/.test(text)) found.add("appended");
  if (!text.endsWith("SEFT")) return;
  const length = end.readUInt32LE(4);
  const list = await bytesAt(file, file.sizeBytes - 8 - length, Math.min(length, headBytes));
  for (let at = 12; at + 12 <= list.length; at += 12) {
    const kind = list.readUInt16LE(at + 2);
    const named = samsungKinds.has(kind) ? samsungKinds.get(kind) : "own";
    if (named !== undefined) found.add(named);
  }
}

/** What only programs of the maker read: readings of a thermal camera by FLIR, InfiRay or DJI, and settings of a GoPro. */
export function ownIn(marker: number, bytes: Buffer, found: Found): void {
  const isNamed = /^(?:FLIR|GoPro|.{4}IJPEG)\0/s.test(bytes.toString("latin1", 0, 10));
  if (isNamed || (marker === 0xe3 && bytes.length > 60_000)) found.add("own");
}

/** The maps of a HEIC or AVIF, by its kinds of items and by the names of what they add. @see ISO/IEC 23008-12, 6.5.8 and 6.6.2.4 */
export function mapsIn(kindsOfItems: readonly string[], names: readonly string[], found: Found): void {
  if (kindsOfItems.includes("tmap")) found.add("gainMap");
  for (const name of names) {
    if (/gainmap/i.test(name)) found.add("gainMap");
    else if (/depth|disparity|hevc:2015:auxid:2/i.test(name)) found.add("depth");
    else if (/matte/i.test(name)) found.add("mattes");
  }
}
