/** Detects binary formats: first families that need a look inside, then what the library knows, then additional signatures. */
import { fileTypeFromBuffer } from "file-type";
import { parseFormatId } from "#formats/table/lookup.ts";
import { compoundContentOf } from "./cfb.ts";
import { type Content, contentOfFormat } from "./content.ts";
import { gzipContentOf } from "./gzip.ts";
import { asfContentOf, chunkedContentOf, isoMediaContentOf, mpegAudioContentOf, oggContentOf, transportContentOf } from "./media.ts";
import { signatureContentOf } from "./signatures.ts";
import type { Source } from "./source.ts";
import { tiffContentOf } from "./tiff.ts";
import { appendedZipOf, zipContentOf } from "./zip.ts";

/** The library's results that two random bytes can produce, or whose name means another format here. */
const unreliable = new Set([
  "bmp",
  "dmg",
  "exe",
  "drc",
  "dat",
  "icc",
  "class",
  "mp1",
  "mp2",
  "mp3",
  "aac",
  "mts",
  "xml",
  "stl",
  "ico",
  "cur",
  "ics",
  "vcf",
  "cfb",
  "zip",
  "macho",
]);

/** A PDF may start this many bytes into the file. Readers accept what precedes it. */
const pdfSearchBytes = 1024;

/** Undefined if nothing is recognised. */
export async function binaryContentOf(source: Source): Promise<Content | undefined> {
  const { head } = source;
  if (head.length < 4) return undefined;
  return (
    isoMediaContentOf(head) ??
    chunkedContentOf(head) ??
    (await zipContentOf(source)) ??
    (await compoundContentOf(source)) ??
    gzipContentOf(head) ??
    (await tiffContentOf(source)) ??
    oggContentOf(head) ??
    asfContentOf(head) ??
    bitmapContentOf(head) ??
    iconContentOf(source) ??
    pixmapContentOf(head) ??
    (await mobiContentOf(source)) ??
    zstandardContentOf(head) ??
    signatureContentOf(head) ??
    (await libraryContentOf(head)) ??
    (await unmarkedContentOf(source))
  );
}

/** Zstandard may begin with frames that decoders skip, as `pzstd` writes them (RFC 8878, 3.1.2). LZ4 has the same ones. */
function zstandardContentOf(head: Buffer): Content | undefined {
  let at = 0;
  while (at + 8 <= head.length && head.readUInt32LE(at) >>> 4 === 0x184d2a5) at += 8 + head.readUInt32LE(at + 4);
  const isFrame = at > 0 && at + 4 <= head.length && head.readUInt32LE(at) === 0xfd2fb528;
  return isFrame ? contentOfFormat("zst") : undefined;
}

async function libraryContentOf(head: Buffer): Promise<Content | undefined> {
  const found = await fileTypeFromBuffer(head);
  if (found === undefined || unreliable.has(found.ext)) return undefined;
  if (found.ext === "sqlite") return sqliteContentOf(head);
  if (found.ext === "ac3") return ac3ContentOf(head);
  const format = found.ext === "Z" ? "taz" : parseFormatId(found.ext)?.id;
  return format === undefined ? { format: undefined } : contentOfFormat(format);
}

const pngSignature = Buffer.from("89504e470d0a1a0a", "hex");

/**
 * PNG, and whether it is animated, which is stated before the first picture (PNG 3rd edition, 11.3.6.1). The library gives the same answer,
 * but takes a fiftieth of the time of an icon's conversion for it.
 */
export function networkGraphicsContentOf(head: Buffer): Content | undefined {
  if (!head.subarray(0, 8).equals(pngSignature)) return undefined;
  for (let at = 8; at + 8 <= head.length; at += 12 + head.readUInt32BE(at)) {
    const kind = head.toString("latin1", at + 4, at + 8);
    if (kind === "IDAT") return contentOfFormat("png");
    // Named like a still picture nearly always; as one, it would lose its animation.
    if (kind === "acTL") return contentOfFormat("apng", { under: ["png"] });
  }
  // Nothing else starts like this. If the rest is broken, the decoder rejects it. It is certainly not text.
  return contentOfFormat("png");
}

