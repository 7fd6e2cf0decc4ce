/** Calendars and contacts as the library parses them: components with properties, jCal (RFC 7265) and jCard (RFC 7095). */
import ICAL from "ical.js";
import { type Notes, noteOnce } from "../exchange.ts";
import { invalid, tooComplex } from "../failure.ts";
import { type Entries, firstOf, Stamp, type Value } from "../records/values.ts";

export const maxComponents = 50_000;

/** A property of a component: jCal and jCard have the same shape (RFC 7265 §3.4). */
export type Property = readonly [name: string, parameters: Readonly<Record<string, unknown>>, type: string, ...values: unknown[]];
export type Component = readonly [name: string, properties: readonly Property[], components: readonly Component[]];

/** What records cannot hold, in words; reported in one note. */
export type Dropped = Set<string>;

/** Calendars, and entries that stand outside of one. */
export function componentsOf(text: string, notes: Notes): readonly Component[] {
  const lines = linesIn(text, notes);
  if (lines.length === 0) return [];
  const parsed = (() => {
    try {
      return ICAL.parse(guarded(lines.join("\r\n"))) as unknown[];
    } catch (error) {
      const isTold = error instanceof Error && !(error instanceof TypeError);
      throw invalid(`The file cannot be read: ${isTold ? error.message.slice(0, 200) : "it is damaged"}.`);
    }
  })();
  const roots = (typeof parsed[0] === "string" ? [parsed] : parsed) as unknown as readonly Component[];
  if (roots.length > maxComponents) throw tooComplex(`The file contains more than ${maxComponents} entries.`);
  return roots;
}

/**
 * Values of a fixed syntax stay as they are written: the library cuts dates of any other syntax to pieces (`tomorrow` becomes
 * `tomo-rr-ow`), refuses rules in small letters, and changes numbers in rules that it does not expect.
 */
function keepAsWritten(): void {
  const { value } = ICAL.design.icalendar as unknown as { value: Record<string, { fromICAL?: (text: string) => unknown }> };
  const date = (text: string) => extendedOf(text) ?? text;
  Object.assign(value["date"] ?? {}, { fromICAL: date });
  Object.assign(value["date-time"] ?? {}, { fromICAL: date });
  Object.assign(value["period"] ?? {}, { fromICAL: (text: string) => text.split("/").map(date) });
  Object.assign(value["recur"] ?? {}, { fromICAL: (text: string) => text });
}
keepAsWritten();

/** A date in the extended format of ISO 8601; undefined for anything else. */
function extendedOf(text: string): string | undefined {
  const found = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?(\d\d))?(Z)?)?$/i.exec(text.trim());
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second = "00", zone = ""] = found;
  return `${year}-${month}-${day}${hour === undefined ? "" : `T${hour}:${minute}:${second}${zone.toUpperCase()}`}`;
}

/** Replaces an escaped backslash, after which the library would take any character for an escaped one. */
const guard = "\ufdd0";

function guarded(text: string): string {
  return text.replaceAll(guard, "\ufffd").replace(/\\(.)/g, (pair, sign: string) => (sign === "\\" ? guard : pair));
}

/** Only text values have escapes. */
export const unguarded = (text: string, pair = "\\\\"): string => text.replaceAll(guard, pair);

/** Without trailing blanks and empty lines of older programs, and lines of no component or without a value, which the library rejects. */
function linesIn(text: string, notes: Notes): readonly string[] {
  const odd: string[] = [];
  let depth = 0;
  const lines: string[] = [];
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n?|\n/)) {
    if (line.trim() === "") continue;
    // Lines are still folded after an equals sign.
    if (/^[ \t]/.test(line) && lines.length > 0) lines[lines.length - 1] += line.slice(1);
    else lines.push(line);
  }
  const kept = lines.filter((line) => {
    if (/^begin:/i.test(line)) depth += 1;
    const isSound = depth > 0 && line.includes(":");
    if (isSound && /^end:/i.test(line)) depth -= 1;
    if (!isSound) odd.push(line);
    return isSound;
  });
  if (odd.length > 0) noteOnce(notes, "INPUT_DAMAGED", `Lines that are no properties were left out: ${firstOf(odd)}.`);
  return kept;
}

export function propertyOf([, properties]: Component, name: string): Property | undefined {
  return properties.find((property) => property[0] === name);
}

export function valuesOf([, properties]: Component, name: string): Value[] {
  return properties.filter((property) => property[0] === name).flatMap(valuesOfProperty);
}

export function valuesOfProperty([, , type, ...values]: Property): Value[] {
  return values.map((value) => propertyValueOf(type, value));
}

/** The only value of a name, or a list of several; null for none. */
export function oneOrAllOf(component: Component, name: string): Value {
  return oneOrAll(valuesOf(component, name));
}

function oneOrAll(values: Value[]): Value {
  return values.length > 1 ? values : (values[0] ?? null);
}

function propertyValueOf(type: string, value: unknown): Value {
  if (type === "period" && Array.isArray(value)) return value.map(textOf).join("/");
  const text = textOf(value);
  if (type === "text") return unguarded(text, "\\");
  // For unknown property names, the library leaves text escapes in place.
  if (type === "unknown")
    return unguarded(
      text.replace(/\\([;,nN])/g, (_, sign: string) => (sign.toLowerCase() === "n" ? "\n" : sign)),
      "\\",
    );
  if (type !== "date-time" && type !== "date") return unguarded(text);
  return extendedOf(text) === text ? new Stamp(text, text.endsWith("Z")) : text;
}

/** Structured values are lists. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(";");
  return value === undefined || value === null ? "" : String(value);
}

export function filled(pairs: readonly (readonly [string, Value])[]): Entries {
  const entries = new Map<string, Value>();
  for (const [name, value] of pairs) {
    if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) continue;
    // NAME of vCard 3.0, the title of a directory's entry, must not replace the name of the person.
    entries.set(entries.has(name) ? `${name}2` : name, value);
  }
  return entries;
}

/** The remaining properties, under their original names. */
export function restOf([, properties]: Component, known: ReadonlySet<string>): (readonly [string, Value])[] {
  const others = properties.filter(([name]) => !known.has(name));
  return [...Map.groupBy(others, ([name]) => name)].map(([name, all]) => [
    name.startsWith("x-") ? name : name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    oneOrAll(all.flatMap(valuesOfProperty)),
  ]);
}

/** Notes parameters that are dropped, such as the name that belongs to an address. */
export function dropParameters([, properties]: Component, kept: ReadonlySet<string>, dropped: Dropped): void {
  for (const [, parameters] of properties) {
    for (const name of Object.keys(parameters)) if (!kept.has(name)) dropped.add(name.toUpperCase());
  }
}
