/**
 * Rewrites a DOCX so that Pandoc reads all of it: the text of boxes among the paragraphs, all columns of tables, characters for the signs
 * of symbol fonts, and headings, code and quotations with style names that Pandoc knows. Other programs name these styles differently, or
 * only use a monospaced font. Pandoc then takes them for ordinary text and drops the leading spaces.
 */
import { unzipSync, type Zippable, zipSync } from "fflate";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { withBoxes } from "./docx-boxes.ts";
import { withGrids } from "./docx-grids.ts";
import { headingStyles, inStyle, withHeadings } from "./docx-headings.ts";
import { hasOwnLabels } from "./docx-labels.ts";
import { withSigns } from "./docx-signs.ts";
import { writeToHost } from "./exchange.ts";
import { contentOf } from "./remote-file.ts";

/** The document is unpacked in memory and packed again. Larger ones stay as they are. */
const mostBytes = 100_000_000;
const pieceBytes = 2 ** 20;
const [body, styles, comments] = ["word/document.xml", "word/styles.xml", "word/comments.xml"] as const;

const codeName =
  /^(?:preformatted text|html preformatted|html code|html typewriter|html sample|source (?:code|text)|code(?: ?block)?|macro ?text|teletype)$/i;
const quoteName = /^(?:quotations?|block quotation)$/i;
const fixedFont = /w:(?:ascii|hAnsi)="(?:[^"]{0,60}\b(?:mono|courier|consolas|menlo|monaco|terminal)\b[^"]{0,60})"/i;
const [blockStyle, letterStyle] = ["FilemillCode", "FilemillLetters"] as const;
const added =
  `<w:style w:type="paragraph" w:styleId="${blockStyle}"><w:name w:val="Source Code"/></w:style>` +
  `<w:style w:type="character" w:styleId="${letterStyle}"><w:name w:val="Verbatim Char"/></w:style>${headingStyles}`;

/** Writes the rewritten document if there is something to change. */
export async function readableDocx(file: ByteSource): Promise<Answer<"readableDocx">> {
  const packed = await contentOf(file);
  const unchanged = { isRewritten: false, comments: 0, hasChanges: false, hasHidden: false, hasHeads: false, hasLabels: false };
  const parts = unpacked(packed);
  const text = parts?.[body];
  if (parts === undefined || text === undefined) return unchanged;
  const stored = Buffer.from(text).toString("utf8");
  const boxless = withBoxes(stored);
  const { document, hasHidden } = withSigns(withGrids(boxless ?? stored) ?? boxless ?? stored);
  const textOf = (name: string): string => Buffer.from(parts[name] ?? "").toString("utf8");
  const told = {
    comments: textOf(comments).split("<w:comment ").length - 1,
    hasChanges: /<w:(?:ins|del|moveFrom|moveTo) /.test(document),
    hasHidden,
    hasHeads: Object.keys(parts).some(
      (name) => /^word\/(?:header|footer)\d*\.xml$/.test(name) && /<w:t(?: [^<>]*)?>[^<]*\p{L}/u.test(textOf(name)),
    ),
    hasLabels: hasOwnLabels(stored, textOf(styles), textOf("word/numbering.xml")),
  };
  const given = textOf(styles);
  const [named, marked] = [withCodeStyles(given), withMarkedCode(document, given)];
  const headed = withHeadings(marked ?? document, given) ?? marked ?? document;
  if (named === undefined && headed === stored) return { ...told, isRewritten: false };
  const changed: Zippable = { ...parts, [body]: Buffer.from(headed) };
  const sheet = named ?? given;
  if (sheet !== "") changed[styles] = Buffer.from(sheet.replace("</w:styles>", () => `${added}</w:styles>`));
  writePieces(zipSync(changed, { level: 0 }));
  return { ...told, isRewritten: true };
}

export function writePieces(made: Uint8Array): void {
  for (let at = 0; at < made.length; at += pieceBytes) writeToHost(Buffer.from(made.subarray(at, at + pieceBytes)));
}

/** Undefined if the file is too large, or damaged, which is left to the reader. */
export function unpacked(packed: Buffer): Record<string, Uint8Array> | undefined {
  try {
    let total = 0;
    const measure = ({ originalSize }: { readonly originalSize: number }): boolean => {
      total += originalSize;
      return false;
    };
    unzipSync(packed, { filter: measure });
    return total > mostBytes ? undefined : unzipSync(packed);
  } catch {
    return undefined;
  }
}

/** Undefined if no style is for code or quotations. */
export function withCodeStyles(sheet: string): string | undefined {
  let hasChanged = false;
  const renamed = sheet.split("<w:style ").map((style, place) => {
    if (place === 0) return style;
    const name = /<w:name w:val="([^"]{0,200})"/.exec(style)?.[1] ?? "";
    const isLetters = style.slice(0, 400).includes('w:type="character"');
    const isBlock = style.slice(0, 400).includes('w:type="paragraph"') && !style.slice(0, 400).includes('w:default="1"');
    const isCode = (isLetters || isBlock) && (codeName.test(name) || (!/^(?:heading|title|toc)/i.test(name) && fixedFont.test(style)));
    const wanted = isCode ? (isLetters ? "Verbatim Char" : "Source Code") : isBlock && quoteName.test(name) ? "Block Text" : name;
    if (wanted === name) return style;
    hasChanged = true;
    return style.replace(`<w:name w:val="${name}"`, () => `<w:name w:val="${wanted}"`);
  });
  return hasChanged ? renamed.join("<w:style ") : undefined;
}

