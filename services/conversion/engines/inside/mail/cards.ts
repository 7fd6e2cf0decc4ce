/** Calendars (RFC 5545) and contacts (RFC 6350, and vCard 2.1 and 3.0) as records, pages and text, and contacts out of records. */
import ICAL from "ical.js";
import { type Converted, type Notes, type Question, textOption } from "../exchange.ts";
import { inexpressible, invalid, tooComplex } from "../failure.ts";
import { readRecords, writeRecords } from "../records/convert.ts";
import { type Entries, Stamp, type Value } from "../records/values.ts";
import { decodeText } from "../text-decoding.ts";
import { withoutTrailing } from "../trailing.ts";
import { escapeHtml, pageOf } from "./html.ts";

const maxComponents = 50_000;
const tables = new Set(["csv", "tsv", "xlsx"]);

/** A line of a component: jCal and jCard have the same shape (RFC 7265 §3.4). */
type Property = readonly [name: string, parameters: Readonly<Record<string, unknown>>, type: string, ...values: unknown[]];
type Component = readonly [name: string, properties: readonly Property[], components: readonly Component[]];

export async function convertCards(bytes: Buffer, question: Question, notes: Notes): Promise<Converted> {
  const { from, to, options } = question;
  if (to === "vcf") return cardsOf(await readRecords(bytes, question, notes));
  const text = decodeText(bytes, textOption(options, "encoding") ?? "auto", notes);
  const records =
    from === "ics" ? eventsOf(componentsOf(text, "vcalendar")) : componentsOf(quotedPrintableUndone(text), "vcard").map(contactOf);
  if (records.length === 0) throw invalid(from === "ics" ? "The calendar holds no entries." : "The file holds no contacts.");
  if (to === "html") return pageOf(from === "ics" ? "Calendar" : "Contacts", records.map(sectionOf).join("\n<hr>\n"));
  if (to === "txt")
    return records
      .map((record) =>
        linesOf(record)
          .map(([name, value]) => `${name}: ${value}\n`)
          .join(""),
      )
      .join("\n");
  return await writeRecords(tables.has(to) ? rowsOf(records) : [...records], question, notes);
}

function componentsOf(text: string, wanted: string): readonly Component[] {
  const parsed = (() => {
    try {
      return ICAL.parse(unfolded(text)) as unknown[];
    } catch (error) {
      throw invalid(`The file cannot be read: ${error instanceof Error ? error.message.slice(0, 200) : "it is damaged"}.`);
    }
  })();
  const roots = (typeof parsed[0] === "string" ? [parsed] : parsed) as unknown as readonly Component[];
  const found = roots.filter(([name]) => name === wanted);
  if (found.length > maxComponents) throw tooComplex(`The file holds more than ${maxComponents} entries.`);
  return found;
}

/** Older programs leave blanks at the ends and lines empty, which the library does not forgive. */
function unfolded(text: string): string {
  return text
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .join("\r\n");
}

/** vCard 2.1 writes letters beyond ASCII as quoted-printable, a form that later versions lack. */
function quotedPrintableUndone(text: string): string {
  const lines = text.split(/\r?\n/);
  const done: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, Math.max(0, colon)), line.slice(colon + 1)];
    if (!/;ENCODING=QUOTED-PRINTABLE/i.test(name)) {
      done.push(line);
      continue;
    }
    const parts = [value];
    while (parts.at(-1)?.endsWith("=") === true && at + 1 < lines.length) parts.push(lines[++at] ?? "");
    const bytes = parts.map((part) => part.replace(/=$/, "")).join("");
    done.push(`${name.replace(/;(ENCODING|CHARSET)=[\w-]+/gi, "")}:${decodedQuoted(bytes, /;CHARSET=([\w-]+)/i.exec(name)?.[1])}`);
  }
  return done.join("\n");
}

function decodedQuoted(text: string, charset = "utf-8"): string {
  const bytes = Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
  try {
    return new TextDecoder(charset).decode(bytes).replace(/\r?\n/g, "\\n");
  } catch {
    return bytes.toString("utf8").replace(/\r?\n/g, "\\n");
  }
}

