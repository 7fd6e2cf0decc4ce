/**
 * Rewrites a DOCX so that Pandoc reads all of it: the text of boxes among the paragraphs and beside formulas, all columns of tables, characters for the signs
 * of symbol fonts, and headings, code and quotations with style names that Pandoc knows. Other programs name these styles differently, or
 * only use a monospaced font. Pandoc then takes them for ordinary text and drops the leading spaces.
 */
import { unzipSync, type Zippable, zipSync } from "fflate";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { unknownSign } from "#services/conversion/engines/inside/symbol-fonts.ts";
import { hasDrawings, withBoxes } from "./docx-boxes.ts";
import { withChoices } from "./docx-choices.ts";
import { withShownFields } from "./docx-fields.ts";
import { withFormulas } from "./docx-formulas.ts";
import { withGrids } from "./docx-grids.ts";
import { headingStyles, inStyle, withHeadings } from "./docx-headings.ts";
import { hasOwnLabels, withoutHiddenLabels } from "./docx-labels.ts";
import { withUsualNames } from "./docx-names.ts";
import { propertiesOf } from "./docx-properties.ts";
import { hiddenStylesIn, withSigns } from "./docx-signs.ts";
import { writeToHost } from "./exchange.ts";
import { contentOf } from "./remote-file.ts";

/** The document is unpacked in memory and packed again. Larger ones stay as they are. */
const mostBytes = 100_000_000;
const pieceBytes = 2 ** 20;
const [body, styles, comments] = ["word/document.xml", "word/styles.xml", "word/comments.xml"] as const;
const notes = ["word/footnotes.xml", "word/endnotes.xml", comments] as const;

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
  const found = unpacked(packed);
  const usual = found && withUsualNames(found);
  const parts = usual ?? found;
  const textOf = (name: string): string => Buffer.from(parts?.[name] ?? "").toString("utf8");
  const stored = textOf(body);
  const given = textOf(styles);
  const properties = propertiesOf(textOf("docProps/core.xml"), given, textOf("docProps/app.xml"), textOf("docProps/custom.xml"));
  if (parts === undefined || stored === "")
    return { isRewritten: false, comments: 0, linkedPictures: 0, hasChanges: false, left: [], properties };
  const hiddenStyles = hiddenStylesIn(given);
  const fields = withShownFields(withChoices(stored));
  const boxed = withBoxes(fields.document) ?? fields.document;
  const whole = withFormulas(withoutHiddenLabels(withGrids(boxed) ?? boxed, textOf("word/numbering.xml")));
  const signed = new Map(
    [[body, whole] as const, ...notes.map((name) => [name, withChoices(textOf(name))] as const)].map(
      ([name, text]) => [name, withSigns(text, hiddenStyles)] as const,
    ),
  );
  const document = signed.get(body)?.document ?? whole;
  const [named, marked] = [withCodeStyles(given), withMarkedCode(document, given)];
  const headed = withHeadings(marked ?? document, given) ?? marked ?? document;
  const changed: Zippable = {};
  for (const [name, text] of [...signed].map(([name, each]) => [name, name === body ? headed : each.document] as const))
    if (text !== textOf(name)) changed[name] = Buffer.from(text);
  const isRewritten = usual !== undefined || named !== undefined || Object.keys(changed).length > 0;
  const sheet = named ?? given;
  if (isRewritten && sheet !== "") changed[styles] = Buffer.from(sheet.replace("</w:styles>", () => `${added}</w:styles>`));
  if (isRewritten) writePieces(zipSync({ ...parts, ...changed }, { level: 0 }));
  return {
    isRewritten,
    properties,
    comments: textOf(comments).split("<w:comment ").length - 1,
    linkedPictures: linkedPicturesIn(stored, textOf("word/_rels/document.xml.rels")),
    hasChanges: /<w:(?:ins|del|moveFrom|moveTo) /.test(document),
    left: [
      ...([...signed.values()].some(({ hasHidden }) => hasHidden) ? ["Hidden text was left out."] : []),
      ...(hasHeads(parts, textOf) ? ["Page headers and footers were left out."] : []),
      ...(hasOwnLabels(stored, given, textOf("word/numbering.xml"))
        ? ["Heading numbers and list labels, such as § 1 or 1.1, were left out or became plain numbers."]
        : []),
      ...(fields.lost > 0 ? ["Automatic numbers and formulas that fields show were left out."] : []),
      ...objectsIn(Object.keys(parts)),
      ...(hasDrawings(stored) ? ["Drawings were left out."] : []),
      ...(/<w:(?:altChunk|subDoc) /.test(stored) ? ["Documents that are embedded or linked as parts of the text were left out."] : []),
      ...([...signed].some(([name, { document: text }]) => text.includes(unknownSign) && !textOf(name).includes(unknownSign))
        ? [`Signs of fonts without known characters became ${unknownSign}.`]
        : []),
    ],
  };
}

/** Some writers embed an address as if it were a part. */
function linkedPicturesIn(document: string, relations: string): number {
  const links = (relations.match(/<Relationship\s[^<>]*>/g) ?? []).filter((each) => each.includes(' TargetMode="External"'));
  const outside = new Set(links.map((each) => /\sId="([^"]*)"/.exec(each)?.[1]));
  return (document.match(/<a:blip [^<>]*>/g) ?? []).filter((blip) => {
    const own = /\br:embed="([^"]*)"/.exec(blip)?.[1];
    return own === undefined ? /\br:link=/.test(blip) : outside.has(own);
  }).length;
}

const objects = {
  charts: /^word\/charts\/chart/,
  "diagrams (SmartArt)": /^word\/diagrams\/data/,
  "embedded files": /^word\/embeddings\/./,
};

/** What the document shows beside its text, which Pandoc skips without a word. */
function objectsIn(names: readonly string[]): string[] {
  const found = Object.entries(objects).flatMap(([what, pattern]) => (names.some((name) => pattern.test(name)) ? [what] : []));
  const told = found.join(" and ");
  return told === "" ? [] : [`${told.slice(0, 1).toUpperCase()}${told.slice(1)} were left out.`];
}

/** Including those that are drawn, such as watermarks. */
function hasHeads(parts: Readonly<Record<string, Uint8Array>>, textOf: (name: string) => string): boolean {
  return Object.keys(parts).some(
    (name) =>
      /^word\/(?:header|footer)\d*\.xml$/.test(name) && /(?:<w:t(?: [^<>]*)?>|<v:textpath [^<>]*string=")[^<"]*\p{L}/u.test(textOf(name)),
  );
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
