/** Rewrites a book so that Pandoc finds its footnotes, reads all of its chapters, and names its authors in their order. */
import { type Zippable, zipSync } from "fflate";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { withoutEscapes } from "#services/conversion/engines/inside/entities.ts";
import { unpacked, writePieces } from "./docx-code.ts";
import { withoutHidden } from "./html-hidden.ts";
import { sheetsIn } from "./html-hiding-rules.ts";
import { leftIn, withAllParts } from "./html-readable.ts";
import { targetsIn, withNoteAnchors } from "./note-anchors.ts";
import { contentOf } from "./remote-file.ts";

/** Writes the rewritten book if there is something to change. */
export async function readableEpub(file: ByteSource): Promise<Answer<"readableEpub">> {
  const parts = unpacked(await contentOf(file)) ?? {};
  const sheets = Map.groupBy(
    Object.keys(parts)
      .filter((name) => name.endsWith(".css"))
      .map((name) => ({ file: fileOf(name), text: textIn(parts, name) })),
    ({ file }) => file,
  );
  const beside = (file: string) => (sheets.get(file) ?? []).map(({ text }) => text);
  const chapters = Object.keys(parts)
    .filter((name) => /\.x?html?$/i.test(name))
    .map((name) => shownPage(textIn(parts, name), name, beside));
  const targets = new Set(chapters.flatMap(({ shown }) => targetsIn(shown)));
  const files = new Set(chapters.map(({ name }) => fileOf(name)));
  const books = Object.keys(parts).filter((each) => each.endsWith(".opf"));
  const packages = books.map((name) => Buffer.from(parts[name] ?? "").toString("utf8"));
  const known = new Set(packages.flatMap(wordsOf));
  const read = new Set(packages.flatMap(pagesIn));
  const changed: Zippable = {};
  let linkedPictures = 0;
  for (const { name, page, shown: text } of chapters) {
    const whole = withAllParts(text);
    const marked = withNoteAnchors(whole ?? text, targets) ?? whole ?? text;
    const made = withoutNavigation(withPlainPaths(withTitlePage(marked, known), files), read.has(fileOf(name)));
    if (made !== page) changed[name] = Buffer.from(made);
  }
  const pictures = new Set(chapters.flatMap(({ shown }) => picturesIn(shown)));
  for (const name of books) {
    const text = Buffer.from(parts[name] ?? "").toString("utf8");
    linkedPictures += drawnPagesIn(text);
    const made = withOneCover(withWholeSpine(withTurnedNames(text)), pictures);
    if (made !== text) changed[name] = Buffer.from(made);
  }
  const isRewritten = Object.keys(changed).length > 0;
  if (isRewritten) writePieces(zipSync({ ...parts, ...changed }, { level: 0 }));
  return { isRewritten, left: leftIn(chapters), linkedPictures };
}

/** A page without what it hides, itself or by style sheets of the book. */
function shownPage(page: string, name: string, beside: (file: string) => readonly string[]) {
  const linked = new Set((page.match(/<link\s[^<>]*>/gi) ?? []).map((tag) => fileOf(valueIn(tag, "href"))));
  const sheets = [...linked.values().flatMap(beside), ...sheetsIn(page)];
  return { name, page, sheets, shown: withoutHidden(page, sheets) ?? page };
}

const textIn = (parts: Readonly<Record<string, Uint8Array>>, name: string): string => Buffer.from(parts[name] ?? "").toString("utf8");

const wordsOf = (text: string): readonly string[] =>
  text
    .replace(/<[^<>]*>|&[a-z]+;/gi, " ")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Pandoc leaves out title pages, which may hold more than the title and the authors, such as a dedication or a picture. */
