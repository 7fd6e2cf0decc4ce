import { CFB } from "@e965/xlsx";

/** A single XML file; a ZIP may contain one uncompressed. */
export function isFlat(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 4096)).toString("latin1");
  return !start.startsWith("PK") && start.includes("<office:document");
}

/** The part of a ZIP, or a flat file as a whole; undefined if it is not an OpenDocument. */
export function openDocumentPart(bytes: Uint8Array, name: "content.xml" | "meta.xml"): string | undefined {
  if (isFlat(bytes)) return Buffer.from(bytes).toString();
  const start = Buffer.from(bytes.subarray(0, 512)).toString("latin1");
  if (!start.startsWith("PK") || !start.includes("opendocument")) return undefined;
  const part = CFB.find(CFB.read(Buffer.from(bytes), { type: "buffer" }), `/${name}`)?.content;
  return part === undefined ? undefined : Buffer.from(part).toString();
}

/**
 * Whether it was written by an office, which recalculates before saving and omits an
 * empty result. Other programs omit the results of formulas that they leave to an office.
 */
export function isComputed(bytes: Uint8Array): boolean {
  return /<meta:generator>(LibreOffice|Collabora|OpenOffice)/.test(openDocumentPart(bytes, "meta.xml") ?? "");
}

/** The raw value, or empty. */
export function attributeOf(attributes: string, name: string): string {
  const found = attributes.split(`${name}=`, 2)[1] ?? "";
  return found.slice(1).split(found.charAt(0), 1)[0] ?? "";
}
