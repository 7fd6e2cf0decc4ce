/** RTF whose letters are bytes of code pages, as text of plain Unicode: some readers take every byte for Windows-1252. */
import { isUtf8 } from "node:buffer";

const flushAt = 256 * 1024;
/** Deeper than any writer nests; beyond it a group keeps the state of the one around it. */
const maxDepth = 10_000;
const western = "windows-1252";

/** What decodes a code page of Windows by its number (`\ansicpg`, `\cpg`). @see RTF 1.9.1, "Character Set" */
const labelOfCodePage: Readonly<Record<string, string>> = {
  "866": "ibm866",
  "874": "windows-874",
  "932": "shift_jis",
  "936": "gbk",
  "949": "euc-kr",
  "950": "big5",
  "1250": "windows-1250",
  "1251": "windows-1251",
  "1253": "windows-1253",
  "1254": "windows-1254",
  "1255": "windows-1255",
  "1256": "windows-1256",
  "1257": "windows-1257",
  "1258": "windows-1258",
  "10000": "macintosh",
  "10007": "x-mac-cyrillic",
  "65001": "utf-8",
};

/** The code page of a font by its `\fcharset`. @see RTF 1.9.1, "Font Table" */
const codePageOfCharset: Readonly<Record<string, string>> = {
  "0": "1252",
  "2": "1252",
  "77": "10000",
  "128": "932",
  "129": "949",
  "134": "936",
  "136": "950",
  "161": "1253",
  "162": "1254",
  "163": "1258",
  "177": "1255",
  "178": "1256",
  "186": "1257",
  "204": "1251",
  "222": "874",
  "238": "1250",
};

type Group = { readonly font: string; readonly fallbackLength: number };

/** Whether a document names a code page other than the western one. */
export function namesCodePage(bytes: Buffer): boolean {
  const source = bytes.toString("latin1");
  return /\\mac\b|\\(?:ansicpg|cpg)(?!1252\b)\d|\\fcharset(?![012]\b)\d/.test(source);
}

/**
 * The document in pieces, every letter of a code page other than the western one as itself; the rest stays as it is written.
 * What cannot be decoded becomes U+FFFD. The pieces come often enough for others to have a turn between them.
 */
export function* decodeCodePages(bytes: Buffer): Generator<string> {
  const source = bytes.toString("latin1");
  // Many escapes at once: some documents are nothing else.
  const token = /(?:\\'[0-9a-f]{2}){1,500}|\\([a-z]{1,32})(-?\d{1,10})? ?|\\[^a-z]|[{}]|[^\\{}]+|\\/gi;
  const reading = new Reading(isUtf8(bytes), /\\mac\b/.test(source.slice(0, 4096)) ? "10000" : "1252");
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    const [text, name, value = ""] = match;
    if (text.startsWith("\\'")) reading.escapes(text);
    else if (reading.isOpen && /^[\r\n]+$/.test(text)) continue;
    else if (reading.isOpen && trailOf(text) !== undefined) {
      // Writers leave the second byte of a letter as it is where it is ASCII.
      reading.letter((trailOf(text) ?? "").charCodeAt(0));
      if (!text.startsWith("\\")) token.lastIndex = match.index + 1;
    } else if (name === "bin") token.lastIndex += Math.max(Number(value), 0);
    else if (name !== undefined) reading.word(text, name, value);
    else reading.plain(text);
    if (reading.pieces.length > flushAt && !reading.isOpen) yield reading.take();
  }
  yield reading.take();
}

/** Where a reading of the document stands. */
class Reading {
  pieces = "";
  /** Whether the last byte begins a letter of two. */
  isOpen = false;
  readonly #fontPages = new Map<string, string>();
  readonly #decoders = new Map<string, InstanceType<typeof TextDecoder>>();
  readonly #outer: Group[] = [];
  readonly #rawIsUtf8: boolean;
  #documentPage: string;
  #defaultFont = "";
  #font = "";
  /** How many characters stand for a reader that knows no Unicode, and how many of them are still to come. */
  #fallbackLength = 1;
  #toSkip = 0;
  #depth = 0;
  #label = western;
  #letters: number[] = [];
  #followsWord = false;

