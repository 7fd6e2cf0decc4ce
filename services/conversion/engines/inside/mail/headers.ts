/** Reads the headers of a message (RFC 5322): addresses, encoded words and dates. */
import { isUtf8 } from "node:buffer";
import { type Address, addressParser, decodeWords } from "postal-mime";
import type { Notes } from "../exchange.ts";
import { guessEncoding } from "../guess-encoding.ts";
import { bytesOfQuoted, decodeDeclared } from "./decoding.ts";

export type Headers = readonly { readonly key: string; readonly value: string }[];

/** Addresses of all headers of a name, as written in one: `Name <address>`, separated by commas. */
export function addressesIn(headers: Headers, name: string, notes: Notes): string {
  return headers
    .filter(({ key, value }) => key === name && value !== "")
    .flatMap(({ value }) => addressParser(joinedWords(value, notes)))
    .map((each: Address) => (each.group === undefined ? addressOf(each.name, each.address) : groupOf(each.name, each.group)))
    .join(", ");
}

export function textIn(headers: Headers, name: string, notes: Notes): string {
  return decodeWords(joinedWords(headers.find(({ key }) => key === name)?.value ?? "", notes));
}

/** Headers that mean something to people or their programs, such as whether a message was read, unlike those about the transport and the format of the message, and usual priorities. */
const meant =
  /^(sender|message-id|in-reply-to|references|(x-)?keywords|(x-)?status|x-label|x-gmail-labels|comments|(importance|(x-)?priority)(?!: {1,9}(?:3|normal)\b)|sensitivity|organization|list-id|resent-[^:]*|expires|disposition-notification-to): /i;

export function othersIn(headers: Headers): readonly string[] {
  const found = [...new Set(headers.filter(({ key, value }) => meant.test(`${key}: ${value}`)).map(({ key }) => key))];
  // Nearly every message has an identifier, which alone tells people nothing.
  return found.every((key) => key === "message-id") ? [] : found;
}

function groupOf(name: string, members: readonly { readonly name: string; readonly address: string }[]): string {
  return `${name}: ${members.map((member) => addressOf(member.name, member.address)).join(", ")};`;
}

export function addressOf(name: string, address: string): string {
  if (name === "" || name === address) return address;
  const quoted = /^[\p{L}\p{N} .'_-]*$/u.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
  return address === "" ? quoted : `${quoted} <${address}>`;
}

type Words = { readonly charset: string; readonly parts: Buffer[]; readonly start: number; end: number };

/**
 * Joins consecutive encoded words (RFC 2047) of one charset, because many programs split them inside a character. The result is in
 * UTF-8, because the library reads charsets that it does not know as Windows-1252.
 */
export function joinedWords(value: string, notes: Notes): string {
  const groups: Words[] = [];
  for (const found of value.matchAll(/=\?([^?\s]+)\?([bq])\?([^?]*)\?=/gi)) {
    const [whole, charset = "", encoding = "", text = ""] = found;
    const bytes = /b/i.test(encoding) ? Buffer.from(text, "base64") : bytesOfQuoted(text.replaceAll("_", " "));
    const [label, end] = [charset.toLowerCase(), found.index + whole.length];
    const last = groups.at(-1);
    if (last !== undefined && last.charset === label && value.slice(last.end, found.index).trim() === "") {
      last.parts.push(bytes);
      last.end = end;
    } else groups.push({ charset: label, parts: [bytes], start: found.index, end });
  }
  let at = 0;
  const texts = groups.map(({ charset, parts, start, end }) => {
    const text = decodeDeclared(Buffer.concat(parts), charset.split("*", 1)[0], notes);
    const before = value.slice(at, start);
    at = end;
    return `${before}=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
  });
  return texts.join("") + value.slice(at);
}

const blankLine = /\r?\n\r?\n/;

/** The library reads headers as UTF-8; old programs write them in a code page. Reports the code page that was guessed. */
export function withUnicodeHeaders(bytes: Buffer): { readonly bytes: Buffer; readonly guess?: string } {
  const end = bytes.toString("latin1").search(blankLine);
  const head = bytes.subarray(0, end < 0 ? bytes.length : end);
  if (isUtf8(head)) return { bytes };
  const guess = guessEncoding(head);
  return { bytes: Buffer.concat([Buffer.from(new TextDecoder(guess).decode(head)), bytes.subarray(head.length)]), guess };
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
/** Hours ahead of UTC (RFC 5322 §4.3). */
const zones: Readonly<Record<string, number>> = {
  ...{ z: 0, ut: 0, utc: 0, gmt: 0, est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7 },
};

/** Converts a date header (RFC 5322) to ISO 8601 in the sender's time zone, or keeps the header's own text. */
export function dateOf(header: string | undefined): string {
  const text = (header ?? "").trim();
  const found =
    /^(?:[a-z]+,)?\s*(\d{1,2})\s+([a-z]{3})\s+(\d{4}|\d\d)\s+(\d{1,2}):(\d\d)(?::(\d\d))?(?:\s+(?:([-+])(\d\d)([0-5]\d)|([a-z]+)))?\s*(?:\([^()]*\))?$/i.exec(
      text,
    );
  if (found === null) return text;
  const [, day, month = "", year = "", hour, minute, second = "0", sign, aheadHours = "0", aheadMinutes = "0", zone] = found;
  const fullYear = Number(year) + (year.length === 4 ? 0 : Number(year) < 50 ? 2000 : 1900);
  const parts = [fullYear, months.indexOf(month.toLowerCase()), Number(day), Number(hour), Number(minute), Number(second)] as const;
  const local = new Date(Date.UTC(...parts));
  const said = [
    local.getUTCFullYear(),
    local.getUTCMonth(),
    local.getUTCDate(),
    local.getUTCHours(),
    local.getUTCMinutes(),
    local.getUTCSeconds(),
  ];
  // Days and hours that do not exist, and unknown zones.
  if (said.some((part, index) => part !== parts[index])) return text;
  if (sign === undefined && zone === undefined) return local.toISOString().slice(0, -".000Z".length);
  const zoneHours = zone === undefined ? 0 : zones[zone.toLowerCase()];
  if (zoneHours === undefined) return text;
  if (zone !== undefined) return new Date(local.getTime() - zoneHours * 3_600_000).toISOString();
  if (Number(aheadHours) + Number(aheadMinutes) === 0) return local.toISOString();
  return `${local.toISOString().slice(0, -".000Z".length)}${sign}${aheadHours}:${aheadMinutes}`;
}
