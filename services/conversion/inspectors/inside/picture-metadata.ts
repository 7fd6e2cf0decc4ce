/** The metadata in picture files, according to their structure alone. Pixels are not read. */
import { brotliDecompressSync, inflateSync } from "node:zlib";
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { attachments } from "#services/conversion/domain/tellable.ts";
import { appendedIn, multiPictureIn, ownIn, statesGainMap, trailerIn } from "./attached-pictures.ts";
import { anyField, exifIn, type Found, groupsOf, iptcIn, resourcesIn, tiffIn, xmpIn } from "./metadata-blocks.ts";
import { heifMetadata } from "./metadata-heif.ts";
import { contentOf } from "./remote-file.ts";

type Reader = (file: ByteSource, found: Found) => Promise<void>;

/** For a source and its result. A file that deviates from its format reports nothing here. */
export async function pictureMetadataOf(
  source: ByteSource,
  result: ByteSource,
  { from, to }: { readonly from?: unknown; readonly to?: unknown },
): Promise<Answer<"pictureMetadata">> {
  const [before, after] = [await toldBy(source, String(from)), await toldBy(result, String(to))];
  // They are signatures of the whole file.
  if (source.sizeBytes !== result.sizeBytes) after.delete("credentials");
  if (after.isRestorable === true) for (const each of restorable) after.add(each);
  return { source: groupsOf(before), result: groupsOf(after, before) };
}

