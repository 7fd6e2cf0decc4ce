/** Contacts out of records. */
import type { Notes } from "../exchange.ts";
import { inexpressible } from "../failure.ts";
import { type Entries, plainTextOf as plain, type Value } from "../records/values.ts";

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
export function cardsOf(value: Value, notes: Notes): string {
  const records = (Array.isArray(value) ? value : [value]).filter((each) => each instanceof Map);
  const unknown = new Set<string>();
  const cards = records.flatMap((record) => cardOf(record, unknown));
  if (unknown.size > 0)
    notes.set(
      "METADATA_DROPPED",
      `Columns that contacts have no place for were left out: ${[...unknown].slice(0, 5).join(", ").slice(0, 200)}.`,
    );
  const nameless = records.length - cards.length;
  if (nameless > 0) notes.set("ENTRIES_LEFT_OUT", `Rows without a name or an address were left out: ${nameless}.`);
  if (cards.length === 0) throw inexpressible("There is no column of names or e-mail addresses, such as “Name” or “E-mail”.");
  return cards.join("");
}

type Field = { readonly text: string; readonly type: string };

function cardOf(record: Entries, unknown: Set<string>): readonly string[] {
  const found = new Map<string, Field[]>();
  for (const [name, value] of record) {
    const property = columns.find(([, names]) => names.test(name.trim()))?.[0];
    const texts = (Array.isArray(value) ? value : [value])
      .map((each) => (each === null ? "" : plain(each).trim()))
      .filter((text) => text !== "");
    const isSplit = property === "email" || property === "tel";
    const split = isSplit ? texts.flatMap((text) => text.split(/[;\n]/).map((part) => part.trim())) : texts;
    if (property === undefined && split.length > 0) unknown.add(name);
    const fields = split.map((text) => ({ text, type: typeOf(name) }));
    if (property !== undefined && split.length > 0) found.set(property, [...(found.get(property) ?? []), ...fields]);
  }
  const one = (property: string) => found.get(property)?.[0]?.text ?? "";
  const name = one("fn") || [one("given"), one("family")].filter(Boolean).join(" ") || one("org") || one("email");
  if (name === "") return [];
  const [, given = "", family = name] =
    one("given") || one("family") ? ["", one("given"), one("family")] : (/^(.*\S)\s+(\S+)$/.exec(name) ?? []);
  const lines = ["BEGIN:VCARD", "VERSION:3.0", `FN:${escaped(name)}`, `N:${escaped(family)};${escaped(given)};;;`];
  for (const property of ["nickname", "org", "title", "bday", "url", "note"]) {
    for (const { text } of found.get(property) ?? []) lines.push(`${property.toUpperCase()}:${escaped(text)}`);
  }
  for (const property of ["email", "tel"]) {
    for (const { text, type } of found.get(property) ?? []) lines.push(`${property.toUpperCase()}${type}:${escaped(text)}`);
  }
  for (const { text, type } of found.get("adr") ?? []) lines.push(`ADR${type}:;;${escaped(text)};;;;`);
  return [`${[...lines, "END:VCARD"].map(folded).join("\r\n")}\r\n`];
}

/** What a column's name says its values are for. */
function typeOf(column: string): string {
  if (/mobile|cell/i.test(column)) return ";TYPE=CELL";
  if (/work|business/i.test(column)) return ";TYPE=WORK";
  return /home/i.test(column) ? ";TYPE=HOME" : "";
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
