/** Formats that programs keep their settings in: TOML, INI and Java properties. */
import { parseLines, parse as parseProperties, stringify as stringifyProperties } from "dot-properties";
import ini from "ini";
import { parse as parseTomlText, stringify as stringifyToml, TomlDate, TomlError } from "smol-toml";
import type { Notes, Options } from "../exchange.ts";
import { inexpressible, invalid } from "../failure.ts";
import { markedTimeOf, withMarkedTimes } from "./toml-times.ts";
import { type Entries, Exact, maxDepth, plainOf, Stamp, simplify, tooDeep, type Value, valueFrom, withoutNulls } from "./values.ts";

export function parseToml(text: string): Value {
  try {
    return valueFrom(stamped(parseTomlText(withMarkedTimes(text), { maxDepth, integersAsBigInt: true })));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    if (/nested/.test(error.message)) throw tooDeep();
    throw invalid(
      `The file is not TOML: ${(error.message.split("\n", 1)[0] ?? "").replace(/^Invalid TOML document: /, "")} (line ${error.line}).`,
    );
  }
}

function stamped(value: unknown): unknown {
  if (typeof value === "string") return markedTimeOf(value) ?? value;
  if (value instanceof TomlDate) return new Stamp(value.toISOString().replace(".000", ""), !value.isLocal());
  if (Array.isArray(value)) return value.map(stamped);
  if (typeof value !== "object" || value === null) return value;
  return new Map(Object.entries(value).map(([name, each]) => [name, stamped(each)]));
}

export function writeToml(value: Value, _options: Options, notes: Notes): string {
  const table = tableOf(value, "TOML");
  const simple = simplify(table, { integers: "int64", infinite: true, instants: 3, localStamps: "toml" }, notes);
  const whole = withoutNulls(simple, notes, () => {
    throw inexpressible("The data has an empty value in a list, which TOML cannot hold.");
  });
  // Nothing at all is a whole document too, but one that nobody can tell from a file that was cut off.
  return table.size === 0 ? "# empty\n" : stringifyToml(tomlOf(whole));
}

function tomlOf(value: Value): unknown {
  if (value instanceof Stamp) return new TomlDate(value.text);
  if (Array.isArray(value)) return value.map(tomlOf);
  if (!(value instanceof Map)) return plainOf(value);
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, each] of value) object[name] = tomlOf(each);
  return object;
}

/** Lists have no name of their own, which these formats demand. */
function tableOf(value: Value, label: string): Entries {
  if (value instanceof Map) return value;
  if (Array.isArray(value)) return new Map([["items", value]]);
  throw inexpressible(`The data is a single value; ${label} holds named ones.`);
}

export function parseIni(text: string): Value {
  const sections: Entries = new Map();
  const top: Entries = new Map();
  const merge = (into: Entries, part: string): void => {
    for (const [name, value] of valueOfIni(part)) into.set(name, value);
  };
  // Section by section, so that their names are kept whole: the library takes dots for levels.
  let into = top;
  let lines: string[] = [];
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const name = /^\s*\[([^\]]*)\]\s*$/.exec(line)?.[1];
    if (name === undefined) {
      lines.push(line);
      continue;
    }
    merge(into, lines.join("\n"));
    lines = [];
    const known = sections.get(name.trim());
    into = known instanceof Map ? known : new Map();
    sections.set(name.trim(), into);
  }
  merge(into, lines.join("\n"));
  const found = new Map([...top, ...sections]);
  if (found.size === 0) throw invalid("The file holds no settings.");
  return found;
}

/**
 * A value is all that stands behind the sign: whether # and ; begin a comment there is nowhere agreed on, and a password that is cut
 * at one is lost.
 */
function literal(line: string): string {
  const at = line.indexOf("=");
  const value = line.slice(at + 1).trim();
  const isQuoted = value.length > 1 && (value.startsWith('"') || value.startsWith("'")) && value.endsWith(value.charAt(0));
  return at < 0 || isQuoted ? line : `${line.slice(0, at)}=${value.replace(/[\\;#]/g, "\\$&")}`;
}

function valueOfIni(part: string): Entries {
  const value = valueFrom(ini.decode(part.split("\n").map(literal).join("\n")));
  if (!(value instanceof Map)) return new Map();
  return new Map([...value].map(([name, each]) => [name, Array.isArray(each) ? each : each === null ? null : each]));
}

export function writeIni(value: Value, _options: Options, notes: Notes): string {
  if (!(value instanceof Map)) throw inexpressible("The data is a list; INI holds named settings.");
  if (value.size === 0) throw inexpressible("The data has no settings.");
  const lines: string[] = [];
  const write = (entries: Entries, section: string): void => {
    const scalars = [...entries].filter(([, each]) => !(each instanceof Map));
    if (section !== "" && (scalars.length > 0 || entries.size === 0))
      lines.push(...(lines.length > 0 ? [""] : []), `[${iniSafe(section, notes)}]`);
    for (const [name, each] of scalars) {
      const values = Array.isArray(each) ? each : [each];
      const suffix = Array.isArray(each) ? "[]" : "";
      for (const one of values) {
        if (one instanceof Map || Array.isArray(one)) throw inexpressible("The data has lists of records, which INI cannot hold.");
        lines.push(`${ini.safe(name)}${suffix} = ${iniValue(settingOf(one))}`);
      }
    }
    for (const [name, each] of entries) if (each instanceof Map) write(each, section === "" ? name : `${section}.${name}`);
  };
  write(value, "");
  return `${lines.join("\n")}\n`;
}

/** As it is, or in quotation marks where its ends would be lost. */
function iniValue(text: string): string {
  return /^\s|\s$|^["'[]|[\r\n]|^$/.test(text) ? JSON.stringify(text) : text;
}

function iniSafe(section: string, notes: Notes): string {
  const safe = section.replace(/[\]\r\n]/g, "_");
  if (safe !== section) notes.set("NAMES_CHANGED", undefined);
  return safe;
}

function settingOf(value: Value): string {
  if (value === null) return "";
  if (value instanceof Exact || value instanceof Stamp) return value.text;
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : String(value);
}

export function parseJavaProperties(text: string): Value {
  const value = valueFrom(parseProperties(parseLines(text)));
  if (!(value instanceof Map) || value.size === 0) throw invalid("The file holds no properties.");
  return value;
}

/** Nested values by names with dots, lists by numbers, as programs that read them expect. */
export function writeJavaProperties(value: Value, _options: Options, notes: Notes): string {
  if (!(value instanceof Map)) throw inexpressible("The data is a list; properties are named.");
  if (value.size === 0) throw inexpressible("The data has no properties.");
  const flat: Record<string, string> = Object.create(null);
  const write = (given: Value, path: string): void => {
    if (given instanceof Map || Array.isArray(given)) {
      if (path !== "") notes.set("STRUCTURE_FLATTENED", "Nested values became properties with dots in their names.");
      for (const [name, each] of given.entries()) write(each, path === "" ? String(name) : `${path}.${name}`);
    } else flat[path] = settingOf(given);
  };
  write(value, "");
  // All but ASCII is escaped: older readers take bytes for Latin-1, newer ones for UTF-8.
  const text = stringifyProperties(flat, { latin1: true, keySep: "=" });
  return `${text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}
