/**
 * Checks documents and archives that are ZIP files for bombs, passwords and traps, using the directory and the first bytes of the parts.
 */

import { FilemillError } from "#contract/errors.ts";
import { formatOf } from "#formats/index.ts";
import { type ByteSource, windowOf } from "./byte-source.ts";
import { damaged, locked, tooComplex } from "./refusals.ts";
import { isZip } from "./signatures.ts";
import { assertHarmlessEntities, assertPrologEnds, xmlTextOf } from "./xml.ts";
import { inflatesAsStated, openEntry, readEntryHead, readZipDirectory, type ZipEntry } from "./zip-directory.ts";

/** Real documents compress up to about 50 to 1. A higher ratio only matters above this size. */
const maxRatio = 100;
const unsuspiciousBytes = 100_000_000;
const maxExpandedBytes = 2_000_000_000;
/** As much as the engine unpacks. */
const maxArchiveBytes = 4_000_000_000;
/** Deflate expands one byte to at most this many. */
const maxDeflation = 1032;
const maxXmlParts = 10_000;
const partHeadBytes = 1024;
const manifestBytes = 262_144;

export async function inspectPackage(source: ByteSource, format: string): Promise<void> {
  const entries = await readZipDirectory(source);
  // The files in an archive are passed on as they are, so their content is not checked.
  const isArchive = formatOf(format)?.kind === "archive";
  // The engine for archives checks where links lead. Documents never contain links.
  if (!isArchive && entries.some(({ isLink }) => isLink)) throw damaged("The file contains a link as a part.");
  assertSafeEntries(entries, source.sizeBytes, isArchive ? maxArchiveBytes : maxExpandedBytes);
  // A reader of archives trusts the stated length, and would silently omit the rest of a part.
  if (isArchive) return assertTrueSizes(source, entries, { also: "harmless lies" });
  if (entries.length === 0) throw damaged("The file is empty.");
  await assertUnlocked(source, entries);
  await inspectParts(source, entries);
  await assertTrueSizes(source, entries);
  await inspectNested(source, entries, { outerBytes: source.sizeBytes, expandedBytes: sumOf(entries), unpackedBytes: 0 });
}

async function inspectParts(source: ByteSource, entries: readonly ZipEntry[]): Promise<void> {
  // The only two methods that documents may use. Others expand one byte to a million.
  if (entries.some(({ method }) => method !== 0 && method !== 8))
    throw damaged("The file uses a compression method that documents do not use.");
  const parts = entries.filter(({ name }) => /\.(xml|rels|opf|xhtml|html?|ncx|svg)$/i.test(name));
  if (parts.length > maxXmlParts) throw tooComplex("The file has too many parts inside.");
  const forward = windowOf(source);
  for (const part of parts.toSorted((a, b) => a.offset - b.offset)) {
    const head = await readEntryHead(forward, part, partHeadBytes);
    if (head === undefined) continue;
    const text = xmlTextOf(head);
    if (head.length < part.sizeBytes) assertPrologEnds(text);
    assertHarmlessEntities(text);
  }
}

/** More levels than a table in a document in a presentation. */
const maxNesting = 3;
/** Total for nested packages that are compressed again, which are decompressed in memory. Stored ones are read in place. */
const maxUnpackedBytes = 128_000_000;

/** Totals across all levels so far. */
type Nest = { readonly outerBytes: number; expandedBytes: number; unpackedBytes: number };

/** Office programs open embedded documents. The limits apply to all of them together. */
async function inspectNested(source: ByteSource, entries: readonly ZipEntry[], nest: Nest, level = 1): Promise<void> {
  const forward = windowOf(source);
  for (const entry of entries.toSorted((a, b) => a.offset - b.offset)) {
    const head = await readEntryHead(forward, entry, partHeadBytes);
    if (head === undefined || !isZip(head)) continue;
    if (level > maxNesting) throw tooComplex("The file has packages nested too deeply.");
    const inner = await unpacked(source, entry, nest);
    if (inner === undefined) continue;
    const found = await readZipDirectory(inner).catch(nothingDamaged);
    nest.expandedBytes += sumOf(found);
    assertExpansion(nest.expandedBytes, nest.outerBytes, maxExpandedBytes);
    assertApart(found);
    await assertTrueSizes(inner, found);
    await inspectNested(inner, found, nest, level + 1);
  }
}

