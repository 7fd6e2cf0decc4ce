/**
 * Checks document type declarations and sizes in the first bytes of XML, because parsers expand entities and allocate memory without
 * limits.
 */
import type { PictureSize } from "./picture-size.ts";
import { damaged, tooComplex } from "./refusals.ts";

/** The head of an XML file as text, according to its byte order mark, or as UTF-8. */
export function xmlTextOf(head: Uint8Array): string {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return new TextDecoder("utf-16le").decode(head);
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return new TextDecoder("utf-16be").decode(head);
  return new TextDecoder("utf-8").decode(head);
}

const declaration = /<!ENTITY\s+(%\s+)?[^\s>]+\s+(SYSTEM\b|PUBLIC\b|"[^"]*"|'[^']*')/g;
const reference = /&(?!#|amp;|lt;|gt;|quot;|apos;)[^\s;&]+;/;
const maxEntityLength = 1024;

/** Allows short, flat entities, which drawing programs declare for their namespaces, and refuses all others. */
export function assertHarmlessEntities(text: string): void {
  if (!text.includes("<!ENTITY")) return;
  for (const [, parameter, value = ""] of text.matchAll(declaration)) {
    if (parameter !== undefined || /^[SP]/.test(value)) throw damaged("The file declares external entities.");
    if (value.length > maxEntityLength || reference.test(value)) throw tooComplex("The file declares entities that expand into others.");
  }
}

/**
 * Refuses a prolog that ends beyond the bytes read, because entities could be declared after them. Call it with `text` cut off before the
 * file's end.
 */
export function assertPrologEnds(text: string): void {
  let at = 0;
  while (at >= 0) {
    at += /^[\s\uFEFF]*/.exec(text.slice(at, at + 4096))?.[0].length ?? 0;
    if (text.startsWith("<?", at)) at = after(text, "?>", at);
    else if (text.startsWith("<!--", at)) at = after(text, "-->", at);
    else if (text.startsWith("<!DOCTYPE", at)) at = endOfDoctype(text, at);
    // The root element, or no XML at all, where nothing can be declared.
    else if (at < text.length) return;
    else at = -1;
  }
  throw tooComplex("The file has too much data before its content.");
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at < 0 ? -1 : at + end.length;
}

/** Brackets inside quotes and comments do not count. Returns -1 if the declaration does not end. */
function endOfDoctype(text: string, from: number): number {
  let isInside = false;
  for (let at = from; at >= 0 && at < text.length; ) {
    const sign = text[at];
    if (sign === '"' || sign === "'") at = after(text, sign, at + 1);
    else if (text.startsWith("<!--", at)) at = after(text, "-->", at);
    else if (text.startsWith("<?", at)) at = after(text, "?>", at);
    else if (sign === ">" && !isInside) return at + 1;
    else {
      if (sign === "[") isInside = true;
      if (sign === "]") isInside = false;
      at += 1;
    }
    if (at < 0) return -1;
  }
  return -1;
}

const pixelsPerUnit: Readonly<Record<string, number>> = { "": 1, px: 1, pt: 4 / 3, pc: 16, mm: 96 / 25.4, cm: 96 / 2.54, in: 96 };

/** The size in CSS pixels that an SVG's root element requests; undefined if it leaves the size to the viewer. */
export function svgSizeOf(text: string): PictureSize | undefined {
  const root = /<(?:\w+:)?svg\b(?:[^<>"']|"[^"]*"|'[^']*')*>/.exec(text)?.[0];
  if (root === undefined) return undefined;
  const viewBox = /\bviewBox\s*=\s*["']\s*[-+.\deE]+[\s,]+[-+.\deE]+[\s,]+([-+.\deE]+)[\s,]+([-+.\deE]+)/.exec(root);
  const width = lengthOf(root, "width") ?? Number(viewBox?.[1]);
  const height = lengthOf(root, "height") ?? Number(viewBox?.[2]);
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function lengthOf(root: string, attribute: "width" | "height"): number | undefined {
  const values = [...root.matchAll(/\s(width|height)\s*=\s*["']([^"']*)["']/g)].filter(([, name]) => name === attribute);
  const lengths = values.flatMap(([, , value = ""]) => {
    const [, number, unit = ""] = /^([-+.\deE]+)\s*(px|pt|pc|mm|cm|in|)$/.exec(value.trim()) ?? [];
    return number === undefined ? [] : [Number(number) * (pixelsPerUnit[unit] ?? Number.NaN)];
  });
  return lengths[0];
}
