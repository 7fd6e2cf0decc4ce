/** Outlook keeps many a page only inside rich text. @see [MS-OXRTFEX] and [MS-OXRTFCP] */
import { decompressRTF } from "@kenjiuno/decompressrtf";

/** What holds within a pair of braces. */
type Group = {
  /** Fonts, colours and styles, which a page has in its own way. */
  readonly isSkipped: boolean;
  /** Rich text for what a tag says. */
  readonly isRtf: boolean;
  readonly codePage: number;
  /** How many characters stand for a Unicode one before them. */
  readonly substitutes: number;
};

const token = /\\([a-z]+)(-?\d+)? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;

const written: Readonly<Record<string, string>> = {
  ...{ par: "\r\n", line: "\r\n", row: "\r\n", nestrow: "\r\n", page: "\r\n", sect: "\r\n", tab: "\t", cell: "\t", nestcell: "\t" },
  ...{ bullet: "•", endash: "–", emdash: "—", emspace: "\u2003", enspace: "\u2002", qmspace: "\u2005" },
  ...{ lquote: "‘", rquote: "’", ldblquote: "“", rdblquote: "”", "~": "\u00a0", _: "\u00ad", "{": "{", "}": "}", "\\": "\\" },
};

const skipped = /^(?:fonttbl|colortbl|stylesheet|info|pict|object|mhtmltag)$/;

/** Code pages of the character sets of fonts. */
const charsets: Readonly<Record<string, number>> = {
  ...{ 0: 1252, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251 },
  ...{ 222: 874, 238: 1250 },
};

const maxCompressed = 4_000_000;

type Decode = (bytes: Uint8Array, codePage: number) => string;

export type Rich = {
  readonly html?: string;
  readonly text?: string;
  /** The text was written as such. */
  readonly isPlain: boolean;
};

/** The page that it was made from, or its text; undefined if it cannot be read. */
export function richTextIn(compressed: Uint8Array, decode: Decode): Rich | undefined {
  const bytes = Buffer.from(compressed);
  // The library reads as far as the length says, into a list of up to eight times as many numbers.
  const length = bytes.length < 16 ? 0 : bytes.readInt32LE(0);
  if (length < 12 || length + 4 > Math.min(bytes.length, maxCompressed)) return undefined;
  if (!/^(LZFu|MELA)/.test(bytes.toString("latin1", 8, 12))) return undefined;
  const rtf = Buffer.from(decompressRTF([...bytes])).toString("latin1");
  const [, kind] = /^\{\\rtf1?[^{}]*\\from(html1|text)\b/.exec(rtf.slice(0, 1000)) ?? [];
  if (!rtf.startsWith("{\\rtf")) return undefined;
  const shown = shownOf(rtf, decode);
  return kind === "html1" ? { html: shown, isPlain: false } : { text: shown.replaceAll("\0", "").trimEnd(), isPlain: kind === "text" };
}

function shownOf(rtf: string, decode: Decode): string {
  const codePageOf = codePagesOf(rtf);
  const outer: Group[] = [];
  let group: Group = { isSkipped: false, isRtf: false, codePage: codePageOf(undefined), substitutes: 1 };
  let toSkip = 0;
  let pending = "";
  const page: string[] = [];
  const flush = () => {
    if (pending !== "") page.push(decode(Buffer.from(pending, "latin1"), group.codePage));
    pending = "";
  };
  const write = (text: string) => {
    const rest = text.slice(toSkip);
    toSkip -= text.length - rest.length;
    if (!group.isSkipped && !group.isRtf) pending += rest;
  };
  for (const [, word, number, hex, symbol, brace, text] of rtf.matchAll(token)) {
    if (text !== undefined) write(text);
    else if (hex !== undefined) write(String.fromCharCode(Number.parseInt(hex, 16)));
    else if (brace === "{") outer.push(group);
    else if (word === "u" && number !== undefined) {
      flush();
      if (!group.isSkipped && !group.isRtf) page.push(String.fromCharCode(Number(number) & 0xffff));
      toSkip = group.substitutes;
    } else if (brace === "}") {
      flush();
      group = outer.pop() ?? group;
    } else if (symbol === "*") group = { ...group, isSkipped: true };
    else if (Object.hasOwn(written, word ?? symbol ?? "")) {
      flush();
      if (toSkip > 0) toSkip -= 1;
      else if (!group.isSkipped && !group.isRtf) page.push(written[word ?? symbol ?? ""] ?? "");
    } else if (word !== undefined) {
      flush();
      group = changed(group, word, number, codePageOf);
    }
  }
  flush();
  return page.join("");
}

function changed(group: Group, word: string, number: string | undefined, codePageOf: (font: string | undefined) => number): Group {
  if (word === "htmltag") return { ...group, isSkipped: false };
  if (word === "htmlrtf") return { ...group, isRtf: number !== "0" };
  if (word === "uc") return { ...group, substitutes: Math.max(0, Number(number ?? 1)) };
  if (word === "f") return { ...group, codePage: codePageOf(number) };
  return skipped.test(word) ? { ...group, isSkipped: true } : group;
}

function codePagesOf(rtf: string): (font: string | undefined) => number {
  const head = rtf.slice(0, 20_000);
  const usual = Number(/\\ansicpg(\d+)/.exec(head)?.[1] ?? 1252);
  const fonts = new Map(
    [...head.matchAll(/\{\\f(\d+)([^{};]*)/g)].map(([, font, more = ""]) => [font, charsets[/\\fcharset(\d+)/.exec(more)?.[1] ?? ""]]),
  );
  return (font) => fonts.get(font) ?? usual;
}
