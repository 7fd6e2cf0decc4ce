/**
 * Text of a Word document that Pandoc omits: ruby text, signs of symbol fonts, ticked boxes, chosen list entries, and one kind of line
 * break.
 */
import { attributeOf } from "./counts/markup.ts";
import { signOf, unknownSign } from "./symbol-fonts.ts";

export type Signs = {
  readonly document: string;
  /** Text that Word does not show was removed. */
  readonly hasHidden: boolean;
};

export function withSigns(document: string): Signs {
  const plain = withFields(withReadings(document))
    .replaceAll("<w:cr/>", "<w:br/>")
    .replaceAll("<w:dstrike", "<w:strike")
    .replace(/<w:ptab [^<>]*>/g, "<w:tab/>");
  const runs = plain.split(/(?=<w:r[ >])/);
  let hasHidden = false;
  const made = runs.map((run) => {
    const own = run.startsWith("<w:r") ? /^<w:r(?: [^<>]*)?><w:rPr>/.exec(run)?.[0] : undefined;
    const properties = own === undefined ? "" : run.slice(0, Math.max(0, run.indexOf("</w:rPr>")));
    if (isHidden(properties) && /<w:t[ >]/.test(run)) {
      hasHidden = true;
      return withoutTexts(run);
    }
    return withCharacters(run, properties);
  });
  return { document: made.join(""), hasHidden };
}

const isHidden = (properties: string): boolean => /<w:vanish(?:\/| w:val="(?:1|true|on)")/.test(properties);

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
