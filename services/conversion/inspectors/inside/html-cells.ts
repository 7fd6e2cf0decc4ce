/**
 * Adds the end tags of cells and rows that HTML allows authors to omit. Without them, Pandoc takes a table for paragraphs.
 * @see https://html.spec.whatwg.org/#optional-tags
 */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { writeToHost } from "./exchange.ts";
import { targetsIn, withNoteAnchors } from "./note-anchors.ts";
import { contentOf } from "./remote-file.ts";

/** Far more than Pandoc can read with its memory limit. */
const mostBytes = 64 * 2 ** 20;

/** Writes the rewritten page if a tag is missing. Tags are ASCII in every encoding that pages use, except for those with two bytes. */
export async function readableHtml(file: ByteSource): Promise<Answer<"readableHtml">> {
  const page = file.sizeBytes > mostBytes ? "" : (await contentOf(file)).toString("latin1");
  const ended = withCellEnds(page);
  const made = withNoteAnchors(ended ?? page, new Set(targetsIn(page))) ?? ended;
  if (made !== undefined) writeToHost(Buffer.from(made, "latin1"));
  return { isRewritten: made !== undefined };
}

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

type Tag = { readonly name: string; readonly isEnd: boolean; readonly isEmpty: boolean; readonly at: number };

/** Elements in which nothing else is a tag. */
const rawTexts = new Set(["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"]);

function* tagsIn(html: string): Generator<Tag> {
  const start = /<(\/?)([a-zA-Z][a-zA-Z0-9:-]{0,40})/y;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    if (html.startsWith("<!--", at)) {
      const end = html.indexOf("-->", at + 4);
      if (end < 0) return;
      at = end;
      continue;
    }
    start.lastIndex = at;
    const [whole, slash, found = ""] = start.exec(html) ?? [];
    if (whole === undefined) {
      at += 1;
      continue;
    }
    const name = found.toLowerCase();
    const end = endOfTag(html, at + whole.length);
    yield { name, isEnd: slash === "/", isEmpty: html.charAt(end - 2) === "/", at };
    at = end;
    if (slash === "/" || !rawTexts.has(name)) continue;
    at = endOfRawText(html, name, at);
  }
}

function endOfRawText(html: string, name: string, from: number): number {
  for (let at = html.indexOf("</", from); at >= 0; at = html.indexOf("</", at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  }
  return html.length;
}

/** The position after the `>` that ends a tag. One inside an attribute's value does not count. */
function endOfTag(html: string, from: number): number {
  for (let at = from; at < html.length; at += 1) {
    const sign = html.charAt(at);
    if (sign === ">") return at + 1;
    if (sign !== "=") continue;
    while (/\s/.test(html.charAt(at + 1))) at += 1;
    const quote = html.charAt(at + 1);
    if (quote !== '"' && quote !== "'") continue;
    const end = html.indexOf(quote, at + 2);
    if (end < 0) return html.length;
    at = end;
  }
  return html.length;
}