/** Windows bitmaps by the size of their second header, because many files start with `BM`. */
function bitmapContentOf(head: Buffer): Content | undefined {
  if (head.length < 18 || head.toString("latin1", 0, 2) !== "BM") return undefined;
  return [12, 16, 40, 52, 56, 64, 108, 124].includes(head.readUInt32LE(14)) ? contentOfFormat("bmp") : undefined;
}

/** Icons and cursors: a plausible count, and a first picture inside the file after the directory. */
function iconContentOf({ head, sizeBytes }: Source): Content | undefined {
  if (head.length < 22 || head.readUInt16LE(0) !== 0) return undefined;
  const [type, count, offset] = [head.readUInt16LE(2), head.readUInt16LE(4), head.readUInt32LE(18)];
  const isDirectory = count > 0 && offset >= 6 + 16 * count && offset < sizeBytes;
  if (!isDirectory || (type !== 1 && type !== 2)) return undefined;
  return contentOfFormat(type === 1 ? "ico" : "cur");
}

/** Netpbm with raw samples. The plain variants are text. */
function pixmapContentOf(head: Buffer): Content | undefined {
  const magic = /^P([456])[ \t\r\n]+(#|\d)/.exec(head.toString("latin1", 0, 8))?.[1];
  if (magic === undefined) return undefined;
  return contentOfFormat(magic === "4" ? "pbm" : magic === "5" ? "pgm" : "ppm");
}

/** GeoPackage and MBTiles are SQLite databases with an application id (sqlite.org/fileformat2.html §1.3). */
function sqliteContentOf(head: Buffer): Content {
  const application = head.toString("latin1", 68, 72);
  if (/^GP(KG|10|11)$/.test(application)) return contentOfFormat("gpkg", { under: ["sqlite"] });
  return application === "MPBX" ? contentOfFormat("mbtiles", { under: ["sqlite"] }) : contentOfFormat("sqlite");
}

/** AC-3 and Enhanced AC-3 by the bit stream identification (ETSI TS 102 366). */
function ac3ContentOf(head: Buffer): Content {
  return contentOfFormat((head[5] ?? 0) >>> 3 > 10 ? "eac3" : "ac3");
}

/** Mobipocket by the version in its first record: 8 is KF8. */
async function mobiContentOf(source: Source): Promise<Content | undefined> {
  if (source.head.toString("latin1", 60, 68) !== "BOOKMOBI" || source.head.length < 82) return undefined;
  const record = await source.read(source.head.readUInt32BE(78), 40);
  return contentOfFormat(record.length >= 40 && record.readUInt32BE(36) >= 8 ? "azw3" : "mobi");
}

/** Formats recognised only by a repeating pattern, at their end, or well inside. */
async function unmarkedContentOf(source: Source): Promise<Content | undefined> {
  const { head, sizeBytes } = source;
  const pdf = head.subarray(0, pdfSearchBytes).includes("%PDF-", 0, "latin1");
  if (pdf) return contentOfFormat("pdf");
  const transport = transportContentOf(head);
  if (transport !== undefined) return transport;
  if (/^(M\.K\.|M!K!|FLT[48]|[1-9]CHN|[123]\dCH|OCTA|CD81)$/.test(head.toString("latin1", 1080, 1084))) return contentOfFormat("mod");
  if (head.length >= 84 && sizeBytes === 84 + 50 * head.readUInt32LE(80)) return contentOfFormat("stl");
  if (head.readUInt16LE(0) === 0x4d4d && head.length >= 6 && head.readUInt32LE(2) === sizeBytes) return contentOfFormat("3ds");
  const tail = await source.read(sizeBytes - 18, 18);
  if (tail.toString("latin1").startsWith("TRUEVISION-XFILE")) return contentOfFormat("tga");
  return (await appendedZipOf(source)) ?? (await mpegAudioContentOf(source));
}
