/** Text of a file, extracted by programs that did not write it, or found in its bytes. */
import { readFile } from "node:fs/promises";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { bookTextOf } from "#test/contract/readers-ebook.ts";
import type { KnownFile } from "#test/prove/samples.ts";
import { python, textFrom } from "./program.ts";

export type Reading = { readonly reader: string; readonly text: string };

/** Every text member of a ZIP, with its checksum verified. */
const unzip =
  "import sys, re, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n" +
  "for n in z.namelist():\n if re.search(r'\\.(xml|xhtml|html?|opf|ncx|txt|rels|fpage)$', n) and z.getinfo(n).file_size < 2**24: print(z.read(n).decode('utf-8', 'replace'))";

/** Headers and text of every mail, decoded. */
const mail =
  "import sys, re, email, email.policy\nraw = open(sys.argv[1], 'rb').read()\n" +
  "for part in re.split(rb'(?m)^From .*\\n', raw):\n m = email.message_from_bytes(part, policy=email.policy.default)\n" +
  " for k, v in m.items(): print(k, v)\n for p in m.walk():\n  if p.get_content_maintype() == 'text': print(p.get_content())";

/** Books with compressed text, and the program that unpacks them here. */
const packedBooks = new Map([
  ...["mobi", "prc", "azw"].map((id) => [id, "mupdf"] as const),
  ...["azw3", "tcr", "pdb", "lrf", "rb", "pmlz"].map((id) => [id, "bytes"] as const),
]);

const xmlFormats = new Set("xhtml fodt fods fodp fodg uot uos uop docx2003 xlsx2003 docbook jats tei opml fb2 icml svg ttml".split(" "));

export async function textOf({ path, format }: KnownFile, writer?: string): Promise<Reading> {
  const unpacker = packedBooks.get(format);
  if (unpacker !== undefined) return { reader: unpacker, text: withoutTags(await bookTextOf(path, format)) };
  const bytes = await readFile(path);
  if (bytes.subarray(0, 5).toString("latin1") === "%PDF-") return pdfText(path, writer);
  if (bytes.subarray(0, 4).toString("latin1") === "PK\x03\x04") {
    const text = await python(unzip, path);
    return { reader: "zip", text: withoutTags(text) };
  }
  if (xmlFormats.has(format)) return { reader: "xml", text: xmlText(bytes.toString("utf8")) };
  if (bytes.subarray(0, 5).toString("latin1") === "{\\rtf") return { reader: "bytes", text: rtfText(bytes.toString("latin1")) };
  if (format === "ps" || format === "eps")
    return {
      reader: "ghostscript",
      text: await textFrom("gs", "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=txtwrite", "-sOutputFile=-", path),
    };
  if (format === "eml" || format === "mbox") return { reader: "python", text: await python(mail, path) };
  if (bytes.includes(0)) return { reader: "bytes", text: binaryText(bytes) };
  const text = bytes.toString("utf8");
  return { reader: "bytes", text: /<[a-z!?]/i.test(text) ? `${withoutTags(text)} ${text}` : unescaped(text) };
}

async function pdfText(path: string, writer: string | undefined): Promise<Reading> {
  if (writer === "poppler") return { reader: "mupdf", text: await textFrom("mutool", "draw", "-q", "-F", "txt", "-o", "-", path) };
  return { reader: "poppler", text: await textFrom("pdftotext", "-enc", "UTF-8", path, "-") };
}

export async function pagesOf(path: string): Promise<number> {
  return Number(/^Pages:\s+(\d+)/m.exec(await textFrom("pdfinfo", path))?.[1] ?? 0);
}

/** Rejects malformed XML. */
function xmlText(text: string): string {
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw new Error(`not well-formed XML: ${valid.err.msg}`);
  return withoutTags(text);
}

