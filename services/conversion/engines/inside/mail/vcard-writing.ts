/** Converts records to contacts. */
import { type Notes, noteAlso } from "../exchange.ts";
import { inexpressible } from "../failure.ts";
import { type Entries, firstOf, plainTextOf as plain, type Value } from "../records/values.ts";

/** Column names for contacts in the exports of common programs. */
const columns: readonly (readonly [property: string, names: RegExp])[] = [
  ["fn", /^(full ?)?name$|^display ?name$/i],
  ["given", /^(given|first) ?name$/i],
  ["family", /^(family|last) ?name$|^surname$/i],
  ["additional", /^(additional|middle) ?names?$/i],
  ["prefix", /^(name|honorific)? ?prefix$/i],
  ["suffix", /^(name|honorific)? ?suffix$/i],
  ["nickname", /^nick ?name$/i],
  ["org", /^(organi[sz]ation|company)( ?name)?$/i],
  ["title", /^((job|organi[sz]ation) ?)?title$/i],
  ["email", /^e-?mail( ?\d)?([ -]*(address|value))?( ?\d)?$/i],
  ["tel", /^(tele)?phone( ?\d)?([ -]*(number|value))?$|^(mobile|home|business|work)[ -]*(tele)?phone( ?\d)?$|^mobile$|^tel$/i],
  ["adr", /^(postal |home |business )?address( ?\d)?( - formatted)?$/i],
  ["bday", /^birth(day|date)$|^bday$/i],
  ["url", /^(url|web ?site|web ?page)( \d - value)?$/i],
  ["note", /^notes?$/i],
  ["role", /^role$/i],
  ["categories", /^categor(y|ies)$/i],
  ["uid", /^uid$/i],
];

/** In vCard order. */
const nameParts = ["family", "given", "additional", "prefix", "suffix"];

/** A contact has only one of each. */
const single = new Set(["fn", ...nameParts, "uid"]);

/** What changed, by column. */
type Changed = { readonly leftOut: Set<string>; readonly flattened: Set<string>; readonly replaced: Set<string> };

/** vCard 3.0, which every program reads. */
export function cardsOf(value: Value, notes: Notes): string {
  const records = (Array.isArray(value) ? value : [value]).filter((each) => each instanceof Map);
  const changed: Changed = { leftOut: new Set(), flattened: new Set(), replaced: new Set() };
  const cards = records.flatMap((record) => cardOf(record, changed));
  if (changed.leftOut.size > 0)
    notes.set(
      "METADATA_DROPPED",
      `Columns that contacts have no field for, or only one field for, were left out: ${firstOf([...changed.leftOut])}.`,
    );
  if (changed.flattened.size > 0)
    notes.set("STRUCTURE_FLATTENED", `Lists and maps became a single text: ${firstOf([...changed.flattened])}.`);
  if (changed.replaced.size > 0)
    notes.set("CHARACTERS_REPLACED", `Control characters, which contacts cannot hold, were replaced: ${firstOf([...changed.replaced])}.`);
  const nameless = records.length - cards.length;
  if (nameless > 0) noteAlso(notes, "ENTRIES_LEFT_OUT", `Rows without a name or an address were left out: ${nameless}.`);
  if (cards.length === 0) throw inexpressible("There is no column of names or e-mail addresses, such as “Name” or “E-mail”.");
  return cards.join("");
}

type Field = { readonly text: string; readonly type: string };

function cardOf(record: Entries, changed: Changed): readonly string[] {
  const found = fieldsOf(record, changed);
  const one = (property: string) => found.get(property)?.[0]?.text ?? "";
  const name = one("fn") || [one("given"), one("family")].filter(Boolean).join(" ") || one("org") || one("email");
  if (name === "") return [];
  const isSplit = one("given") !== "" || one("family") !== "";
  const [given, family] = isSplit ? [one("given"), one("family")] : splitOf(name);
  const parts = [family, given, ...nameParts.slice(2).map(one)].map(escaped);
  const lines = ["BEGIN:VCARD", "VERSION:3.0", `FN:${escaped(name)}`, `N:${parts.join(";")}`];
  for (const property of ["nickname", "org", "title", "role", "bday", "note", "uid"]) {
    for (const { text } of found.get(property) ?? []) lines.push(`${property.toUpperCase()}:${escaped(text)}`);
  }
  const categories = (found.get("categories") ?? []).map(({ text }) => escaped(text));
  if (categories.length > 0) lines.push(`CATEGORIES:${categories.join(",")}`);
  for (const property of ["email", "tel", "url"]) {
    for (const { text, type } of found.get(property) ?? []) lines.push(`${property.toUpperCase()}${type}:${escaped(text)}`);
  }
  for (const { text, type } of found.get("adr") ?? []) lines.push(`ADR${type}:;;${escaped(text)};;;;`);
  return [`${[...lines, "END:VCARD"].map(folded).join("\r\n")}\r\n`];
}

