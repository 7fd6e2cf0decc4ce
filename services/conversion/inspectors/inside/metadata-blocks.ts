/** The three blocks in which every picture format stores metadata: EXIF, XMP and IPTC. */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Tellable } from "#services/conversion/domain/tellable.ts";
import { technicalTags } from "#services/conversion/engines/pictures/sharp-headers.mjs";

/** What a file contains, and each EXIF field by its number. */
export type Found = Set<Exclude<Tellable, ExifGroup> | number> & { maker?: MakerNote; isRestorable?: boolean };
type MakerNote = { readonly at: number; readonly content: Buffer };
type ExifGroup = keyof typeof exifGroups | "other";

const tags = { exif: 0x8769, place: 0x8825, xmp: 0x02bc, iptc: 0x83bb, photoshop: 0x8649 } as const;
/** Fields about the picture itself, about where its parts are in the file, or about the programs that wrote it. */
const ofPicture = new Set([
  ...[0xfe, 0xff, 0x107, 0x10a, 0x111, 0x116, 0x117, 0x118, 0x119, 0x11d, 0x129, 0x12d, 0x13d, 0x13e, 0x13f, 0x140, 0x142, 0x143],
  ...[0x144, 0x145, 0x14a, 0x152, 0x153, 0x154, 0x155, 0x15b, 0x131, 0x13c, 0x201, 0x202, 0x211, 0x214, 0x8773, 0xa005, 0xa40b],
  // Grey levels, fax and inks.
  ...[0x107, 0x108, 0x109, 0x120, 0x121, 0x122, 0x123, 0x124, 0x125, 0x146, 0x147, 0x148, 0x14c, 0x14d, 0x14e, 0x150, 0x156, 0x15a],
]);
/** A model's scale, points and matrix, and its keys. @see OGC 19-008r4, 7.1 */
const ofMap = new Set([0x830e, 0x8482, 0x85d8, 0x87af, 0x87b0, 0x87b1]);
/** A latitude, in the GPS directory. */
const latitude = 2;
const bytesOfKind = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];
const [userComment, makerNote] = [0x9286, 0x927c];

/** Which fields belong together for a user who misses them. @see Exif 2.32, 4.6 */
const exifGroups = {
  camera: [0x10f, 0x110, 0xa431, 0xa432, 0xa433, 0xa434, 0xa435],
  exposure: [
    ...[0x829a, 0x829d, 0x8822, 0x8824, 0x8827, 0x8828, 0x8830, 0x8831, 0x8832, 0x8833, 0x8834, 0x8835, 0x9201, 0x9202, 0x9203, 0x9204],
    ...[0x9205, 0x9206, 0x9207, 0x9208, 0x9209, 0x920a, 0x920b, 0x9214, 0xa20b, 0xa20e, 0xa20f, 0xa210, 0xa214, 0xa215, 0xa217, 0xa401],
    ...[0xa402, 0xa403, 0xa404, 0xa405, 0xa406, 0xa407, 0xa408, 0xa409, 0xa40a, 0xa40c, 0xa500],
  ],
  taken: [0x132, 0x882a, 0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x9290, 0x9291, 0x9292],
  author: [0x13b, 0x8298, 0x9c9d, 0xa430],
  words: [0x10e, userComment, 0x9c9b, 0x9c9c, 0x9c9e, 0x9c9f],
  maker: [makerNote],
} as const;
const groupOfField: ReadonlyMap<number, ExifGroup> = new Map(
  Object.entries(exifGroups).flatMap(([group, fields]) => fields.map((field) => [field, group as ExifGroup])),
);

/** For a file that contains EXIF fields without stating which: all of them. */
export const anyField = 0;

