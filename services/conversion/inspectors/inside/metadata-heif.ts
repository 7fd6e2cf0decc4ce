/**
 * Metadata of HEIC and AVIF, which is stored in separate items.
 *
 * @see ISO/IEC 14496-12, 8.11.3 (`iloc`) and 8.11.6 (`iinf`), and 23008-12, annex A
 */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import { mapsIn } from "./attached-pictures.ts";
import { boxesIn as topBoxesIn } from "./extent.ts";
import { exifIn, type Found, xmpIn } from "./metadata-blocks.ts";

type Box = { readonly kind: string; readonly content: Buffer };
type Item = { readonly id: number; readonly kind: string };

const mostMetaBytes = 262_144;
const mostBoxes = 4096;

export async function heifMetadata(file: ByteSource, found: Found): Promise<void> {
  const tops = await topBoxesIn(file, 0, file.sizeBytes);
  for (const { type, from } of tops) {
    if (type === "uuid" && (await bytesAt(file, from, 16)).toString("hex") === credentialsUuid) found.add("credentials");
  }
  const meta = await metaOf(file, tops);
  if (meta === undefined) return;
  const boxes = boxesIn(meta.subarray(4));
  const [items, places] = [boxes.find(({ kind }) => kind === "iinf"), boxes.find(({ kind }) => kind === "iloc")];
  if (items === undefined || places === undefined) return;
  const placeOf = placesIn(places.content);
  const all = itemsIn(items.content);
  mapsIn(
    all.map(({ kind }) => kind),
    addedIn(boxes),
    found,
  );
  for (const { id, kind } of all) {
    const place = kind === "Exif" || kind === "mime" ? placeOf.get(id) : undefined;
    if (place === undefined) continue;
    const bytes = await bytesAt(file, place.at, Math.min(place.length, mostMetaBytes));
    if (kind === "mime") xmpIn(bytes, found);
    else exifIn(bytes.subarray(4 + bytes.readUInt32BE(0)), found);
  }
}

/** Names of what auxiliary pictures add to another. */
function addedIn(boxes: readonly Box[]): readonly string[] {
  const inside = (outer: readonly Box[], name: string) =>
    outer.filter(({ kind }) => kind === name).flatMap(({ content }) => boxesIn(content));
  const properties = inside(inside(boxes, "iprp"), "ipco");
  return properties.flatMap(({ kind, content }) => (kind === "auxC" ? [content.toString("latin1", 4, 104)] : []));
}

/** @see C2PA 2.1, A.5 */
const credentialsUuid = "d8fec3d61b0e483c92975828877ec481";

async function metaOf(file: ByteSource, tops: Awaited<ReturnType<typeof topBoxesIn>>): Promise<Buffer | undefined> {
  const meta = tops.find(({ type }) => type === "meta");
  return meta && (await bytesAt(file, meta.from, Math.min(meta.to - meta.from, mostMetaBytes)));
}

function boxesIn(bytes: Buffer): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length && boxes.length < mostBoxes; ) {
    const length = bytes.readUInt32BE(at);
    if (length < 8) break;
    boxes.push({ kind: bytes.toString("latin1", at + 4, at + 8), content: bytes.subarray(at + 8, at + length) });
    at += length;
  }
  return boxes;
}

/** After version and flags follow a number and a box for each item: version and flags, number, protection, kind. */
function itemsIn(content: Buffer): readonly Item[] {
  return boxesIn(content.subarray(content[0] === 0 ? 6 : 8)).map(({ content: entry }) => {
    const isLong = entry[0] === 3;
    return {
      id: isLong ? entry.readUInt32BE(4) : entry.readUInt16BE(4),
      kind: entry.toString("latin1", isLong ? 10 : 8, isLong ? 14 : 12),
    };
  });
}

type Place = { readonly at: number; readonly length: number };

/** Only items stored in one piece. */
function placesIn(content: Buffer): ReadonlyMap<number, Place> {
  const version = content[0] ?? 0;
  const [offsetBytes, lengthBytes] = [content.readUInt8(4) >> 4, content.readUInt8(4) & 15];
  const [baseBytes, indexBytes] = [content.readUInt8(5) >> 4, version > 0 ? content.readUInt8(5) & 15 : 0];
  let at = 6;
  const number = (bytes: number): number => {
    at += bytes;
    return bytes === 0 ? 0 : bytes === 8 ? Number(content.readBigUInt64BE(at - 8)) : content.readUIntBE(at - bytes, bytes);
  };
  const count = number(version < 2 ? 2 : 4);
  const places = new Map<number, Place>();
  for (let index = 0; index < Math.min(count, mostBoxes); index += 1) {
    const id = number(version < 2 ? 2 : 4);
    const isInFile = version === 0 || (number(2) & 15) === 0;
    number(2);
    const base = number(baseBytes);
    const pieces = number(2);
    for (let piece = 0; piece < pieces; piece += 1) {
      number(indexBytes);
      const offset = number(offsetBytes);
      const place = { at: base + offset, length: number(lengthBytes) };
      if (isInFile && pieces === 1) places.set(id, place);
    }
  }
  return places;
}
