/** Documents and archives that are zip files: bombs, passwords and traps, told from the directory and the parts' first bytes. */
import { formatOf } from "#formats/index.ts";
import { type ByteSource, windowOf } from "./byte-source.ts";
import { damaged, locked, tooComplex } from "./refusals.ts";
import { assertHarmlessEntities, assertPrologEnds, xmlTextOf } from "./xml.ts";
import { inflatesAsStated, readEntryHead, readZipDirectory, type ZipEntry } from "./zip-directory.ts";

/** Real documents compress up to some 50 to 1; only above this size does more of it matter. */
const maxRatio = 100;
const unsuspiciousBytes = 100_000_000;
const maxExpandedBytes = 2_000_000_000;
/** More than any archive that passes its ceiling needs. */
const maxArchiveBytes = 20_000_000_000;
/** Of one byte deflate makes no more. */
const maxDeflation = 1032;
const maxXmlParts = 10_000;
const partHeadBytes = 1024;
const manifestBytes = 262_144;

export async function inspectPackage(source: ByteSource, format: string): Promise<void> {
  const entries = await readZipDirectory(source);
  assertSafeEntries(entries, source.sizeBytes, formatOf(format)?.kind === "archive" ? maxArchiveBytes : maxExpandedBytes);
  if (formatOf(format)?.kind === "archive") return;
  if (entries.length === 0) throw damaged("The file is empty.");
  await assertUnlocked(source, entries);
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
  await assertTrueSizes(source, entries);
}

/** Counts while inflating, since the directory may lie; not where even a lie could not reach an amount that matters. */
async function assertTrueSizes(source: ByteSource, entries: readonly ZipEntry[]): Promise<void> {
  if (source.sizeBytes * maxDeflation <= unsuspiciousBytes) return;
  const forward = windowOf(source);
  for (const entry of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (!(await inflatesAsStated(forward, entry))) throw tooComplex("The file expands to more than it says.");
  }
}

/** What the directory alone decides. */
export function assertSafeEntries(entries: readonly ZipEntry[], sizeBytes: number, maxBytes: number): void {
  if (entries.some((entry) => entry.isEncrypted)) throw locked();
  if (entries.some(({ isLink }) => isLink)) throw damaged("The file has a part that is a link.");
  if (entries.some(({ name }) => leavesFolder(name))) throw damaged("The file has a part whose name leaves its folder.");
  const expandedBytes = entries.reduce((sum, entry) => sum + entry.sizeBytes, 0);
  if (expandedBytes > maxBytes || (expandedBytes > unsuspiciousBytes && expandedBytes > sizeBytes * maxRatio)) {
    throw tooComplex("The file expands to far more than its size.");
  }
  let end = 0;
  for (const { offset, compressedBytes } of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < end) throw tooComplex("Parts of the file overlap.");
    end = offset + 30 + compressedBytes;
  }
  if (end > sizeBytes) throw damaged();
}

function leavesFolder(name: string): boolean {
  return /^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)|\0/.test(name);
}

/** Fonts may be scrambled by these without a key; anything else is a password or DRM (EPUB OCF 3.3, 4.2.5). */
const fontScrambling = /http:\/\/(www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)/;

async function assertUnlocked(source: ByteSource, entries: readonly ZipEntry[]): Promise<void> {
  const text = async (name: string): Promise<string> => {
    const entry = entries.find((candidate) => candidate.name === name);
    return entry === undefined ? "" : xmlTextOf((await readEntryHead(source, entry, manifestBytes)) ?? Buffer.alloc(0));
  };
  if ((await text("META-INF/manifest.xml")).includes("encryption-data")) throw locked();
  for (const [, algorithm = ""] of (await text("META-INF/encryption.xml")).matchAll(
    /EncryptionMethod\s[^>]*Algorithm\s*=\s*["']([^"']*)/g,
  )) {
    if (!fontScrambling.test(algorithm)) throw locked();
  }
}
