/** ZIP and the formats based on it: OOXML (ECMA-376), OpenDocument and EPUB (OCF `mimetype`), iWork and others by their entries. */
import { inflateRawSync } from "node:zlib";
import { formats } from "#formats/table/lookup.ts";
import { type Content, contentOfFormat } from "./content.ts";
import type { Source } from "./source.ts";
import { extraFieldsOf, sizesOf } from "./zip-fields.ts";

type Entry = { readonly name: string; readonly method: number; readonly packedBytes: number; readonly headerOffset: number };

const localHeader = 0x04034b50;
const centralHeader = 0x02014b50;
const endOfDirectory = 0x06054b50;
/** Before the first entry of an archive that was, or might have been, split (APPNOTE 8.5). */
const [splitMarker, singleMarker] = [0x08074b50, 0x30304b50];
const endOfDirectory64 = 0x06064b50;
const maxEntries = 4096;
/** Deflate expands at most about a thousandfold, so the decompressed size is limited too. */
const maxPackedBytes = 16_384;

export async function zipContentOf(source: Source): Promise<Content | undefined> {
  const start = source.head.length < 4 ? 0 : source.head.readUInt32LE(0);
  if (start !== localHeader && start !== endOfDirectory && start !== splitMarker && start !== singleMarker) return undefined;
  const directory = await directoryOf(source);
  const entries = directory.length > 0 ? directory : localEntriesOf(source.head);
  const declared = await declaredTypeOf(source, entries);
  if (declared !== undefined) return declared;
  return byEntries(entries.map((entry) => entry.name));
}

/** A ZIP archive behind something else, as the program that unpacks it. */
export async function appendedZipOf(source: Source): Promise<Content | undefined> {
  return (await directoryOf(source)).length > 0 ? contentOfFormat("zip") : undefined;
}

/** The OCF `mimetype` entry, or the main part's type in `[Content_Types].xml`. */
async function declaredTypeOf(source: Source, entries: readonly Entry[]): Promise<Content | undefined> {
  const mimetype = entries.find((entry) => entry.name === "mimetype");
  if (mimetype !== undefined) {
    const mime = await textOf(source, mimetype);
    const format = formatOfMime(mime);
    if (format !== undefined) return contentOfFormat(format);
    if (mime.startsWith("application/")) return { format: undefined };
  }
  const manifest = entries.find((entry) => entry.name === "META-INF/manifest.xml");
  if (manifest !== undefined) {
    const root = manifestRoot.exec(await textOf(source, manifest));
    const format = formatOfMime(root?.[1] ?? root?.[2] ?? "");
    if (format !== undefined) return contentOfFormat(format);
  }
  const types = entries.find((entry) => entry.name.toLowerCase() === "[content_types].xml");
  return types === undefined ? undefined : packageContentOf(await textOf(source, types), entries);
}

