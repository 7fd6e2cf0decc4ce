import { CFB } from "@e965/xlsx";

/** One XML file, not a ZIP, which may hold its parts as they are. */
export function isFlat(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 4096)).toString("latin1");
  return !start.startsWith("PK") && start.includes("<office:document");
}

/** Of a ZIP its part, of a flat file the whole; undefined for what is no OpenDocument. */
export function openDocumentPart(bytes: Uint8Array, name: "content.xml" | "meta.xml"): string | undefined {
  if (isFlat(bytes)) return Buffer.from(bytes).toString();
  const start = Buffer.from(bytes.subarray(0, 512)).toString("latin1");
  if (!start.startsWith("PK") || !start.includes("opendocument")) return undefined;
  const part = CFB.find(CFB.read(Buffer.from(bytes), { type: "buffer" }), `/${name}`)?.content;
  return part === undefined ? undefined : Buffer.from(part).toString();
}

/**
 * Whether an office wrote it that computes before it saves, and writes the result "" as none. Other programs write none either, for
 * formulas that they leave to an office.
 */
export function isComputed(bytes: Uint8Array): boolean {
  return /<meta:generator>(LibreOffice|Collabora|OpenOffice)/.test(openDocumentPart(bytes, "meta.xml") ?? "");
}

/** As it is written, or nothing. */
export function attributeOf(attributes: string, name: string): string {
  const found = attributes.split(`${name}=`, 2)[1] ?? "";
  return found.slice(1).split(found.charAt(0), 1)[0] ?? "";
}
