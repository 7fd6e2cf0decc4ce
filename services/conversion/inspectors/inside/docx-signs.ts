/**
 * Text of a Word document that Pandoc omits: ruby text, signs of symbol fonts, text beside pictures and notes, ticked boxes, chosen list
 * entries, and one kind of line break.
 */

import { signOf, unknownSign } from "#services/conversion/engines/inside/symbol-fonts.ts";
import { attributeOf } from "./counts/markup.ts";

export type Signs = {
  readonly document: string;
  /** Text that Word does not show was removed. */
  readonly hasHidden: boolean;
};

/** `hiddenStyles`: ids of styles whose text Word does not show. */
export function withSigns(document: string, hiddenStyles: ReadonlySet<string> = new Set()): Signs {
  const plain = withFields(withReadings(document))
    .replaceAll("<w:cr/>", "<w:br/>")
    .replaceAll("<w:dstrike", "<w:strike")
    .replace(/<w:ptab [^<>]*>/g, "<w:tab/>");
  const runs = plain.split(/(?=<w:r[ >])/);
  let [hasHidden, isInHidden] = [false, false];
  const made = runs.map((run) => {
    const own = run.startsWith("<w:r") ? /^<w:r(?: [^<>]*)?><w:rPr>/.exec(run)?.[0] : undefined;
    const properties = own === undefined ? "" : run.slice(0, Math.max(0, run.indexOf("</w:rPr>")));
    const isOut = isHidden(properties, hiddenStyles, isInHidden) && run.startsWith("<w:r") && /<w:t[ >]/.test(run);
    isInHidden = hidesNext(run, hiddenStyles) ?? isInHidden;
    if (isOut) {
      hasHidden = true;
      return withoutTexts(run);
    }
    return separated(withCharacters(run, properties), properties);
  });
  return { document: made.join(""), hasHidden };
}

function isHidden(properties: string, styles: ReadonlySet<string>, isInHidden: boolean): boolean {
  const direct = /<w:vanish(?: w:val="([^"]{0,9})")? ?\/>/.exec(properties);
  if (direct !== null) return /^(?:1|true|on)$/.test(direct[1] ?? "1");
  return isInHidden || (styles.size > 0 && styles.has(/<w:rStyle w:val="([^"]{0,200})"/.exec(properties)?.[1] ?? ""));
}

/** Whether the paragraph that begins after a run is in a hidden style. Undefined if none begins. */
function hidesNext(run: string, styles: ReadonlySet<string>): boolean | undefined {
  if (styles.size === 0) return undefined;
  const start = Math.max(run.lastIndexOf("<w:p>"), run.lastIndexOf("<w:p "));
  return start < 0 ? undefined : styles.has(/<w:pStyle w:val="([^"]{0,200})"/.exec(run.slice(start))?.[1] ?? "");
}

/** The ids of styles that hide their text, themselves or by the style that they are based on. */
export function hiddenStylesIn(sheet: string): ReadonlySet<string> {
  const based = new Map<string, string>();
  const hidden = new Set<string>();
  for (const style of sheet.includes("<w:vanish") ? sheet.split("<w:style ").slice(1) : []) {
    const id = attributeOf(` ${style.slice(0, 600)}`, "w:styleId") ?? "";
    based.set(id, /<w:basedOn w:val="([^"]{0,200})"/.exec(style)?.[1] ?? "");
    const own = style.split("</w:style>")[0] ?? "";
    if (isHidden(own.replace(/<w:tblStylePr .*/s, ""), new Set(), false)) hidden.add(id);
  }
  // As deep as Word follows them.
  for (let depth = 0; depth < 10; depth += 1) for (const [id, base] of based) if (hidden.has(base)) hidden.add(id);
  return hidden;
}

/** Drawings and properties contain alternatives too, for a position or a font. */
const afterOwn =
  /(<\/w:(?:drawing|pict|object|fldChar)>(?:<\/mc:(?:Choice|Fallback)><\/mc:AlternateContent>)?|<w:(?:drawing|pict|object|(?:foot|end)noteReference|fldChar)(?: [^<>]*)?\/>)(?=\s{0,99}<(?:w:(?!object\w|control)|mc:))/g;
const beforeOwn =
  /(<\/w:(?:t|delText|instrText)>|<w:(?:tab|br|sym|noBreakHyphen|lastRenderedPageBreak)(?: [^<>]*)?\/>)(?=\s{0,99}<(?:w:(?:drawing|pict|object|(?:foot|end)noteReference|fldChar)|mc:AlternateContent)[ />])/g;

/** Pandoc reads nothing else in a run with a picture, a note or the mark of a field. */
const separated = (run: string, properties: string): string => {
  // Tracked changes of properties contain others.
  const own = properties === "" || properties.includes("<w:rPrChange") ? "<w:r>" : `${properties}</w:rPr>`;
  const next = (_whole: string, end: string): string => `${end}</w:r>${own}`;
  return run.replace(afterOwn, next).replace(beforeOwn, next);
};