/** The package's own type in an OpenDocument manifest, with the attributes in either order. */
const manifestRoot = /media-type="([^"]{1,100})"[^<>]{0,200}full-path="\/"|full-path="\/"[^<>]{0,200}media-type="([^"]{1,100})"/;

/** Templates of StarOffice 6 are read like its documents. */
function formatOfMime(mime: string): string | undefined {
  const plain = mime.trim().replace(/^application\/vnd\.sun\.xml\.(\w+)\.template$/, "application/vnd.sun.xml.$1");
  return formats.find((format) => format.mime === plain)?.id;
}

/** Content types of main parts, tried in order. Transitional and strict documents share them. */
const packageTypes: readonly (readonly [RegExp, string])[] = [
  [/wordprocessingml\.document\.main\+xml/, "docx"],
  [/wordprocessingml\.template\.main\+xml/, "dotx"],
  [/ms-word\.(document|template)\.macroenabled(template)?\.main\+xml/, "docm"],
  [/spreadsheetml\.sheet\.main\+xml/, "xlsx"],
  [/spreadsheetml\.template\.main\+xml/, "xltx"],
  [/ms-excel\.sheet\.binary\.macroenabled\.main/, "xlsb"],
  [/ms-excel\.(sheet|template|addin)\.macroenabled\.main\+xml/, "xlsm"],
  [/presentationml\.presentation\.main\+xml/, "pptx"],
  [/presentationml\.slideshow\.main\+xml/, "ppsx"],
  [/presentationml\.template\.main\+xml/, "potx"],
  [/ms-powerpoint\.presentation\.macroenabled\.main\+xml/, "pptm"],
  [/ms-powerpoint\.slideshow\.macroenabled\.main\+xml/, "ppsm"],
  [/ms-powerpoint\.template\.macroenabled\.main\+xml/, "potm"],
  [/ms-visio\.drawing\.main\+xml/, "vsdx"],
  [/ms-visio\.drawing\.macroenabled\.main\+xml/, "vsdm"],
  [/ms-visio\.template\.(macroenabled\.)?main\+xml/, "vstx"],
  [/fixeddocumentsequence|fixeddocseq/, "xps"],
  [/3dmanufacturing-3dmodel\+xml/, "3mf"],
];

function packageContentOf(types: string, entries: readonly Entry[]): Content {
  const lower = types.toLowerCase();
  const told = packageTypes.find(([pattern]) => pattern.test(lower));
  if (told !== undefined) return contentOfFormat(told[1]);
  const has = (prefix: string) => entries.some((entry) => entry.name.toLowerCase().startsWith(prefix));
  if (has("word/")) return contentOfFormat("docx");
  if (has("xl/")) return contentOfFormat("xlsx");
  if (has("ppt/")) return contentOfFormat("pptx");
  if (has("visio/")) return contentOfFormat("vsdx");
  return contentOfFormat("zip");
}

const iWork = ["pages", "numbers", "key"] as const;

function byEntries(names: readonly string[]): Content {
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name));
  if (has(/^word\/document\.xml$/i)) return contentOfFormat("docx");
  if (has(/^xl\/workbook\.(xml|bin)$/i)) return contentOfFormat("xlsx");
  if (has(/^ppt\/presentation\.xml$/i)) return contentOfFormat("pptx");
  if (has(/^META-INF\/container\.xml$/)) return contentOfFormat("epub");
  if (has(/^([^/]+\.(key|pages|numbers)\/)?(Index\/.*\.iwa|Index\.zip|index\.(xml|apxl)(\.gz)?|buildVersionHistory\.plist)$/))
    return iWorkContentOf(has);
  if (has(/^AndroidManifest\.xml$/)) return contentOfFormat("apk", { orNamed: ["zip"] });
  if (has(/^META-INF\/MANIFEST\.MF$/i)) return contentOfFormat("jar", { orNamed: ["zip"] });
  if (has(/^3D\/.*\.model$/i)) return contentOfFormat("3mf");
  const loose: readonly (readonly [RegExp, string])[] = [
    [/^[^/]*\.kml$/i, "kmz"],
    [/\.gdbtable$/i, "gdb"],
    [/\.shp$/i, "shp"],
    [/(^|\/)metainfo\.plist$/, "ufo"],
    [/^[^/]*\.dae$/i, "zae"],
    [/^[^/]*\.pml$/i, "pmlz"],
  ];
  // A ZIP that contains nothing but a shapefile is meant as its map.
  if (
    has(/\.shp$/i) &&
    has(/\.dbf$/i) &&
    names.every((name) => /\/$|\.(?:shp|shx|dbf|prj|qpj|cpg|cst|sbn|sbx|qix|aih|ain|xml)$/i.test(name))
  )
    return contentOfFormat("shp");
  const found = loose.find(([pattern]) => has(pattern));
  if (found !== undefined) return contentOfFormat(found[1], { orNamed: ["zip", "zipx"] });
  if (has(/^metadata\.opf$/) && has(/^index\.html?$/)) return contentOfFormat("htmlz", { orNamed: ["zip"] });
  if (has(/^metadata\.opf$/) && has(/^index\.txt$/)) return contentOfFormat("txtz", { orNamed: ["zip"] });
  return contentOfFormat("zip");
}