export function withoutTags(text: string): string {
  const words = text.replaceAll(/<(script|style)\b[\s\S]*?<\/\1>/gi, "").replaceAll(/<[^>]*>/g, "");
  // Text in attributes of drawings and outlines.
  const attributes = [...text.matchAll(/(?:text|_note|content|title|alt|Name)="([^"]+)"/g)].map(([, value]) => value).join(" ");
  return entities(`${words} ${attributes}`);
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  euro: "€",
  Uuml: "Ü",
  iuml: "ï",
  ccedil: "ç",
  oslash: "ø",
  egrave: "è",
  eacute: "é",
};

export function entities(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return named[name ?? ""] ?? whole;
  });
}

/** Windows-1252 as \'xx, everything else as \uN. */
function rtfText(text: string): string {
  const decoder = new TextDecoder("windows-1252");
  return text
    .replaceAll(/\\u(-?\d+)(?: ?\\'[0-9a-f]{2}| ?\?|)/gi, (_, code: string) => String.fromCharCode((Number(code) + 65_536) % 65_536))
    .replaceAll(/\\'([0-9a-f]{2})/gi, (_, hex: string) => decoder.decode(Uint8Array.of(Number.parseInt(hex, 16))))
    .replaceAll(/\\[a-z]+-?\d* ?/gi, "")
    .replaceAll(/[{}\r\n]/g, "");
}

/** UTF-8, Windows-1252 and UTF-16 at either offset: the encodings of text in old binary formats. */
function binaryText(bytes: Buffer): string {
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
  const odd = bytes.subarray(1, bytes.length - ((bytes.length - 1) % 2));
  return [bytes.toString("utf8"), new TextDecoder("windows-1252").decode(bytes), even.toString("utf16le"), odd.toString("utf16le")].join(
    "\n",
  );
}

/** Escapes of TeX, man and the like, which some writers prefer to the character. */
function unescaped(text: string): string {
  return `${entities(text)} ${text
    .replaceAll(/\\\[u([0-9A-F]{4,6})\]/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll(/\\\[(.)([:`'^,~/])\]|\\\((.)([:`'^,/])/g, (_, a?: string, mark?: string, b?: string, other?: string) =>
      composed(a ?? b ?? "", mark ?? other ?? ""),
    )
    .replaceAll(/[\\@]([:`'^~"])\{?\\?([a-zA-Z])\}?/g, (_, mark: string, letter: string) => composed(letter, mark))
    .replaceAll(/@,\{(.)\}/g, (_, letter: string) => composed(letter, ","))
    .replaceAll(/@o\{\}|\\\[\/o\]/g, "ø")
    .replaceAll(/\\([^a-zA-Z0-9])/g, "$1")}`;
}

const marks: Readonly<Record<string, string>> = {
  ":": "\u0308",
  '"': "\u0308",
  "`": "\u0300",
  "'": "\u0301",
  "^": "\u0302",
  ",": "\u0327",
  "~": "\u0303",
};

function composed(letter: string, mark: string): string {
  return mark === "/" ? ({ o: "ø", O: "Ø" }[letter] ?? letter) : `${letter}${marks[mark] ?? ""}`.normalize("NFC");
}

/** Without blanks and case, as programs break lines and words arbitrarily. */
export function squeezed(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s\u00ad\u200b\u2010-\u2015-]+/gu, "");
}

/** The share of words found in the text. */
export function recallOf(words: readonly string[], text: string): number {
  if (words.length === 0) throw new Error("nothing is known to be in the sample");
  const whole = squeezed(text);
  return words.filter((word) => whole.includes(squeezed(word))).length / words.length;
}

/** Every leaf of parsed XML, for tables stored in it. */
export function xmlLeaves(text: string): readonly string[] {
  const leaves: string[] = [];
  const visit = (value: unknown): void => {
    if (value !== null && typeof value === "object") for (const each of Object.values(value)) visit(each);
    else leaves.push(String(value));
  };
  visit(new XMLParser({ ignoreAttributes: false, parseTagValue: false, parseAttributeValue: false }).parse(text));
  return leaves;
}