/** The groups to report. A group counts only if every field of it in `others` is found. */
export function groupsOf(found: Found, others: Found = found): readonly Tellable[] {
  const all = [...others].filter((each) => typeof each === "number");
  const has = (field: number) => (found.has(field) || found.has(anyField)) && (field !== makerNote || keepsNote(found.maker, others.maker));
  const groups = new Map<ExifGroup, boolean>();
  for (const field of all) {
    const group = groupOfField.get(field) ?? "other";
    groups.set(group, (groups.get(group) ?? true) && has(field));
  }
  const whole = [...groups].flatMap(([group, isWhole]) => (isWhole ? [group] : []));
  return [...[...found].filter((each) => typeof each !== "number"), ...whole];
}

/** Positions in these notes are counted from within the notes. In others, a move makes them wrong. */
const movable = ["Nikon\0\x02", "FUJIFILM", "Apple iOS", "OLYMPUS\0", "OM SYSTEM", "PENTAX \0", "com.google"];

/** libexif rewrites the notes of makers that it knows, of some without their larger parts. It moves other notes. */
function keepsNote(now?: MakerNote, before?: MakerNote): boolean {
  if (now === undefined || before === undefined || now === before) return true;
  if (!now.content.equals(before.content)) return now.content.length * 2 >= before.content.length;
  return now.at === before.at || movable.some((name) => now.content.toString("latin1", 0, name.length) === name);
}

type Entry = { readonly tag: number; readonly value: number; readonly length: number; readonly inline: Buffer };
type Content = (entry: Entry) => Buffer;