function withTitlePage(page: string, known: ReadonlySet<string>): string {
  const title = /(\s(?:epub:)?type\s*=\s*["'][^"'<>]*)\btitlepage\b/g;
  if (!title.test(page)) return page;
  const body = page.slice(Math.max(0, page.search(/<body\b/i)));
  return /<(?:img|svg|image|object)\b/i.test(body) || wordsOf(body).some((word) => !known.has(word))
    ? page.replace(title, "$1halftitle")
    : page;
}

/** Pages that are drawings, which Pandoc leaves out. */
function drawnPagesIn(text: string): number {
  const drawings = new Set(
    (text.match(/<(?:\w+:)?item\s[^<>]*>/g) ?? [])
      .filter((item) => valueIn(item, "media-type") === "image/svg+xml")
      .map((item) => valueIn(item, "id")),
  );
  return (text.match(/<(?:\w+:)?itemref\s[^<>]*>/g) ?? []).filter((page) => drawings.has(valueIn(page, "idref"))).length;
}

const valueIn = (tag: string, key: string): string =>
  Array.from(tag.matchAll(/\s([\w:-]{1,40})\s*=\s*["']([^"'<>]*)["']/g)).find(([, name]) => name === key)?.[2] ?? "";

const fileOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Pandoc knows chapters by their file names alone, and takes `../Text/notes.xhtml#n1` for a link out of the book. */
function withPlainPaths(page: string, files: ReadonlySet<string>): string {
  const toChapter = /(\shref\s*=\s*["'])([^"'#<>:]{1,1000}\/)([^"'#<>:/]{1,300})(?=["'#])/g;
  return page.replace(toChapter, (whole, start: string, _folder, file: string) => (files.has(withoutEscapes(file)) ? start + file : whole));
}

/** Lists for reading systems, which are usually hidden. Pandoc leaves out every table of contents, but one among the chapters is read. */
function withoutNavigation(page: string, isRead: boolean): string {
  const pieces = page.split(/(?=<nav\s)|(?<=<\/nav>)/).map((piece) => {
    const tag = /^<nav\s[^<>]*>/.exec(piece)?.[0] ?? "";
    const kind = valueIn(tag, "epub:type");
    if (kind === "landmarks" || kind === "page-list") return "";
    return kind === "toc" && isRead && !/\shidden\b/.test(tag) ? piece.replace(/\sepub:type\s*=\s*["']toc["']/, "") : piece;
  });
  return pieces.join("");
}

/** The files of the pages that are read in their order. */
function pagesIn(text: string): readonly string[] {
  const items = new Map((text.match(/<(?:\w+:)?item\s[^<>]*>/g) ?? []).map((item) => [valueIn(item, "id"), fileOf(valueIn(item, "href"))]));
  const pages = (text.match(/<(?:\w+:)?itemref\s[^<>]*>/g) ?? []).filter((page) => valueIn(page, "linear") !== "no");
  return pages.map((page) => items.get(valueIn(page, "idref")) ?? "");
}

const picturesIn = (page: string): string[] =>
  Array.from(page.matchAll(/<img\s[^<>]*?\bsrc\s*=\s*["']([^"'<>]{1,1000})["']/g), ([, source = ""]) => fileOf(source));

/** Pandoc begins with the picture of the cover, even if the first page has it as well. */
function withOneCover(text: string, pictures: ReadonlySet<string>): string {
  const named = (text.match(/<meta\s[^<>]*>/g) ?? []).find((meta) => valueIn(meta, "name") === "cover");
  const id = named && valueIn(named, "content");
  const items = text.match(/<(?:\w+:)?item\s[^<>]*>/g) ?? [];
  const cover = items.find((item) => /\bcover-image\b/.test(valueIn(item, "properties")) || valueIn(item, "id") === id);
  if (cover === undefined || !pictures.has(fileOf(valueIn(cover, "href")))) return text;
  const plain = cover.replace(/(\sproperties\s*=\s*["'][^"'<>]*)\bcover-image\b/, "$1");
  return (named === undefined ? text : text.replace(named, "")).replace(cover, plain);
}

/** Pandoc leaves out chapters aside from the order of reading, such as answers. */
const withWholeSpine = (text: string): string => text.replace(/(<(?:\w+:)?itemref\s[^<>]*?)\slinear\s*=\s*["']no["']/g, "$1");

/** Pandoc lists titles and authors from last to first. */
function withTurnedNames(text: string): string {
  return [/<dc:title[ >][^<]*<\/dc:title>/g, /<dc:creator[ >][^<]*<\/dc:creator>/g].reduce((made, element) => {
    const found = made.match(element) ?? [];
    return made.replace(element, () => found.pop() ?? "");
  }, text);
}