const entryNames: Readonly<Record<string, string>> = { vevent: "event", vtodo: "task", vjournal: "note", vfreebusy: "busy" };

function eventsOf(calendars: readonly Component[]): readonly Entries[] {
  return calendars.flatMap(([, , components]) =>
    components.flatMap((component) => {
      const sort = entryNames[component[0]];
      return sort === undefined ? [] : [eventOf(sort, component)];
    }),
  );
}

function eventOf(sort: string, component: Component): Entries {
  const one = (name: string): Value => valuesOf(component, name)[0] ?? null;
  const start = propertyOf(component, "dtstart");
  return filled([
    ["type", sort],
    ["summary", one("summary")],
    ["start", one("dtstart")],
    ["end", one("dtend") ?? one("due")],
    ["duration", one("duration")],
    ["timezone", typeof start?.[1]["tzid"] === "string" ? start[1]["tzid"] : null],
    ["location", one("location")],
    ["description", one("description")],
    ["organizer", addressOf(one("organizer"))],
    ["attendees", valuesOf(component, "attendee").map(addressOf)],
    ["status", one("status")],
    ["recurrence", one("rrule")],
    ["categories", valuesOf(component, "categories")],
    ["url", one("url")],
    ["uid", one("uid")],
  ]);
}

function contactOf(component: Component): Entries {
  const one = (name: string): Value => valuesOf(component, name)[0] ?? null;
  const name = propertyOf(component, "n")?.[3];
  const part = (index: number): Value => (Array.isArray(name) ? textOf(name[index]) : "") || null;
  const full = one("fn") ?? (Array.isArray(name) ? [name[1], name[0]].map(textOf).filter(Boolean).join(" ") : null);
  return filled([
    ["name", full],
    ["givenName", part(1)],
    ["familyName", part(0)],
    ["nickname", one("nickname")],
    [
      "organization",
      valuesOf(component, "org")
        .map((each) => withoutTrailing(String(each), ";"))
        .join("; ") || null,
    ],
    ["title", one("title")],
    ["email", valuesOf(component, "email")],
    ["phone", valuesOf(component, "tel").map((each) => String(each).replace(/^tel:/, ""))],
    [
      "address",
      valuesOf(component, "adr").map((each) =>
        String(each)
          .split(";")
          .map((part) => part.trim())
          .filter((part) => part !== "")
          .join(", "),
      ),
    ],
    ["birthday", one("bday")],
    ["url", valuesOf(component, "url")],
    ["note", one("note")],
    ["categories", valuesOf(component, "categories")],
    ["uid", one("uid")],
  ]);
}

function filled(pairs: readonly (readonly [string, Value])[]): Entries {
  return new Map(pairs.filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && value.length === 0)));
}

function propertyOf([, properties]: Component, name: string): Property | undefined {
  return properties.find((property) => property[0] === name);
}

function valuesOf([, properties]: Component, name: string): Value[] {
  return properties
    .filter((property) => property[0] === name)
    .flatMap(([, , type, ...values]) => values.map((value) => propertyValueOf(type, value)));
}

function propertyValueOf(type: string, value: unknown): Value {
  const text = textOf(value);
  return type === "date-time" || type === "date" ? new Stamp(text, text.endsWith("Z")) : text;
}