  constructor(rawIsUtf8: boolean, documentPage: string) {
    this.#rawIsUtf8 = rawIsUtf8;
    this.#documentPage = documentPage;
    this.#choose(this.#font);
  }

  /** Each of four characters. */
  escapes(text: string): void {
    const fallback = text.slice(0, this.#toSkip * 4);
    const rest = text.slice(fallback.length);
    if (fallback !== "") this.#add(fallback);
    this.#toSkip -= fallback.length / 4;
    if (this.#label !== western) for (let at = 2; at < rest.length; at += 4) this.letter(Number.parseInt(rest.slice(at, at + 2), 16));
    else if (rest !== "") this.#add(rest);
  }

  letter(byte: number): void {
    this.#letters.push(byte);
    this.isOpen = !this.isOpen && isLead(this.#label, byte);
    if (!this.isOpen && this.#letters.length >= 4096) this.#endLetters();
  }

  word(text: string, name: string, value: string): void {
    this.#add(text);
    this.#followsWord = !text.endsWith(" ");
    this.#toSkip = name === "u" ? this.#fallbackLength : 0;
    if (name === "uc") this.#fallbackLength = Math.min(Math.max(Number(value), 0), 16);
    else if (name === "deff") this.#defaultFont = value;
    else if (name === "ansicpg" && value !== "0") this.#documentPage = value;
    else if (name === "cpg") this.#fontPages.set(this.#font, value);
    else if (name === "fcharset" && value !== "1") this.#fontPages.set(this.#font, codePageOfCharset[value] ?? this.#documentPage);
    else if (name !== "f" && name !== "plain") return;
    this.#choose(name === "f" ? value : name === "plain" || name === "deff" ? this.#defaultFont : this.#font);
  }

  plain(text: string): void {
    this.#endLetters();
    if (text === "{") {
      if (this.#depth < maxDepth) this.#outer.push({ font: this.#font, fallbackLength: this.#fallbackLength });
      this.#depth += 1;
      this.#toSkip = 0;
    } else if (text === "}") {
      this.#depth -= 1;
      const group = this.#depth < maxDepth ? this.#outer.pop() : undefined;
      if (group !== undefined) {
        this.#fallbackLength = group.fallbackLength;
        this.#choose(group.font);
      }
      this.#toSkip = 0;
    } else if (!text.startsWith("\\")) this.#toSkip = Math.max(0, this.#toSkip - text.length);
    const isAscii = /^[\0-\x7f]*$/.test(text);
    this.#add(isAscii ? text : this.#decoderOf(this.#rawIsUtf8 ? "utf-8" : this.#label).decode(Buffer.from(text, "latin1")));
  }

  /** What has been read since it was last taken. */
  take(): string {
    this.#endLetters();
    const { pieces } = this;
    this.pieces = "";
    return pieces;
  }

  #choose(font: string): void {
    this.#font = font;
    this.#label = labelOfCodePage[this.#fontPages.get(font) ?? this.#documentPage] ?? western;
  }

  #add(text: string): void {
    this.#endLetters();
    this.pieces += text;
    this.#followsWord = false;
  }

  #endLetters(): void {
    if (this.#letters.length === 0) return;
    const text = this.#decoderOf(this.#label).decode(Uint8Array.from(this.#letters));
    this.pieces += (this.#followsWord ? " " : "") + text.replace(/[\\{}]/g, String.raw`\$&`);
    this.#letters = [];
    this.#followsWord = false;
    this.isOpen = false;
  }

  #decoderOf(label: string): InstanceType<typeof TextDecoder> {
    const decoder = this.#decoders.get(label) ?? new TextDecoder(label);
    this.#decoders.set(label, decoder);
    return decoder;
  }
}

function isLead(label: string, byte: number): boolean {
  if (label === "shift_jis") return (byte > 0x80 && byte < 0xa0) || (byte > 0xdf && byte < 0xfd);
  return /^(gbk|euc-kr|big5)$/.test(label) && byte > 0x80 && byte < 0xff;
}

/** The ASCII character that ends a letter of two bytes, itself or after a backslash. */
function trailOf(text: string): string | undefined {
  const escapedTrail = /^\\([\\{}])$/.exec(text)?.[1];
  return escapedTrail ?? /^[@-[\]-z|~]/.exec(text)?.[0];
}
