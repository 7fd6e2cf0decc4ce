/**
 * Adds the end tags of cells and rows that HTML allows authors to omit. Without them, Pandoc takes a table for paragraphs.
 * @see https://html.spec.whatwg.org/#optional-tags
 */
import { tagsIn } from "#services/conversion/engines/inside/html-tags.ts";

/** The nesting level of each part of a table. */
const levels = new Map([
  ...["caption", "colgroup", "thead", "tbody", "tfoot"].map((name) => [name, 1] as const),
  ["tr", 2],
  ...["td", "th"].map((name) => [name, 3] as const),
]);
const childless = new Set(["caption", "colgroup"]);

/** Undefined if nothing is missing. */
export function withCellEnds(html: string): string | undefined {
  const tables: string[][] = [];
  const pieces: string[] = [];
  let copied = 0;
  for (const { name, isEnd, isEmpty, at } of tagsIn(html)) {
    const open = tables.at(-1);
    if (name === "table" && !isEnd) {
      if (!isEmpty) tables.push([]);
      continue;
    }
    const level = levels.get(name);
    if (open === undefined || (level === undefined && name !== "table")) continue;
    const kept = name === "table" ? 0 : isEnd ? open.lastIndexOf(name) : firstEnded(open, level ?? 0);
    // An end tag without a start tag.
    if (kept < 0) continue;
    const ended = open.splice(kept).reverse();
    if (isEnd && name !== "table") ended.pop();
    if (ended.length > 0) {
      pieces.push(html.slice(copied, at), ...ended.map((each) => `</${each}>`));
      copied = at;
    }
    if (name === "table") tables.pop();
    else if (!isEnd && !isEmpty) open.push(name);
  }
  return pieces.length === 0 ? undefined : [...pieces, html.slice(copied)].join("");
}

/** The index of the first part that ends when one of this level begins. */
function firstEnded(open: readonly string[], level: number): number {
  const place = open.findIndex((each) => (levels.get(each) ?? 0) >= level || childless.has(each));
  return place < 0 ? open.length : place;
}
