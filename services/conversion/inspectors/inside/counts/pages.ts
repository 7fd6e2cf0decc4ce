/** Counts pages, slides, frames and pictures of a file if its structure states the number. */
import { inflateSync } from "node:zlib";
import { type ByteSource, bytesAt, windowOf } from "#services/conversion/domain/guards/byte-source.ts";
import { frameCountOf } from "#services/conversion/domain/guards/frames.ts";
import { contentOf } from "../remote-file.ts";
import { scanMarkup } from "./markup.ts";
import { openPackage } from "./parts.ts";
import { Uncountable } from "./uncountable.ts";

const animations = new Set(["gif", "webp", "png", "apng"]);
/** Formats with a single picture. */
const stills = new Set("jpg bmp tga qoi jp2 ppm pgm pbm svg eps hdr exr".split(" "));
const slideShows = new Set(["pptx", "ppsx", "potx", "pptm", "ppsm", "potm"]);
const openSlides = new Set(["odp", "otp"]);
const pictureNames = /\.(jpe?g|png|gif|webp|bmp|tiff?|avif|jxl|jp2)$/i;

/** Undefined if it cannot be known. */
export async function pagesOf(file: ByteSource, format: string): Promise<number | undefined> {
  if (animations.has(format)) return await frameCountOf(file, format);
  if (stills.has(format)) return 1;
  if (format === "pdf" || format === "pdfa") return pagesOfPdf(await contentOf(file));
  if (format === "tiff") return await pagesOfTiff(file);
  if (format === "djvu") return await pagesOfDjvu(file);
  if (format === "xps") return countNames(await openPackage(file), /\.fpage(\/\[0\]\.piece)?$/i);
  if (format === "cbz") return countNames(await openPackage(file), pictureNames);
  if (slideShows.has(format)) return countTags(await (await openPackage(file)).text("ppt/presentation.xml"), "sldid", / \w+:id="/);
  if (openSlides.has(format)) return countTags(await (await openPackage(file)).text("content.xml"), "page");
  return undefined;
}

/** Files of sound and film in books. */
export async function mediaOf(file: ByteSource, format: string): Promise<number | undefined> {
  if (format === "mobi" || format === "azw3") return await mediaOfKindle(file);
  if (format !== "epub") return undefined;
  return countNames(await openPackage(file), /\.(?:mp[34]|m4[abv]|og[agv]|opus|webm|wav|aac|mov)$/i);
}

/** Records of a Palm database, which begin with their kind. */
async function mediaOfKindle(source: ByteSource): Promise<number> {
  const file = windowOf(source);
  let media = 0;
  for (let record = 0, count = file.head.readUInt16BE(76); record < count; record += 1) {
    const at = (await bytesAt(file, 78 + 8 * record, 4)).readUInt32BE(0);
    const kind = (await bytesAt(file, at, 4)).toString("latin1");
    if (kind === "AUDI" || kind === "VIDE") media += 1;
  }
  return media;
}

function countNames({ names }: { readonly names: readonly string[] }, pattern: RegExp): number {
  return names.filter((name) => pattern.test(name) && !/(^|\/)(\.|__MACOSX\/)/.test(name)).length;
}

/** `pattern`: of the tag. In sections, slides are listed once more, without a relation. */
function countTags(markup: string, wanted: string, pattern = /^/): number {
  let count = 0;
  scanMarkup(markup, {
    onTag(name, tag) {
      if (name === wanted && pattern.test(tag)) count += 1;
    },
  });
  return count;
}

const maxStreamBytes = 32 * 2 ** 20;
/** Between the type name of a stream and its beginning. */
const longestStreamHead = 1000;

/**
 * The count in the only root of the page tree, if there are that many pages. A file that was changed by appending contains more than it
 * shows, and in one with locked objects nothing is visible.
 *
 * @see ISO 32000-1, 7.7.3 and 7.5.7
 */
function pagesOfPdf(bytes: Buffer): number | undefined {
  const text = bytes.toString("latin1");
  const roots = new Set(rootsOfPages(text));
  let pages = leavesIn(text);
  let unpackedBytes = 0;
  for (let at = text.indexOf("/ObjStm"); at >= 0; ) {
    const start = text.slice(at, at + longestStreamHead).indexOf("stream");
    if (start < 0) throw new Uncountable();
    const from = at + start + (text.startsWith("\r\n", at + start + 6) ? 8 : 7);
    const end = text.indexOf("endstream", from);
    if (end < 0) throw new Uncountable();
    const isPacked = text.slice(Math.max(0, at - longestStreamHead), from).includes("/FlateDecode");
    const packed = bytes.subarray(from, end);
    const unpacked = isPacked ? inflateSync(packed, { maxOutputLength: maxStreamBytes - unpackedBytes }) : packed;
    unpackedBytes += unpacked.length;
    const objects = unpacked.toString("latin1");
    for (const count of rootsOfPages(objects)) roots.add(count);
    pages += leavesIn(objects);
    at = text.indexOf("/ObjStm", end);
  }
  return roots.size === 1 && roots.has(pages) ? pages : undefined;
}

function leavesIn(text: string): number {
  return text.match(/\/Type\s{0,9}\/Page(?![A-Za-z])/g)?.length ?? 0;
}

/** The count in each root node of a page tree; -1 if it states none. */
function rootsOfPages(text: string): readonly number[] {
  const counts: number[] = [];
  // Each byte is examined a few times at most. Dictionaries nested in each other are no tree.
  let left = 4 * text.length + 1000;
  for (const { index } of text.matchAll(/\/Type\s{0,9}\/Pages(?![A-Za-z])/g)) {
    const dictionary = dictionaryAround(text, index, left);
    left -= dictionary.length;
    const count = /\/Count\s{0,9}(\d{1,7})(?!\d)/.exec(dictionary)?.[1];
    if (!/\/Parent\b/.test(dictionary)) counts.push(count === undefined ? -1 : Number(count));
  }
  return counts;
}

/** The innermost `<<…>>` around a position. */
function dictionaryAround(text: string, at: number, most: number): string {
  const find = (step: -1 | 1, away: string, towards: string): number => {
    let place = at;
    for (let depth = 0; depth >= 0; place += step) {
      if (place < 0 || place >= text.length || Math.abs(place - at) > most) throw new Uncountable();
      const isAway = text.startsWith(away, place);
      if (!isAway && !text.startsWith(towards, place)) continue;
      depth += isAway ? -1 : 1;
      place += step;
    }
    return place;
  };
  return text.slice(Math.max(0, find(-1, "<<", ">>")), find(1, ">>", "<<") + 1);
}

/** A few bytes are read for each, wherever it is. */
const mostPlaces = 500;
const usualDirectoryBytes = 512;
const [subfileType, oldSubfileType] = [254, 255];

/**
 * Directories in the chain that are neither smaller copies of others nor masks. @see TIFF 6.0, page 13, and NewSubfileType and SubfileType
 */
async function pagesOfTiff(file: ByteSource): Promise<number> {
  const { head } = file;
  const isLittle = head[0] === 0x49;
  const number = (bytes: Buffer, at: number, length: 2 | 4) => (isLittle ? bytes.readUIntLE(at, length) : bytes.readUIntBE(at, length));
  if (number(head, 2, 2) !== 42) throw new Uncountable();
  let pages = 0;
  const seen = new Set<number>();
  for (let at = number(head, 4, 4); at !== 0; ) {
    if (seen.has(at) || seen.size === mostPlaces) throw new Uncountable();
    seen.add(at);
    let directory = await bytesAt(file, at, usualDirectoryBytes);
    const count = number(directory, 0, 2);
    if (6 + count * 12 > usualDirectoryBytes) directory = await bytesAt(file, at, 6 + count * 12);
    let isCopy = false;
    for (let entry = 2; entry < 2 + count * 12; entry += 12) {
      const tag = number(directory, entry, 2);
      if (tag === subfileType) isCopy = (number(directory, entry + 8, 4) & 5) !== 0;
      if (tag === oldSubfileType) isCopy ||= number(directory, entry + 8, 2) === 2;
    }
    pages += isCopy ? 0 : 1;
    at = number(directory, 2 + count * 12, 4);
  }
  return pages;
}

/** Forms that are pages, among those with shared content. @see DjVu 3, 8.1 to 8.3 */
async function pagesOfDjvu(file: ByteSource): Promise<number> {
  const typeAt = (bytes: Buffer, at: number): string => bytes.toString("latin1", at, at + 4);
  if (typeAt(file.head, 12) === "DJVU") return 1;
  // The pages of a document that is not bundled are separate files.
  if (typeAt(file.head, 12) !== "DJVM" || ((file.head[24] ?? 0) & 0x80) === 0) throw new Uncountable();
  let [pages, chunks] = [0, 0];
  for (let at = 16; at + 12 <= file.sizeBytes; chunks += 1) {
    if (chunks === mostPlaces) throw new Uncountable();
    const chunk = await bytesAt(file, at, 12);
    if (typeAt(chunk, 0) === "FORM" && typeAt(chunk, 8) === "DJVU") pages += 1;
    const length = chunk.readUInt32BE(4);
    at += 8 + length + (length % 2);
  }
  return pages;
}