function iWorkContentOf(has: (pattern: RegExp) => boolean): Content {
  const format = has(/^(Index\/MasterSlide|index\.apxl)/) ? "key" : has(/^Index\/Tables\//) ? "numbers" : "pages";
  return contentOfFormat(format, { orNamed: [...iWork, "zip"] });
}

/** Entries of the central directory, read from the end of the file; empty if there is none, as in a truncated file. */
async function directoryOf(source: Source): Promise<readonly Entry[]> {
  const tailBytes = Math.min(source.sizeBytes, 65_557);
  const tail = await source.read(source.sizeBytes - tailBytes, tailBytes);
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== endOfDirectory) continue;
    const entries = centralEntriesOf(await source.read(await directoryOffset(source, tail, at), 262_144));
    // Offsets may not include what lies before the archive; the directory ends here anyway.
    const start = source.sizeBytes - tailBytes + at - tail.readUInt32LE(at + 12);
    return entries.length > 0 || start < 0 ? entries : centralEntriesOf(await source.read(start, 262_144));
  }
  return [];
}

/** Zip64 keeps the offset in its own record, found through a locator of 20 bytes before the end record. */
async function directoryOffset(source: Source, tail: Buffer, at: number): Promise<number> {
  const offset = tail.readUInt32LE(at + 16);
  if (offset !== 0xffffffff || at < 20) return offset;
  const record = await source.read(Number(tail.readBigUInt64LE(at - 12)), 56);
  return record.length < 56 || record.readUInt32LE(0) !== endOfDirectory64 ? offset : Number(record.readBigUInt64LE(48));
}

function centralEntriesOf(directory: Buffer): readonly Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === centralHeader && entries.length < maxEntries) {
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
    const zip64 = extraFieldsOf(directory.subarray(nameEnd, extraEnd)).get(1);
    const { compressedBytes, offset } = sizesOf(directory.subarray(at), zip64);
    entries.push({
      name: directory.toString("utf8", at + 46, nameEnd),
      method: directory.readUInt16LE(at + 10),
      packedBytes: compressedBytes,
      headerOffset: offset,
    });
    at = extraEnd + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** Entries according to their local headers, as far as the head reaches and sizes are known. */
function localEntriesOf(head: Buffer): readonly Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  while (at + 30 <= head.length && head.readUInt32LE(at) === localHeader && entries.length < maxEntries) {
    const nameBytes = head.readUInt16LE(at + 26);
    const unknownSize = (head.readUInt16LE(at + 6) & 8) !== 0 && head.readUInt32LE(at + 18) === 0;
    const packedBytes = unknownSize ? maxPackedBytes : head.readUInt32LE(at + 18);
    entries.push({
      name: head.toString("utf8", at + 30, at + 30 + nameBytes),
      method: head.readUInt16LE(at + 8),
      packedBytes,
      headerOffset: at,
    });
    const data = at + 30 + nameBytes + head.readUInt16LE(at + 28);
    at = unknownSize ? nextHeader(head, data) : data + packedBytes;
  }
  return entries;
}

function nextHeader(head: Buffer, from: number): number {
  const next = head.indexOf("PK\x03\x04", from, "latin1");
  return next < 0 ? head.length : next;
}

/** The first bytes of a stored or deflated entry as text; empty if they cannot be read. */
async function textOf(source: Source, entry: Entry): Promise<string> {
  const header = await source.read(entry.headerOffset, 30);
  if (header.length < 30 || header.readUInt32LE(0) !== localHeader) return "";
  const data = entry.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = await source.read(data, Math.min(entry.packedBytes, maxPackedBytes));
  if (entry.method === 0) return packed.toString("utf8");
  return entry.method === 8 ? inflatedHead(packed).toString("utf8") : "";
}

/** What the first bytes of a raw deflate stream decompress to; empty if they are damaged. */
export function inflatedHead(packed: Buffer): Buffer {
  try {
    // SYNC_FLUSH, because the stream may be truncated.
    return inflateRawSync(packed.subarray(0, maxPackedBytes), { finishFlush: 2, maxOutputLength: maxPackedBytes * 1100 });
  } catch {
    return Buffer.alloc(0);
  }
}