async function toldBy(file: ByteSource, format: string): Promise<Found> {
  const found: Found = new Set();
  try {
    await readers[format]?.(file, found);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return found;
}

/** What a JPEG XL made of a JPEG can give back. */
const restorable = [...attachments, "furtherXmp", "appended"] as const;

/** Anything up to this size is read completely. */
const mostBytes = 8 * 2 ** 20;
const mostParts = 100_000;

/** @see ITU-T T.81, B.1.1.4: segments until the scan; Exif 2.32, 4.7.2 */
async function readJpeg(file: ByteSource, found: Found, start = 0): Promise<void> {
  const resources: Buffer[] = [];
  for (let at = start + 2; at + 4 <= file.sizeBytes; ) {
    const head = await bytesAt(file, at, 4);
    const [mark, marker = 0] = head;
    if (mark !== 0xff || marker === 0xda || marker === 0xd9) break;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = head.readUInt16BE(2);
    if ((marker > 0xe0 && marker < 0xef) || marker === 0xfe) {
      const bytes = await bytesAt(file, at + 4, length - 2);
      if (isResources(bytes)) resources.push(bytes.subarray(resourcesMark.length));
      else segmentIn(bytes, marker, found);
      if (marker === 0xe1 || marker === 0xe2) await attachedIn(file, at + 4, bytes, found);
    }
    at += 2 + length;
  }
  await trailerIn(file, found);
  // Long ones continue in the next segment.
  resourcesIn(Buffer.concat(resources), found);
}

/** Fujifilm stores them in the camera's JPEG, whose place stands in the head. */
async function readFujifilm(file: ByteSource, found: Found): Promise<void> {
  await readJpeg(file, found, (await bytesAt(file, 84, 4)).readUInt32BE());
}

const resourcesMark = "Photoshop 3.0\0";
const isResources = (bytes: Buffer): boolean => bytes.toString("latin1", 0, resourcesMark.length) === resourcesMark;

async function attachedIn(file: ByteSource, at: number, bytes: Buffer, found: Found): Promise<void> {
  if (bytes.toString("latin1", 0, 4) === "MPF\0") await multiPictureIn(file, at + 4, bytes.subarray(4), found);
  else if (bytes.toString("latin1", 0, 29) === xmpMark) await appendedIn(file, bytes.subarray(29), found);
}

const xmpMark = "http://ns.adobe.com/xap/1.0/\0";

function segmentIn(bytes: Buffer, marker: number, found: Found): void {
  const text = bytes.toString("latin1", 0, 32);
  if (marker === 0xfe) commentIn(bytes.toString("latin1"), found);
  else if (text.startsWith("Exif\0\0")) exifIn(bytes.subarray(6), found);
  else if (text.startsWith(xmpMark)) xmpIn(bytes.subarray(29), found);
  else if (text.startsWith("http://ns.adobe.com/xmp/extensio")) found.add("furtherXmp");
  else if (marker === 0xeb && bytes.includes(credentialsMark)) found.add("credentials");
  else ownIn(marker, bytes, found);
}

/** Kind and name of the outermost box. @see C2PA 2.1, 11.1.4 */
const credentialsMark = "jumdc2pa";

/** Comments in which programs sign what they write. */
const signatures = /^\s*(?:Lavc|CREATOR: |Created with |File written by |Optimized by |LEAD Technologies)|^\s*$/;

function commentIn(text: string, found: Found): void {
  if (!signatures.test(text.replaceAll("\0", ""))) found.add("comments");
}

/** @see Adobe Photoshop File Formats Specification: the colours of a palette precede the resources. */
async function readPhotoshop(file: ByteSource, found: Found): Promise<void> {
  const at = 30 + (await bytesAt(file, 26, 4)).readUInt32BE();
  const length = (await bytesAt(file, at, 4)).readUInt32BE();
  const bytes = Buffer.alloc(Math.min(length, mostBytes));
  for (let have = 0; have < bytes.length; ) {
    const piece = await bytesAt(file, at + 4 + have, Math.min(bytes.length - have, 65_536));
    if (piece.length === 0) break;
    have += piece.copy(bytes, have);
  }
  resourcesIn(bytes, found);
}

/** Chunks of PNG, each with its type. @see PNG third edition, 5.3, 11.3.3 and 11.3.4.5 */
async function readPng(file: ByteSource, found: Found): Promise<void> {
  let isPastPicture = false;
  for (let at = 8, chunks = 0; at + 12 <= file.sizeBytes && chunks < mostParts; chunks += 1) {
    const head = await bytesAt(file, at, 8);
    const [length, type] = [head.readUInt32BE(0), head.toString("latin1", 4, 8)];
    if (type === "caBX") found.add("credentials");
    if (/^(eXIf|iTXt|tEXt|zTXt)$/.test(type)) chunkIn(type, await bytesAt(file, at + 8, Math.min(length, 262_144)), found);
    const next = at + 12 + length;
    // The picture may be in thousands of chunks, and every piece of the file that is examined has to be sent here first.
    at = type === "IDAT" && !isPastPicture ? Math.max(next, await lastPictureDataOf(file)) : next;
    isPastPicture ||= type === "IDAT";
  }
}

const pngTailBytes = 65_536;

/** Where the last IDAT chunk starts if that is near the end; from there, chunks follow each other to the end of the file. Otherwise 0. */
async function lastPictureDataOf(file: ByteSource): Promise<number> {
  const from = Math.max(0, file.sizeBytes - pngTailBytes);
  const tail = await bytesAt(file, from, pngTailBytes);
  for (let mark = tail.lastIndexOf("IDAT"); mark >= 4; mark = tail.lastIndexOf("IDAT", mark - 1)) {
    let at = mark - 4;
    for (let chunks = 0; at + 12 <= tail.length && chunks < 100; chunks += 1) at += 12 + tail.readUInt32BE(at);
    if (at === tail.length) return from + mark - 4;
  }
  return 0;
}

/** Keywords that programs write about a file that they convert, and the forms in which they pass on profiles. */
const technicalWords = /^(?:Software|date:\w+|\w+:[\w-]+|Thumb::.*|Creation ?Time|Source)$/i;

function chunkIn(type: string, bytes: Buffer, found: Found): void {
  const keyword = bytes.toString("latin1", 0, Math.max(0, bytes.subarray(0, 80).indexOf(0)));
  const words = bytes.subarray(keyword.length + 1);
  const [, profile] = /^Raw profile type (\w+)/.exec(keyword) ?? [];
  if (type === "eXIf") exifIn(bytes, found);
  else if (keyword === "XML:com.adobe.xmp" || profile === "xmp") xmpIn(words, found);
  // Its presence is enough.
  else if (profile === "iptc" || profile === "8bim") found.add("iptc");
  else if (profile === "exif" || profile === "APP1") exifIn(withoutMark(rawProfileOf(type === "zTXt", words)), found);
  else if (!technicalWords.test(keyword)) found.add("comments");
}

/** The form in which ImageMagick passes them on: a name, a length, and the bytes in hexadecimal, each on separate lines. */
function rawProfileOf(isPacked: boolean, words: Buffer): Buffer {
  try {
    const text = isPacked ? inflateSync(words.subarray(1), { maxOutputLength: mostBytes }) : words;
    return Buffer.from(text.toString("latin1").split("\n").slice(3).join(""), "hex");
  } catch {
    // Invalid compression, so no program can read it.
    return Buffer.alloc(0);
  }
}

/** @see https://developers.google.com/speed/webp/docs/riff_container */
async function readWebp(file: ByteSource, found: Found): Promise<void> {
  for (let at = 12, chunks = 0; at + 8 <= file.sizeBytes && chunks < mostParts; chunks += 1) {
    const head = await bytesAt(file, at, 8);
    const [type, length] = [head.toString("latin1", 0, 4), head.readUInt32LE(4)];
    const content = () => bytesAt(file, at + 8, Math.min(length, 262_144));
    if (type === "EXIF") exifIn(withoutMark(await content()), found);
    if (type === "XMP ") xmpIn(await content(), found);
    if (type === "C2PA") found.add("credentials");
    at += 8 + length + (length % 2);
  }
}

const withoutMark = (bytes: Buffer): Buffer => (bytes.toString("latin1", 0, 6) === "Exif\0\0" ? bytes.subarray(6) : bytes);

const boxUuids: Readonly<Record<string, (bytes: Buffer, found: Found) => void>> = {
  b14bf8bd083d4b43a5ae8cd7d5a6ce03: exifIn,
  be7acfcb97a942e89c71999491e3afac: xmpIn,
  "4a706754696666457869662d3e4a5032": exifIn,
  "33c7a4d2b81d4723a0baf1a3e097ad38": iptcIn,
};

/** Boxes of JPEG 2000 and JPEG XL. @see ISO/IEC 15444-1 annex I, and 18181-2, 9 */
async function readBoxes(file: ByteSource, found: Found): Promise<void> {
  for (let at = 0, boxes = 0; at + 8 <= file.sizeBytes && boxes < mostParts; boxes += 1) {
    const head = await bytesAt(file, at, 16);
    const [told, type] = [head.readUInt32BE(0), head.toString("latin1", 4, 8)];
    const length = told === 1 ? Number(head.readBigUInt64BE(8)) : told === 0 ? file.sizeBytes - at : told;
    if (length < 8) return;
    // The original JPEG can be restored with all that was in its file. Its packed parts do not tell what that was, but its XMP may.
    if (type === "jbrd") found.isRestorable = true;
    if (/^(uuid|Exif|xml |brob)$/.test(type)) boxIn(type, await bytesAt(file, at + 8, Math.min(length - 8, 262_144)), found);
    at += length;
  }
}

function boxIn(type: string, bytes: Buffer, found: Found): void {
  if (type === "uuid") boxUuids[bytes.toString("hex", 0, 16)]?.(bytes.subarray(16), found);
  // An offset comes first.
  else if (type === "Exif") exifIn(bytes.subarray(4 + bytes.readUInt32BE(0)), found);
  else if (type === "xml ") {
    xmpIn(bytes, found);
    if (statesGainMap(bytes)) found.add("gainMap");
  } else if (type === "brob") {
    try {
      boxIn(bytes.toString("latin1", 0, 4), brotliDecompressSync(bytes.subarray(4), { maxOutputLength: mostBytes }), found);
    } catch {
      // Invalid compression, so no program can read it.
    }
  }
}

/** ImageMagick's own format: a list of names before the pixels, and profiles by name. */
async function readMiff(file: ByteSource, found: Found): Promise<void> {
  const text = (await bytesAt(file, 0, 65_536)).toString("latin1");
  const names = new Set([...text.matchAll(/\bprofile[:-](\w+)=/g)].map(([, name]) => name));
  if (names.has("exif") || names.has("app1")) found.add(anyField);
  if (names.has("xmp")) found.add("xmp");
  if (names.has("iptc") || names.has("8bim")) found.add("iptc");
}

/** Pages that contain an unchanged JPEG. */
async function readPage(file: ByteSource, found: Found): Promise<void> {
  const bytes = await contentOf(file, 64 * 2 ** 20);
  const at = bytes.indexOf("Exif\0\0", 0, "latin1");
  if (at >= 0) exifIn(bytes.subarray(at + 6, at + 65_536), found);
}

const readers: Readonly<Record<string, Reader>> = {
  jpg: readJpeg,
  png: readPng,
  apng: readPng,
  jng: readPng,
  webp: readWebp,
  ...{ tiff: tiffIn, dng: tiffIn, nef: tiffIn, arw: tiffIn, pef: tiffIn, cr2: tiffIn, orf: tiffIn, rw2: tiffIn },
  raf: readFujifilm,
  ...{ heic: heifMetadata, avif: heifMetadata },
  ...{ jxl: readBoxes, jp2: readBoxes },
  ...{ psd: readPhotoshop, psb: readPhotoshop },
  miff: readMiff,
  pdf: readPage,
};
