/** Document type declarations and sizes in the first bytes of XML, which parsers expand or allocate for without asking. */
import type { PictureSize } from "./raster.ts";
import { damaged, tooComplex } from "./refusals.ts";

/** Text of the head of an XML file by its byte order mark, or as UTF-8. */
export function xmlTextOf(head: Uint8Array): string {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return new TextDecoder("utf-16le").decode(head);
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return new TextDecoder("utf-16be").decode(head);
  return new TextDecoder("utf-8").decode(head);
}

const declaration = /<!ENTITY\s+(%\s+)?[^\s>]+\s+(SYSTEM\b|PUBLIC\b|"[^"]*"|'[^']*')/g;
const reference = /&(?!#|amp;|lt;|gt;|quot;|apos;)[^\s;]+;/;
const maxEntityLength = 1024;

/** Lets short, flat entities pass, as drawing programs declare for their namespaces, and refuses the rest. */
export function assertHarmlessEntities(text: string): void {
  if (!text.includes("<!ENTITY")) return;
  for (const [, parameter, value = ""] of text.matchAll(declaration)) {
    if (parameter !== undefined || /^[SP]/.test(value)) throw damaged("The file declares entities that are kept outside of it.");
    if (value.length > maxEntityLength || reference.test(value)) throw tooComplex("The file declares entities that expand into others.");
  }
}

const pixelsPerUnit: Readonly<Record<string, number>> = { "": 1, px: 1, pt: 4 / 3, pc: 16, mm: 96 / 25.4, cm: 96 / 2.54, in: 96 };

/** The size that an SVG's root element asks for in CSS pixels; undefined when it leaves that to the viewer. */
export function svgSizeOf(text: string): PictureSize | undefined {
  const root = /<(?:\w+:)?svg\b[^>]*>/.exec(text)?.[0];
  if (root === undefined) return undefined;
  const viewBox = /\bviewBox\s*=\s*["']\s*[-+.\deE]+[\s,]+[-+.\deE]+[\s,]+([-+.\deE]+)[\s,]+([-+.\deE]+)/.exec(root);
  const width = lengthOf(root, "width") ?? Number(viewBox?.[1]);
  const height = lengthOf(root, "height") ?? Number(viewBox?.[2]);
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function lengthOf(root: string, attribute: string): number | undefined {
  const found = new RegExp(`\\s${attribute}\\s*=\\s*["']\\s*([-+.\\deE]+?)\\s*(px|pt|pc|mm|cm|in|)\\s*["']`).exec(root);
  const factor = pixelsPerUnit[found?.[2] ?? ""];
  return found === null || factor === undefined ? undefined : Number(found[1]) * factor;
}