/** A run ends with its own end tag. What follows belongs to the paragraph. */
function withoutTexts(run: string): string {
  const end = run.indexOf("</w:r>");
  const own = end < 0 ? run : run.slice(0, end);
  return own.replace(/<w:t(?: [^<>]*)?>[^<]*<\/w:t>|<w:(?:tab|br|sym)(?: [^<>]*)?\/>/g, "") + run.slice(own.length);
}

function withCharacters(run: string, properties: string): string {
  const shown = run.includes("<w:sym ") ? run.replace(/<w:sym [^<>]*>/g, characterOf) : run;
  const font = /<w:rFonts [^<>]*w:ascii="((?:Wingdings(?: 2)?|Webdings|Symbol))"/i.exec(properties)?.[1];
  if (font === undefined) return shown;
  const signed = (text: string) =>
    text.replace(/[\u0020-\u00ff\uf020-\uf0ff]/g, (letter) => escaped(signOf(font, letter.charCodeAt(0)) ?? letter));
  const texts = /(<w:t(?: [^<>]*)?>)([^<&]*)(?=<\/w:t>)/g;
  return shown.replace(texts, (_whole, tag: string, text: string) => `${tag}${signed(text)}`);
}

const escaped = (text: string): string => text.replace("&", "&amp;").replace("<", "&lt;");

/** Pandoc converts the characters of the font Symbol, and leaves out those of other symbol fonts. */
function characterOf(tag: string): string {
  const font = attributeOf(tag, "w:font") ?? "";
  const code = Number.parseInt(attributeOf(tag, "w:char") ?? "", 16);
  if (font.toLowerCase() === "symbol" || Number.isNaN(code)) return tag;
  // Private-use characters have a meaning only in their font, and so do letters in a symbol font.
  const isLetter = code >= 0x20 && code < 0xe000 && !/wingdings|webdings|dingbats|mt extra/i.test(font);
  return `<w:t>${signOf(font, code) ?? (isLetter ? escaped(String.fromCodePoint(code)) : unknownSign)}</w:t>`;
}

const inside = (text: string, name: string): string => {
  const [start, end] = [text.indexOf(`<${name}>`), text.indexOf(`</${name}>`)];
  return start < 0 || end < start ? "" : text.slice(start + name.length + 2, end);
};

/** Writes ruby text in brackets after its letters, as is usual where there is no room above them: 漢字(かんじ). */
function withReadings(document: string): string {
  const [before = "", ...parts] = document.split("<w:ruby>");
  const text = (content: string) => `<w:r><w:t>${content}</w:t></w:r>`;
  const made = parts.map((part) => {
    const end = part.indexOf("</w:ruby>");
    if (end < 0) return `<w:ruby>${part}`;
    const ruby = part.slice(0, end);
    // The contents of a run become separate runs.
    const runs = `${inside(ruby, "w:rubyBase")}${text("(")}${inside(ruby, "w:rt")}${text(")")}`;
    return `</w:r>${runs}<w:r>${part.slice(end + "</w:ruby>".length)}`;
  });
  return before + made.join("");
}

/** Boxes and lists of a form contain no text except for the selection. */
function withFields(document: string): string {
  const parts = document.split("<w:ffData>");
  const made = parts.map((part, place) => {
    const next = parts[place + 1];
    const at = part.lastIndexOf("<w:fldChar ");
    const chosen = next === undefined ? "" : chosenOf(next.slice(0, Math.max(0, next.indexOf("</w:ffData>"))));
    return chosen === "" || at < 0 ? part : `${part.slice(0, at)}<w:t>${chosen}</w:t></w:r><w:r>${part.slice(at)}`;
  });
  return made.join("<w:ffData>");
}

function chosenOf(field: string): string {
  const box = inside(field, "w:checkBox");
  const stateOf = (from: string, name: string): string | undefined => {
    const at = from.indexOf(`<w:${name}`);
    return at < 0 ? undefined : (attributeOf(from.slice(at, from.indexOf(">", at)), "w:val") ?? "1");
  };
  if (box !== "") return /^(?:1|true|on)$/.test(stateOf(box, "checked") ?? stateOf(box, "default") ?? "0") ? "☒" : "☐";
  const list = inside(field, "w:ddList");
  const entries = list.match(/<w:listEntry [^<>]*>/g) ?? [];
  const place = Number(stateOf(list, "result") ?? stateOf(list, "default") ?? 0);
  // An attribute is escaped like text, except for quotation marks, which are allowed in text too.
  return attributeOf(entries[place] ?? "", "w:val") ?? "";
}
