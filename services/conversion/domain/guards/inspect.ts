/** Checks a file with limited reads of its bytes, before any engine sees it. */
import { formatOf } from "#formats/index.ts";
import { isCompoundFile } from "#formats/sniff/compound-directory.ts";
import type { ByteSource } from "./byte-source.ts";
import { inspectCompoundFile } from "./compound-file.ts";
import { assertFrames, frameCountOf } from "./frames.ts";
import { inspectGzip, isGzip } from "./gzip.ts";
import { inspectPackage } from "./package.ts";
import { inspectPngText } from "./png-text.ts";
import { assertPixels, pictureSizeOf } from "./raster.ts";
import { damaged } from "./refusals.ts";
import { assertBegins, isZip } from "./signatures.ts";
import { assertHarmlessEntities, assertPrologEnds, svgSizeOf, xmlTextOf } from "./xml.ts";

/** Formats that are XML, or may be, although their media types do not say so. */
const xmlFormats: ReadonlySet<string> = new Set(["plist"]);

/** Binary and compressed variants start differently. */
function isXml(head: Buffer, format: string): boolean {
  const mayBe = xmlFormats.has(format) || /[+/-]xml$/.test(formatOf(format)?.mime ?? "");
  return mayBe && /^[\s\uFEFF]*(<|$)/.test(xmlTextOf(head));
}

/**
 * Rejects with INVALID_INPUT for anything that cannot be a whole file of its format, PASSWORD_REQUIRED for encrypted files, and
 * INPUT_TOO_COMPLEX for files that declare more pixels, frames, parts or expansion than is safe.
 */
export async function inspectBytes(source: ByteSource, format: string): Promise<void> {
  if (source.sizeBytes === 0) throw damaged("The file is empty.");
  const { head } = source;
  assertBegins(head, format);
  if (isZip(head)) return inspectPackage(source, format);
  if (isCompoundFile(head)) return inspectCompoundFile(source);
  if (isGzip(head) && formatOf(format)?.kind !== "archive") return inspectGzip(source);
  if (isXml(head, format)) return inspectXml(source, format);
  const size = await pictureSizeOf(source, format);
  if (size === undefined) return;
  assertPixels(size);
  assertFrames(await frameCountOf(source, format), size);
  if (format === "png" || format === "apng") await inspectPngText(source);
}

function inspectXml({ head, sizeBytes }: ByteSource, format: string): void {
  const text = xmlTextOf(head);
  if (head.length < sizeBytes) assertPrologEnds(text);
  assertHarmlessEntities(text);
  const size = format === "svg" ? svgSizeOf(text) : undefined;
  if (size !== undefined) assertPixels(size);
}