/** Undefined if no text is monospaced, or most of it is, which suggests a typewriter's page. */
export function withMarkedCode(document: string, sheet: string): string | undefined {
  const names = namesOf(sheet);
  const isFixed = (text: string): boolean => fixedFont.test(text) || isVerbatim(text, names);
  const paragraphs = document.split("</w:p>");
  // A style for code never means a typewriter, however often it is used.
  const typed = paragraphs.filter((paragraph) => fixedFont.test(paragraph)).length;
  if (!paragraphs.some(isFixed) || typed * 2 > paragraphs.filter(hasText).length) return undefined;
  let tables = 0;
  return paragraphs
    .map((paragraph) => {
      tables += paragraph.split("<w:tbl>").length - paragraph.split("</w:tbl>").length;
      return isFixed(paragraph) ? marked(paragraph, tables > 0, names) : paragraph;
    })
    .join("</w:p>");
}

/** Style names by id. */
function namesOf(sheet: string): ReadonlyMap<string, string> {
  const styles = sheet.split("<w:style ").slice(1);
  return new Map(
    styles.map((style) => [
      /w:styleId="([^"]{0,200})"/.exec(style.slice(0, 600))?.[1] ?? "",
      /<w:name w:val="([^"]{0,200})"/.exec(style)?.[1] ?? "",
    ]),
  );
}

function isVerbatim(text: string, names: ReadonlyMap<string, string>): boolean {
  const style = /<w:rStyle w:val="([^"]{0,200})"/.exec(text)?.[1];
  const name = style === undefined ? "" : (names.get(style) ?? "");
  return name === "Verbatim Char" || codeName.test(name);
}

const hasText = (run: string): boolean => run.includes("<w:t>") || run.includes("<w:t ");

/** Whether a paragraph may become a code block. Markdown allows none in cells, list items and headings. An undefined style says nothing. */
function mayBeBlock(own: string, isInTable: boolean, names: ReadonlyMap<string, string>, isOfStyles: boolean): boolean {
  if (isInTable || own.includes("<w:numPr>")) return false;
  const style = /<w:pStyle w:val="([^"]{0,200})"/.exec(own)?.[1];
  const name = style === undefined ? "" : names.get(style);
  // If the characters have a style of their own, they become a block only if the paragraph's own style is undefined.
  return isOfStyles ? name === undefined : name === undefined || !/^(?:heading|title|subtitle|list|toc|caption)/i.test(name);
}

function marked(paragraph: string, isInTable: boolean, names: ReadonlyMap<string, string>): string {
  const start = Math.max(paragraph.lastIndexOf("<w:p>"), paragraph.lastIndexOf("<w:p "));
  if (start < 0) return paragraph;
  const [before, own] = [paragraph.slice(0, start), paragraph.slice(start)];
  const runs = own.split(/(?=<w:r[ >])/);
  const texts = runs.filter(hasText);
  const isOfStyles = texts.some((run) => !fixedFont.test(run));
  const isAll = texts.length > 0 && texts.every((run) => fixedFont.test(run) || isVerbatim(run, names));
  if (isAll && mayBeBlock(own, isInTable, names, isOfStyles)) return before + inStyle(own, blockStyle);
  const letters = `<w:rPr><w:rStyle w:val="${letterStyle}"/>`;
  const styled = runs.map((run) =>
    hasText(run) && fixedFont.test(run) && !run.includes("<w:rStyle ") ? run.replace("<w:rPr>", () => letters) : run,
  );
  return before + styled.join("");
}