/** Undefined for a damaged package. A package that exceeds the limits is refused, because it could not be checked. */
async function unpacked(source: ByteSource, entry: ZipEntry, nest: Nest): Promise<ByteSource | undefined> {
  if (entry.method !== 0) nest.unpackedBytes += entry.sizeBytes;
  if (nest.unpackedBytes > maxUnpackedBytes) throw tooComplex("The file has too many packages inside.");
  return openEntry(source, entry);
}

/** An attachment that is no whole package is harmless. */
function nothingDamaged(error: unknown): readonly ZipEntry[] {
  if (error instanceof FilemillError && error.code === "INVALID_INPUT") return [];
  throw error;
}

function sumOf(entries: readonly ZipEntry[]): number {
  return entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** Counts while decompressing, because the directory may lie. By default, skips files where even a lie could not reach a dangerous size. */
async function assertTrueSizes(source: ByteSource, entries: readonly ZipEntry[], { also }: { also?: "harmless lies" } = {}): Promise<void> {
  const isHarmless = source.sizeBytes * maxDeflation <= unsuspiciousBytes;
  if (isHarmless && also === undefined) return;
  const forward = windowOf(source);
  const sorted = entries.toSorted((a, b) => a.offset - b.offset);
  for (const [index, entry] of sorted.entries()) {
    // The compressed length may lie as well. A reader that follows the data continues at most to the start of the next entry.
    const end = sorted[index + 1]?.offset ?? source.sizeBytes;
    if (await inflatesAsStated(forward, entry, end)) continue;
    throw isHarmless
      ? damaged("A part of the archive is longer than its header says.")
      : tooComplex("The file expands to more than its header says.");
  }
}

/** Checks that need only the directory. */
export function assertSafeEntries(entries: readonly ZipEntry[], sizeBytes: number, maxBytes: number): void {
  if (entries.some((entry) => entry.isEncrypted)) throw locked();
  if (entries.some(({ name }) => leavesFolder(name))) throw damaged("The file has a part whose name points outside its folder.");
  assertExpansion(sumOf(entries), sizeBytes, maxBytes);
  if (assertApart(entries) > sizeBytes) throw damaged();
}

function assertExpansion(expandedBytes: number, sizeBytes: number, maxBytes: number): void {
  if (expandedBytes > maxBytes || (expandedBytes > unsuspiciousBytes && expandedBytes > sizeBytes * maxRatio)) {
    throw tooComplex("The file expands to far more than its size.");
  }
}

/** Returns where the last entry ends. */
function assertApart(entries: readonly ZipEntry[]): number {
  let end = 0;
  for (const { offset, compressedBytes } of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < end) throw tooComplex("Parts of the file overlap.");
    end = offset + 30 + compressedBytes;
  }
  return end;
}

function leavesFolder(name: string): boolean {
  return /^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)|\0/.test(name);
}

/** These algorithms scramble fonts without a key. Anything else means a password or DRM (EPUB OCF 3.3, 4.2.5). */
const fontScrambling = /http:\/\/(www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)/;

async function assertUnlocked(source: ByteSource, entries: readonly ZipEntry[]): Promise<void> {
  const text = async (name: string): Promise<string> => {
    const entry = entries.find((candidate) => candidate.name === name);
    return entry === undefined ? "" : xmlTextOf((await readEntryHead(source, entry, manifestBytes)) ?? Buffer.alloc(0));
  };
  if ((await text("META-INF/manifest.xml")).includes("encryption-data")) throw locked();
  for (const [, algorithm = ""] of (await text("META-INF/encryption.xml")).matchAll(
    /<[^\s<>]*EncryptionMethod\s[^<>]*Algorithm\s*=\s*["']([^"']*)/g,
  )) {
    if (!fontScrambling.test(algorithm)) throw locked();
  }
}