/** Reads a block with the structure of TIFF. Other programs cannot read any other block either. @see TIFF 6.0, section 2; Exif 2.32, 4.6 */
export function exifIn(tiff: Buffer, found: Found): void {
  if (!isTiff(tiff)) return;
  const contentOf: Content = ({ length, value, inline }) => (length > inline.length ? tiff.subarray(value, value + length) : inline);
  try {
    const top = entriesOf(tiff, firstOf(tiff), tiff);
    const inside = (tag: number) => top.flatMap((entry) => (entry.tag === tag ? entriesOf(tiff, entry.value, tiff) : []));
    entriesIn({ top, inner: inside(tags.exif), places: inside(tags.place) }, contentOf, found);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

/**
 * No file has more entries in one directory. No honest file has a longer field than EXIF's 64 KiB, except for blocks of XMP and Photoshop.
 */
const longestDirectory = 8 + 20 * 4096;
const longestField = 262_144;
/** Of all fields; entries can share their contents, so this is not bounded by the size of the file. */
const mostContent = 2 ** 24;

/** Reads a whole file, which may have gigabytes and directories anywhere. Only the directories and what they refer to are read. */
export async function tiffIn(file: ByteSource, found: Found): Promise<void> {
  const head = await bytesAt(file, 0, 16);
  if (!isTiff(head)) return;
  const directory = async (at: number) => entriesOf(head, 0, await bytesAt(file, at, longestDirectory));
  const top = await directory(firstOf(head));
  const inside = async (tag: number) => {
    const entry = top.find((each) => each.tag === tag);
    return entry === undefined ? [] : await directory(entry.value);
  };
  const [inner, places] = [await inside(tags.exif), await inside(tags.place)];
  const contents = new Map<Entry, Buffer>();
  let readBytes = 0;
  for (const entry of [...top, ...inner]) {
    if (isOfPicture(entry.tag) || readBytes > mostContent) continue;
    const content = await fieldOf(file, entry);
    contents.set(entry, content);
    readBytes += content.length;
  }
  entriesIn({ top, inner, places }, (entry) => contents.get(entry) ?? entry.inline, found);
}

async function fieldOf(file: ByteSource, { length, value, inline }: Entry): Promise<Buffer> {
  return length > inline.length ? await bytesAt(file, value, Math.min(length, longestField)) : inline;
}

/** Olympus and Panasonic put other numbers in place of 42. */
const isTiff = (bytes: Buffer): boolean => /^(?:II(?:[*+U]\0|R[OS])|MM(?:\0[*+]|OR))/.test(bytes.toString("latin1", 0, 4));
/** BigTIFF has the number 43 where TIFF has 42. @see https://www.awaresystems.be/imaging/tiff/bigtiff.html */
const isBig = (head: Buffer): boolean => head[2] === 43 || head[3] === 43;
const firstOf = (head: Buffer): number => (isBig(head) ? bigAt(head, 8) : longAt(head, 4));
const bigAt = (bytes: Buffer, at: number, order = bytes): number =>
  Number(order[0] === 0x49 ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
const longAt = (bytes: Buffer, at: number, order = bytes): number => (order[0] === 0x49 ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));

/** The directory at a position of some bytes. The head states the byte order. */
function entriesOf(head: Buffer, start: number, bytes: Buffer): readonly Entry[] {
  const short = (at: number) => (head[0] === 0x49 ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const [wordAt, word, count, first] = isBig(head)
    ? ([bigAt, 8, Math.min(bigAt(bytes, start, head), 4096), 8] as const)
    : ([longAt, 4, short(start), 2] as const);
  return Array.from({ length: count }, (_, index) => {
    const at = start + first + index * (4 + 2 * word);
    const length = (bytesOfKind[short(at + 2)] ?? 1) * wordAt(bytes, at + 4, head);
    const from = at + 4 + word;
    return { tag: short(at), value: wordAt(bytes, from, head), length, inline: bytes.subarray(from, from + Math.min(word, length)) };
  });
}

type Directories = { readonly top: readonly Entry[]; readonly inner: readonly Entry[]; readonly places: readonly Entry[] };

function entriesIn({ top, inner, places }: Directories, contentOf: Content, found: Found): void {
  const own = new Set<number>(Object.values(tags));
  for (const entry of [...top, ...inner]) {
    if (ofMap.has(entry.tag)) found.add("map");
    else if (!own.has(entry.tag) && isDetail(entry.tag, contentOf(entry))) found.add(entry.tag);
    if (entry.tag === makerNote) found.maker = { at: entry.value, content: contentOf(entry) };
  }
  if (places.some(({ tag }) => tag === latitude)) found.add("place");
  for (const entry of top) {
    if (entry.tag === tags.xmp) xmpIn(contentOf(entry), found);
    if (entry.tag === tags.iptc) iptcIn(contentOf(entry), found);
    if (entry.tag === tags.photoshop) resourcesIn(contentOf(entry), found);
  }
}

const isOfPicture = (tag: number): boolean => technicalTags.has(tag) || ofPicture.has(tag);

/** Empty texts do not count, although cameras write them. A user comment starts with the name of its character code. */
function isDetail(tag: number, content: Buffer): boolean {
  const said = tag === userComment ? content.subarray(8) : content;
  return !isOfPicture(tag) && said.some((byte) => byte !== 0 && byte !== 0x20);
}

export function xmpIn(packet: Buffer, found: Found): void {
  if (packet.length === 0) return;
  found.add("xmp");
  if (packet.includes("GPSLatitude")) found.add("place");
}

/** Data sets, each after a marker. @see IIM 4.2, 1.5 */
export function iptcIn(bytes: Buffer, found: Found): void {
  // Record 2 contains what people write. Its first data set is its version.
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === 0x1c; at = endOfDataSet(bytes, at)) {
    if (bytes[at + 1] === 2 && bytes[at + 2] !== 0) found.add("iptc");
  }
}

/** The length is 15 bits or, in an extended data set, a number of as many bytes as those bits say. */
function endOfDataSet(bytes: Buffer, at: number): number {
  const stated = bytes.readUInt16BE(at + 3);
  const lengthBytes = stated & 0x7fff;
  if (stated === lengthBytes) return at + 5 + stated;
  const isReadable = lengthBytes >= 1 && lengthBytes <= 4 && at + 5 + lengthBytes <= bytes.length;
  return isReadable ? at + 5 + lengthBytes + bytes.readUIntBE(at + 5, lengthBytes) : bytes.length;
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
