/** What an e-book says about itself. */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { decodeEntities } from "#services/conversion/engines/inside/entities.ts";
import { attributeOf, scanMarkup } from "./counts/markup.ts";
import { openPackage } from "./counts/parts.ts";
import { Uncountable } from "./counts/uncountable.ts";

type Property = Answer<"bookProperties">["properties"][number];

const most = 200;
const longest = 1000;
/** Where books of these kinds say what they are. */
const headBytes = 262_144;

/** Nothing for formats whose properties are not known here, and for files whose properties cannot be read. */
export async function bookPropertiesOf(file: ByteSource, { format }: { readonly format?: unknown }): Promise<Answer<"bookProperties">> {
  try {
    const found = (await propertiesOf(file, String(format))).map(({ name, value }) => ({ name, value: plain(value) }));
    return { properties: found.filter(({ name, value }) => isTold(name, value)).slice(0, most) };
  } catch (error) {
    if (error instanceof Uncountable || error instanceof RangeError) return { properties: [] };
    throw error;
  }
}

async function propertiesOf(file: ByteSource, format: string): Promise<readonly Property[]> {
  if (format === "epub" || format === "htmlz" || format === "txtz") {
    const parts = await openPackage(file);
    const list = parts.names.find((name) => name.endsWith(".opf"));
    return list === undefined ? [] : packageProperties(await parts.text(list));
  }
  if (format === "fb2") return fictionBookProperties(decoded(await bytesAt(file, 0, Math.min(headBytes, file.sizeBytes))));
  if (format === "mobi" || format === "azw3") return await kindleProperties(file);
  return [];
}

const untagged = (text: string): string => text.replace(/<\/?[a-z][^<>]*>/gi, " ");

/** A description may be a page of its own. */
const plain = (text: string): string =>
  untagged(decodeEntities(untagged(text)))
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, longest);

/** Every book has an identifier, but only that of its edition means something to people. Calibre names itself. */
function isTold(name: string, value: string): boolean {
  if (name === "identifier") return !/uuid/i.test(value) && /97[89]\d{10}|^\d{9}[\dXx]$/.test(value.replace(/[^\dXx]/g, ""));
  return value !== "" && !/^calibre[ :]/i.test(value) && value !== "Unknown";
}

/** Of a date, programs keep at least the year. */
const yearOf = (value: string): Property => ({ name: "year", value: value.trim().slice(0, 4) });
const ofDublinCore = new Set(
  "title creator contributor description subject publisher rights source type format relation coverage identifier language date".split(" "),
);

/** @see EPUB 3.3, 5.5.3 */
function packageProperties(text: string): readonly Property[] {
  const found: Property[] = [];
  let open: { name: string; value: string } | undefined;
  // Other dates are those of the file.
  const isOfFile = (name: string, tag: string) =>
    name === "date" && !/^(?:publication|creation)?$/.test(attributeOf(tag, "opf:event") ?? "");
  scanMarkup(text, {
    onTag(name, tag) {
      if (open !== undefined && name === `/${open.name}`) {
        found.push(open.name === "meta" ? { name: "series", value: open.value } : open.name === "date" ? yearOf(open.value) : open);
        open = undefined;
      } else if (tag.startsWith("<dc:") && !tag.endsWith("/>") && ofDublinCore.has(name) && !isOfFile(name, tag))
        open = { name, value: "" };
      else if (name === "meta" && attributeOf(tag, "property") === "belongs-to-collection") open = { name, value: "" };
      else if (name === "meta" && attributeOf(tag, "name") === "calibre:series")
        found.push({ name: "series", value: attributeOf(tag, "content") ?? "" });
    },
    onText(part) {
      if (open !== undefined) open.value += part;
    },
  });
  return found;
}

/** A FictionBook's names for the properties of books. */
const ofFictionBook: Readonly<Record<string, string>> = {
  ...{ "book-title": "title", author: "creator", genre: "subject", keywords: "subject", annotation: "description", lang: "language" },
  ...{ translator: "translator", publisher: "publisher", isbn: "identifier", city: "city", year: "year" },
};

function fictionBookProperties(text: string): readonly Property[] {
  const found: Property[] = [];
  const description = text.slice(0, Math.max(0, text.indexOf("</description>")));
  let part = "";
  let open: { element: string; name: string; value: string } | undefined;
  scanMarkup(description, {
    onTag(element, tag) {
      if (/^(?:title|publish)-info$/.test(element)) part = element;
      else if (element === `/${part}`) part = "";
      const name = part === "" ? undefined : ofFictionBook[element];
      if (open !== undefined && element === `/${open.element}`) {
        found.push(open);
        open = undefined;
      } else if (open !== undefined) open.value += " ";
      else if (name !== undefined && !tag.endsWith("/>")) open = { element, name, value: "" };
      else if (part !== "" && element === "sequence") found.push({ name: "series", value: attributeOf(tag, "name") ?? "" });
    },
    onText(words) {
      if (open !== undefined) open.value += words;
    },
  });
  return found;
}

function decoded(bytes: Buffer): string {
  const label = /^[^>]{0,200}encoding\s*=\s*["']([\w-]{1,40})["']/.exec(bytes.toString("latin1", 0, 300))?.[1] ?? "utf-8";
  return new TextDecoder(label).decode(bytes);
}

/** @see https://wiki.mobileread.com/wiki/MOBI#EXTH_Header */
const ofKindle: Readonly<Record<number, string>> = {
  ...{ 100: "creator", 101: "publisher", 103: "description", 104: "identifier", 105: "subject", 106: "year" },
  ...{ 108: "contributor", 109: "rights", 112: "source", 503: "title", 524: "language" },
};
async function kindleProperties(file: ByteSource): Promise<readonly Property[]> {
  const at = file.head.readUInt32BE(78);
  const head = await bytesAt(file, at, Math.min(headBytes, file.sizeBytes - at));
  const decoder = new TextDecoder(head.readUInt32BE(28) === 65001 ? "utf-8" : "windows-1252");
  const found: Property[] = [];
  const start = 16 + head.readUInt32BE(20);
  // The title is also outside of the list.
  const [titleAt, titleBytes] = [head.readUInt32BE(84), head.readUInt32BE(88)];
  found.push({ name: "title", value: decoder.decode(head.subarray(titleAt, titleAt + titleBytes)) });
  if (head.toString("latin1", start, start + 4) !== "EXTH") return found;
  const count = Math.min(head.readUInt32BE(start + 8), 1000);
  for (let place = start + 12, number = 0; number < count; number += 1) {
    const [code, length] = [head.readUInt32BE(place), head.readUInt32BE(place + 4)];
    const name = ofKindle[code];
    if (length < 8) break;
    const value = name === undefined ? "" : decoder.decode(head.subarray(place + 8, place + length));
    if (name !== undefined) found.push(name === "year" ? yearOf(value) : { name, value });
    place += length;
  }
  return found;
}
