/** Parses contacts in vCard 2.1, 3.0 and 4.0 into components in the shape of jCard (RFC 7095). */
import type { Notes } from "../exchange.ts";
import { invalid, tooComplex } from "../failure.ts";
import { type ContentLine, contentLinesOf } from "./content-lines.ts";
import { type Component, maxComponents, type Property } from "./jcal.ts";

/** Values with several components, each of which may hold several texts, and values that are lists of texts. */
const structured = new Set(["n", "adr", "org", "gender", "clientpidmap"]);
const several = new Set(["nickname", "categories"]);
const dates = new Set(["bday", "anniversary", "deathdate", "rev", "dday"]);

export type Cards = {
  readonly cards: readonly Component[];
  /** What else the file contains: nested cards, calendars. */
  readonly others: number;
};

export function cardsIn(text: string, notes: Notes): Cards {
  const cards: Component[] = [];
  let others = 0;
  let lines: ContentLine[] = [];
  const open: string[] = [];
  for (const line of contentLinesOf(text, notes)) {
    if (typeof line === "string") throw invalid(`The file cannot be read: this line names no value: “${line.slice(0, 60)}”.`);
    const sort = line.value.trim().toLowerCase();
    if (/^begin$/i.test(line.name)) {
      // The enclosing card continues after it.
      if (open.length > 0 || sort !== "vcard") others += 1;
      open.push(sort);
    } else if (/^end$/i.test(line.name)) {
      if (open.pop() !== sort) throw invalid(`The file cannot be read: nothing begins what ends by “${line.value.slice(0, 60)}”.`);
      if (open.length > 0 || sort !== "vcard") continue;
      if (cards.length === maxComponents) throw tooComplex(`The file contains more than ${maxComponents} entries.`);
      cards.push(cardOf(lines));
      lines = [];
    } else if (open.length === 1 && open[0] === "vcard") lines.push(line);
  }
  if (open.length > 0) throw invalid("The file cannot be read: it ends in the middle of a contact.");
  return { cards, others };
}

function cardOf(lines: readonly ContentLine[]): Component {
  const isOld = lines.some(({ name, value }) => /^version$/i.test(name) && value.trim() === "2.1");
  return ["vcard", lines.map((line) => propertyOf(line, isOld)), []];
}

function propertyOf(line: ContentLine, isOld: boolean): Property {
  const [, group, name = ""] = /^(?:([\w-]+)\.)?(.*)$/.exec(line.name.toLowerCase()) ?? [];
  const { types, encoding, value } = line;
  const parameters: Record<string, unknown> = Object.create(null);
  for (const each of line.parameters) {
    const [, key = "", said = ""] = /^([^=]*)=(.*)$/.exec(each) ?? [];
    parameters[key.toLowerCase()] = parameterText(said);
  }
  if (types.length > 0) parameters["type"] = types.length === 1 ? types[0] : [...types];
  if (group !== undefined) parameters["group"] = group;
  if (encoding !== undefined) return [name, { ...parameters, encoding }, "binary", value.replace(/\s/g, "")];
  const plain = (text: string) => unescaped(text, isOld);
  if (structured.has(name)) return [name, parameters, "text", split(value, ";").map((part) => textsOf(part, plain, isOld))];
  if (several.has(name)) return [name, parameters, "text", ...split(value, ",").map(plain)];
  const date = dates.has(name) ? dateOf(value) : undefined;
  return date === undefined ? [name, parameters, "text", plain(value)] : [name, parameters, "date", date];
}

function textsOf(part: string, plain: (text: string) => string, isOld: boolean): string | readonly string[] {
  const texts = isOld ? [part] : split(part, ",");
  return texts.length === 1 ? plain(part) : texts.map(plain);
}

/** Characters that a parameter cannot hold (RFC 6868). */
function parameterText(said: string): string {
  return said.replace(/^"(.*)"$/, "$1").replace(/\^[n^']/g, (sign) => (sign === "^n" ? "\n" : sign === "^^" ? "^" : '"'));
}

/** In version 2.1 a backslash is literal, except before characters that programs escape anyway: `C:\new` is a path. */
function unescaped(text: string, isOld: boolean): string {
  if (isOld) return text.replace(/\\([\\;,:])/g, "$1");
  return text.replace(/\\([\\;,:nN])/g, (_, sign: string) => (sign.toLowerCase() === "n" ? "\n" : sign));
}

/** Splits at a character that is not escaped by a backslash. */
function split(text: string, sign: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === sign) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

/** A date in ISO 8601 extended format; undefined if it has no year or is free text. */
function dateOf(value: string): string | undefined {
  const found = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?(\d\d(?:\.\d+)?)(Z|[-+]\d\d(?::?\d\d)?)?)?$/i.exec(value.trim());
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second, zone = ""] = found;
  const clock = hour === undefined ? "" : `T${hour}:${minute}:${second}${zone.replace(/^([-+]\d\d)(\d\d)$/, "$1:$2")}`;
  return `${year}-${month}-${day}${clock}`;
}