/** Structured values are lists, and a recurrence is an object of rules. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(";");
  if (typeof value !== "object" || value === null) return value === undefined ? "" : String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name.toUpperCase()}=${Array.isArray(each) ? each.join(",") : String(each)}`)
    .join(";");
}

function addressOf(value: Value): Value {
  return typeof value === "string" ? value.replace(/^mailto:/i, "") : value;
}

function plain(value: Value): string {
  if (Array.isArray(value)) return value.map(plain).join("; ");
  return value instanceof Stamp ? value.text : String(value);
}

function rowsOf(records: readonly Entries[]): Value {
  return records.map((record) => new Map([...record].map(([name, value]) => [name, Array.isArray(value) ? plain(value) : value])));
}

function linesOf(record: Entries): readonly (readonly [string, string])[] {
  return [...record].map(([name, value]) => [`${name[0]?.toUpperCase()}${name.slice(1)}`, plain(value)]);
}

function sectionOf(record: Entries): string {
  const rows = linesOf(record).map(
    ([name, value]) => `<tr><th align="left" valign="top">${name}</th><td style="white-space: pre-wrap">${escapeHtml(value)}</td></tr>`,
  );
  return `<table>\n${rows.join("\n")}\n</table>`;
}

/** What columns of contacts are called by the programs that export them. */
const columns: readonly (readonly [property: string, names: RegExp])[] = [
  ["fn", /^(full ?)?name$|^display ?name$/i],
  ["given", /^(given|first) ?name$/i],
  ["family", /^(family|last) ?name$|^surname$/i],
  ["nickname", /^nick ?name$/i],
  ["org", /^(organi[sz]ation|company)( ?name)?$/i],
  ["title", /^(job ?)?title$/i],
  ["email", /^e-?mail( ?\d)?([ -]*(address|value))?( ?\d)?$/i],
  ["tel", /^(tele)?phone( ?\d)?([ -]*(number|value))?$|^(mobile|home|business|work)[ -]*(tele)?phone( ?\d)?$|^mobile$|^tel$/i],
  ["adr", /^(postal |home |business )?address( ?\d)?$/i],
  ["bday", /^birth(day|date)$|^bday$/i],
  ["url", /^(url|web ?site|web ?page)$/i],
  ["note", /^notes?$/i],
];

/** vCard 3.0, which every program reads. */
function cardsOf(value: Value): string {
  const records = (Array.isArray(value) ? value : [value]).filter((each) => each instanceof Map);
  const cards = records.flatMap((record) => cardOf(record));
  if (cards.length === 0) throw inexpressible("There is no column of names or e-mail addresses, such as “Name” or “E-mail”.");
  return cards.join("");
}

function cardOf(record: Entries): readonly string[] {
  const found = new Map<string, string[]>();
  for (const [name, value] of record) {
    const property = columns.find(([, names]) => names.test(name.trim()))?.[0];
    const texts = (Array.isArray(value) ? value : [value])
      .map((each) => (each === null ? "" : plain(each).trim()))
      .filter((text) => text !== "");
    const split =
      property === "email" || property === "tel" ? texts.flatMap((text) => text.split(/[;\n]/).map((part) => part.trim())) : texts;
    if (property !== undefined && split.length > 0) found.set(property, [...(found.get(property) ?? []), ...split]);
  }
  const one = (property: string) => found.get(property)?.[0] ?? "";
  const name = one("fn") || [one("given"), one("family")].filter(Boolean).join(" ") || one("org") || one("email");
  if (name === "") return [];
  const [, given = "", family = name] =
    one("given") || one("family") ? ["", one("given"), one("family")] : (/^(.*\S)\s+(\S+)$/.exec(name) ?? []);
  const lines = ["BEGIN:VCARD", "VERSION:3.0", `FN:${escaped(name)}`, `N:${escaped(family)};${escaped(given)};;;`];
  for (const property of ["nickname", "org", "title", "bday", "url", "note"]) {
    if (one(property) !== "") lines.push(`${property.toUpperCase()}:${escaped(one(property))}`);
  }
  for (const each of found.get("email") ?? []) lines.push(`EMAIL:${escaped(each)}`);
  for (const each of found.get("tel") ?? []) lines.push(`TEL:${escaped(each)}`);
  for (const each of found.get("adr") ?? []) lines.push(`ADR:;;${escaped(each)};;;;`);
  return [`${[...lines, "END:VCARD"].map(folded).join("\r\n")}\r\n`];
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r\n?|\n/g, "\\n");
}

/** Lines of at most 75 octets (RFC 2426 §2.6), broken between characters. */
function folded(line: string): string {
  let bytes = 0;
  let result = "";
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > 75) {
      result += "\r\n ";
      bytes = 1;
    }
    result += character;
    bytes += size;
  }
  return result;
}
