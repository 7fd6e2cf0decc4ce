/** The three blocks in which every format of pictures says what is beside the picture: EXIF, XMP and IPTC. */
import type { Tellable } from "#services/conversion/domain/picture-metadata.ts";
import { technicalTags } from "#services/conversion/engines/pictures/sharp-headers.mjs";

export type Found = Set<Tellable>;

const tags = { exif: 0x8769, place: 0x8825, xmp: 0x02bc, iptc: 0x83bb, photoshop: 0x8649 } as const;
/** Of the picture itself, or of where in the file its parts are. */
const ofPicture = new Set([
  ...[0xfe, 0xff, 0x107, 0x10a, 0x10e, 0x111, 0x116, 0x117, 0x118, 0x119, 0x11d, 0x129, 0x12d, 0x13d, 0x13e, 0x13f, 0x140, 0x142, 0x143],
  ...[0x144, 0x145, 0x14a, 0x152, 0x153, 0x154, 0x155, 0x15b, 0x131, 0x201, 0x202, 0x211, 0x214, 0x8773, 0x9286, 0xa005, 0xa40b],
]);
/** A latitude, in the directory of places. */
const latitude = 2;
const bytesOfKind = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];

type Entry = { readonly tag: number; readonly value: number; readonly content: Buffer };

/** Of a block as TIFF is built; of another nobody will read anything. @see TIFF 6.0, section 2; Exif 2.32, 4.6 */
export function exifIn(tiff: Buffer, found: Found): void {
  if (!/^(?:II\*|MM\0)/.test(tiff.toString("latin1", 0, 4))) return;
  try {
    directoriesIn(tiff, found);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

function directoriesIn(tiff: Buffer, found: Found): void {
  const isLittle = tiff[0] === 0x49;
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const entriesAt = (start: number): readonly Entry[] =>
    Array.from({ length: short(start) }, (_, index) => {
      const at = start + 2 + index * 12;
      const length = (bytesOfKind[short(at + 2)] ?? 1) * long(at + 4);
      const from = length > 4 ? long(at + 8) : at + 8;
      return { tag: short(at), value: long(at + 8), content: tiff.subarray(from, from + length) };
    });
  const top = entriesAt(long(4));
  const inner = top.flatMap(({ tag, value }) => (tag === tags.exif ? entriesAt(value) : []));
  const own = new Set<number>(Object.values(tags));
  if ([...top, ...inner].some(({ tag, content }) => isDetail(tag, content) && !own.has(tag))) found.add("details");
  for (const { tag, value, content } of top) {
    if (tag === tags.place && entriesAt(value).some((entry) => entry.tag === latitude)) found.add("place");
    if (tag === tags.xmp) xmpIn(content, found);
    if (tag === tags.iptc) iptcIn(content, found);
    if (tag === tags.photoshop) resourcesIn(content, found);
  }
}

/** Texts that are empty say nothing, though cameras write them. */
function isDetail(tag: number, content: Buffer): boolean {
  return !technicalTags.has(tag) && !ofPicture.has(tag) && content.some((byte) => byte !== 0 && byte !== 0x20);
}

export function xmpIn(packet: Buffer, found: Found): void {
  found.add("xmp");
  if (packet.includes("GPSLatitude")) found.add("place");
}

/** Data sets, each behind a mark. @see IIM 4.2, 1.5 */
export function iptcIn(bytes: Buffer, found: Found): void {
  // 2 is the record with what people write; the first data set in it says its version.
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === 0x1c; at += 5 + bytes.readUInt16BE(at + 3)) {
    if (bytes[at + 1] === 2 && bytes[at + 2] !== 0) found.add("iptc");
  }
}

/** Photoshop's image resources. @see Adobe Photoshop File Formats Specification, "Image Resource Blocks" */
export function resourcesIn(bytes: Buffer, found: Found): void {
  for (let at = 0; at + 12 <= bytes.length && bytes.toString("latin1", at, at + 4) === "8BIM"; ) {
    const id = bytes.readUInt16BE(at + 4);
    const nameBytes = 1 + bytes.readUInt8(at + 6);
    const start = at + 6 + nameBytes + (nameBytes % 2);
    const length = bytes.readUInt32BE(start);
    const content = bytes.subarray(start + 4, start + 4 + length);
    if (id === 0x0404) iptcIn(content, found);
    if (id === 0x0422) exifIn(content, found);
    if (id === 0x0424) xmpIn(content, found);
    at = start + 4 + length + (length % 2);
  }
}