/** The given and the family name of `Jane Doe` and `Doe, Jane`. */
function splitOf(name: string): readonly [given: string, family: string] {
  const [first = "", second = "", ...more] = name.split(",").map((part) => part.trim());
  if (second !== "" && more.length === 0) return [second, first];
  const [, given = "", family = name] = /^(.*\S)\s+(\S+)$/.exec(name) ?? [];
  return [given, family];
}

function fieldsOf(record: Entries, changed: Changed): ReadonlyMap<string, readonly Field[]> {
  const found = new Map<string, Field[]>();
  const types = new Map<string, readonly string[]>();
  for (const [name, value] of record) {
    const property = propertyOf(name, record);
    const texts = textsOf(name, property, value, changed);
    const of = /^(email|phone|address|url)Types$/.exec(name)?.[1];
    if (texts.every((text) => text.trim() === "")) continue;
    if (of !== undefined) {
      types.set(columns.find(([, names]) => names.test(of))?.[0] ?? "", texts);
      continue;
    }
    if (property === "") changed.leftOut.add(name);
    const [only, ...more] = texts.filter((text) => text.trim() !== "");
    if (only === undefined || property === "") continue;
    const isTaken = single.has(property) && found.has(property);
    if (isTaken || (single.has(property) && more.length > 0)) changed.leftOut.add(name);
    if (isTaken) continue;
    const fields = (single.has(property) ? [only] : texts).map((text) => ({ text, type: typeOf(name) }));
    found.set(property, [...(found.get(property) ?? []), ...fields]);
  }
  for (const [property, each] of types) {
    const fields = found.get(property) ?? [];
    found.set(
      property,
      fields.map(({ text, type }, at) => ({ text, type: typesOf(each[at]) || type })),
    );
  }
  for (const [property, fields] of found)
    found.set(
      property,
      fields.filter(({ text }) => text.trim() !== ""),
    );
  return found;
}

/** Outlook has a column of job titles beside that of titles before names. */
function propertyOf(name: string, record: Entries): string {
  if (/^title$/i.test(name) && record.has("Job Title")) return "prefix";
  return columns.find(([, names]) => names.test(name.trim()))?.[0] ?? "";
}

function textsOf(name: string, property: string, value: Value, changed: Changed): readonly string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((each) => {
    if (each instanceof Map || Array.isArray(each)) changed.flattened.add(name);
    const text = each === null ? "" : plain(each);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    const clean = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "\ufffd");
    if (clean !== text) changed.replaced.add(name);
    const looks = apart[name.endsWith("Types") ? "types" : property];
    const parts = clean.split(/;|\n| ::: /).map((part) => part.trim());
    return looks !== undefined && parts.length > 1 && parts.every((part) => looks.test(part)) ? parts : [clean];
  });
}

/** Detects several values in one cell, separated by semicolons or line breaks, as programs write them. */
const apart: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+$/,
  tel: /^[+(\d][\d\s()/.-]*$/,
  categories: /^/,
  types: /^/,
};

/** As in our own records: `home, voice`. */
function typesOf(text = ""): string {
  const known = text.split(/, ?/).filter((each) => /^[\w-]+$/.test(each));
  return known.length === 0 ? "" : `;TYPE=${known.join(",").toUpperCase()}`;
}

/** The type implied by a column name. */
function typeOf(column: string): string {
  if (/mobile|cell/i.test(column)) return ";TYPE=CELL";
  if (/work|business/i.test(column)) return ";TYPE=WORK";
  return /home/i.test(column) ? ";TYPE=HOME" : "";
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r\n?|\n/g, "\\n");
}

/** Folds lines at 75 octets (RFC 2426 §2.6), between characters. */
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
