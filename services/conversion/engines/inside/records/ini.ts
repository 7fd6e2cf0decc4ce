/** INI: named settings in sections. Programs agree on little else, so a value is everything after the separator. */
import { type Notes, noteOnce, type Options } from "../exchange.ts";
import { inexpressible, invalid } from "../failure.ts";
import { noteComments } from "./comments.ts";
import { type Entries, settingOf, type Value } from "./values.ts";

export function parseIni(text: string, notes: Notes): Value {
  const top: Entries = new Map();
  const sections = new Map<string, Entries>();
  let into = top;
  for (const content of settingsIn(text.replace(/^\uFEFF/, ""))) {
    const section = sectionOf(content);
    if (section === undefined) addSetting(into, content);
    else {
      into = sections.get(section) ?? new Map();
      sections.set(section, into);
    }
  }
  for (const [name, entries] of sections) top.set(freeName(top, name, notes), entries);
  if (top.size === 0) throw invalid("The file contains no settings.");
  noteComments(text, "ini", notes);
  return top;
}

const sectionOf = (line: string): string | undefined => /^\[([^\]]*)\]\s*(?:[;#].*)?$/.exec(line)?.[1]?.trim();

/**
 * Settings and section headers. A value continues on further indented lines,
 * as in setup.cfg, if its own line is empty or they have no separator.
 */
function settingsIn(text: string): readonly string[] {
  const found: string[] = [];
  let [open, goesOn] = [Number.POSITIVE_INFINITY, false];
  for (const line of text.split(/\r\n?|\n/)) {
    const content = line.trim();
    if (content === "" || content.startsWith(";") || content.startsWith("#")) continue;
    const indent = line.length - line.trimStart().length;
    const at = separatorOf(content);
    if (indent > open && (goesOn || (at < 0 && sectionOf(content) === undefined))) {
      found.push(`${found.pop() ?? ""}\n${content}`);
      goesOn = true;
      continue;
    }
    found.push(content);
    // A name alone is a boolean setting, and a section header is not a setting.
    open = sectionOf(content) !== undefined || at < 0 ? Number.POSITIVE_INFINITY : indent;
    goesOn = at === content.length - 1;
  }
  return found;
}

/** A section may have the same name as a setting above all sections. */
function freeName(taken: Entries, wanted: string, notes: Notes): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`;
  if (name !== wanted) noteOnce(notes, "NAMES_CHANGED", `${shown(wanted)} is both a setting and a section; the section was renamed.`);
  return name;
}

/** A repeated name makes a list, as does one that ends with []: programs variously use the first, the last or all of them. */
function addSetting(into: Entries, line: string): void {
  const at = separatorOf(line);
  const told = unquoted(at < 0 ? line : line.slice(0, at).trimEnd());
  const value = at < 0 ? true : settingFrom(line.slice(at + 1).trim());
  const isList = told.length > 2 && told.endsWith("[]");
  const name = isList ? told.slice(0, -2) : told;
  const known = into.get(name);
  if (Array.isArray(known)) known.push(value);
  else if (known !== undefined) into.set(name, [known, value]);
  else into.set(name, isList ? [value] : value);
}

/** The first `=`, or an earlier colon followed by a blank: without a blank it may be part of a name or path. */
function separatorOf(line: string): number {
  const sign = line.indexOf("=");
  const colon = /:(?:\s|$)/.exec(line)?.index ?? -1;
  return colon > 0 && (sign < 0 || colon < sign) ? colon : sign;
}

function settingFrom(text: string): Value {
  return text === "true" || text === "false" ? text === "true" : unquoted(text);
}

const isQuoted = (text: string, quote: string): boolean =>
  text.length > 1 && text.startsWith(quote) && text.indexOf(quote, 1) === text.length - 1;

/** Removes enclosing quotation marks; backslashes are literal, as in paths. */
function unquoted(text: string): string {
  return isQuoted(text, '"') || isQuoted(text, "'") ? text.slice(1, -1) : text;
}

export function writeIni(value: Value, _options: Options, notes: Notes): string {
  if (!(value instanceof Map)) throw inexpressible("The data is a list, but INI stores named settings.");
  if (value.size === 0) throw inexpressible("The data has no settings.");
  const lines: string[] = [];
  const write = (entries: Entries, section: string): void => {
    const scalars = [...entries].filter(([, each]) => !(each instanceof Map));
    if (section !== "" && (scalars.length > 0 || entries.size === 0))
      lines.push(...(lines.length > 0 ? [""] : []), `[${safeName(section, /[\]\r\n]/g, notes)}]`);
    for (const [name, each] of scalars) lines.push(...settingsOf(name, each, notes));
    for (const [name, each] of entries) {
      if (!(each instanceof Map)) continue;
      if (section !== "") noteOnce(notes, "STRUCTURE_FLATTENED", `Nested sections got dotted names, first ${shown(`${section}.${name}`)}.`);
      write(each, section === "" ? name : `${section}.${name}`);
    }
  };
  write(value, "");
  return `${lines.join("\n")}\n`;
}

function settingsOf(name: string, value: Value, notes: Notes): readonly string[] {
  const safe = safeName(name, /[=\r\n]|^[;#["'\s]|\s$|:/g, notes);
  if (!Array.isArray(value)) return [`${safe} = ${written(value, name, notes)}`.trimEnd()];
  if (value.length === 0) noteOnce(notes, "EMPTY_VALUES_DROPPED", `Empty lists were left out, first ${shown(name)}.`);
  return value.map((each) => {
    if (each instanceof Map || Array.isArray(each)) throw inexpressible("The data has lists of records, which INI cannot store.");
    return `${safe}[] = ${written(each, name, notes)}`.trimEnd();
  });
}

/** As it is, or in quotation marks to protect leading and trailing characters. */
function written(value: Value, name: string, notes: Notes): string {
  const text = settingOf(value, name, notes);
  const line = text.replace(/\r\n?|\n/g, "\\n");
  if (line !== text) noteOnce(notes, "CHARACTERS_REPLACED", `Line breaks in values were written as \\n, first in ${shown(name)}.`);
  if (unquoted(line) === line && line.trim() === line) return line;
  const quote = line.includes('"') ? "'" : '"';
  if (line.includes(quote)) noteOnce(notes, "CHARACTERS_REPLACED", `Spaces or quotation marks at the ends of ${shown(name)} may be lost.`);
  return `${quote}${line}${quote}`;
}

function safeName(name: string, unsafe: RegExp, notes: Notes): string {
  const safe = name.replace(unsafe, "_");
  if (safe !== name) noteOnce(notes, "NAMES_CHANGED", `Names that INI does not allow were changed, first ${shown(name)}.`);
  return safe;
}

const shown = (name: string): string => `“${name.slice(0, 60)}”`;
