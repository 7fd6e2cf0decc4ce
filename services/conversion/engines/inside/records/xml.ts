/** XML as data: elements by name, `@name` for attributes, `#text` beside them, repeated elements as a list. */
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { type Notes, noteOnce, numberOption, type Options, textOption } from "../exchange.ts";
import { invalid, tooComplex } from "../failure.ts";
import { assertShallowXml } from "../xml-depth.ts";
import { noteComments } from "./comments.ts";
import { type Entries, Exact, freeNames, maxDepth, Stamp, simplify, textOfScalar, type Value } from "./values.ts";
import { asXmlName, isXmlName } from "./xml-names.ts";

const cdataPropName = "#cdata";
/** Before every name: the library renames or rejects names that objects have of their own, such as `constructor`. */
const [elementMark, attributeMark] = ["<", "@"];

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: attributeMark,
  // The library calls this twice for an empty element.
  transformTagName: (name) => (name.startsWith(elementMark) ? name : `${elementMark}${name}`),
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  // Done here: the library leaves numeric references unexpanded, and would expand references in CDATA.
  processEntities: false,
  cdataPropName,
  maxNestedTags: maxDepth,
});

export type Node = Readonly<Record<string, unknown>>;

const namedEntities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** @see https://www.w3.org/TR/xml/#sec-references */
function expanded(text: string, notes: Notes): string {
  return text.replace(/&(?:#(\d+)|#x([\da-fA-F]+)|([\w.:-]+));/g, (whole, decimal, hexadecimal, name) => {
    const code = name !== undefined ? 0 : decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    const isLetter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    const letter = isLetter ? String.fromCodePoint(code) : Object.hasOwn(namedEntities, name ?? "") ? namedEntities[name] : undefined;
    if (letter === undefined)
      noteOnce(notes, "INPUT_DAMAGED", `References to nothing that XML knows stay as text, first ${whole.slice(0, 40)}.`);
    return letter ?? whole;
  });
}

export function parseXml(text: string, notes: Notes): Value {
  if (/<!ENTITY/i.test(text)) throw tooComplex("The file declares its own entities, which are not expanded.");
  const root = rootOf(text);
  noteComments(text, "xml", notes);
  return new Map([[elementOf(root) ?? "", valueOfNode(root, notes)]]);
}

/** Throws if it is not XML, or too deep. */
export function assertXml(text: string): void {
  assertShallowXml(text, maxDepth);
  const found = XMLValidator.validate(text);
  if (found !== true) throw invalid(`The file is not XML: ${found.err.msg.slice(0, 120)} (line ${found.err.line}).`);
}

/** The root element. Throws if it is not XML, or too deep. */
export function rootOf(text: string): Node {
  assertXml(text);
  const nodes: unknown = parser.parse(text);
  const [root] = Array.isArray(nodes) ? nodes.filter((node) => isNode(node) && elementOf(node) !== undefined) : [];
  if (!isNode(root)) throw invalid("The file is not XML.");
  return root;
}

/** Its child elements. */
export function childrenOf(node: Node): readonly Node[] {
  return nodesOf(node).filter((child) => elementOf(child) !== undefined);
}

/** Its text, without that of its child elements. */
export function textWithin(node: Node, notes: Notes): string {
  return nodesOf(node)
    .filter((child) => elementOf(child) === undefined)
    .map((child) => textOfNode(child, notes))
    .join("");
}

function nodesOf(node: Node): readonly Node[] {
  const children = node[`${elementMark}${elementOf(node)}`];
  return Array.isArray(children) ? children.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}

export function elementOf(node: Node): string | undefined {
  return Object.keys(node)
    .find((name) => name.startsWith(elementMark))
    ?.slice(elementMark.length);
}

function textOfNode(node: Node, notes: Notes): string {
  const [section] = Array.isArray(node[cdataPropName]) ? node[cdataPropName] : [];
  return isNode(section) ? String(section["#text"] ?? "") : expanded(String(node["#text"] ?? ""), notes);
}

function valueOfNode(node: Node, notes: Notes): Value {
  const entries: Entries = new Map();
  const attributes = node[":@"];
  // Readers of XML take line ends and tabs of attributes for blanks, unless they are references.
  if (isNode(attributes))
    for (const [name, value] of Object.entries(attributes))
      entries.set(name, expanded(String(value).replace(/\r\n|[\t\n\r]/g, " "), notes));
  let text = "";
  let last: string | undefined;
  for (const child of nodesOf(node)) {
    const name = elementOf(child);
    if (name === undefined) {
      text += textOfNode(child, notes);
      continue;
    }
    const value = valueOfNode(child, notes);
    const known = entries.get(name);
    if (known !== undefined && name !== last)
      noteOnce(
        notes,
        "STRUCTURE_FLATTENED",
        `Elements with the same name were grouped, first “${name.slice(0, 60)}”; their order among other elements is lost.`,
      );
    last = name;
    if (known === undefined) entries.set(name, value);
    else if (Array.isArray(known)) known.push(value);
    else entries.set(name, [known, value]);
  }
  if (entries.size === 0) return text;
  if (last !== undefined && text.trim() !== "") {
    noteOnce(notes, "STRUCTURE_FLATTENED", "Text between elements was joined; its position is lost.");
    entries.set("#text", text.trim());
  } else if (last === undefined && text !== "") entries.set("#text", text);
  return entries;
}

export function writeXml(value: Value, options: Options, notes: Notes): string {
  const step = " ".repeat(numberOption(options, "indent") ?? 2);
  const item = xmlNameOf(textOption(options, "item") ?? "item", notes);
  const [first] = value instanceof Map && value.size === 1 ? value : [];
  const isRooted = first !== undefined && !Array.isArray(first[1]) && isXmlName(first[0]);
  const [root, content] = isRooted ? first : [textOption(options, "root") ?? "root", value];
  const writing: Writing = { lines: ['<?xml version="1.0" encoding="UTF-8"?>'], step, item, notes, prefixes: new Set() };
  const simple = simplify(content, ability, notes);
  writeElement(writing, elementNameOf(writing, root, [simple]), simple, "");
  const { lines } = writing;
  return `${lines.join(step === "" ? "" : "\n")}\n`;
}

/** Text can express every number, date and byte string. */
const ability = { integers: "any", exact: true, infinite: true, instants: true, localStamps: true } as const;

type Writing = {
  readonly lines: string[];
  readonly step: string;
  readonly item: string;
  readonly notes: Notes;
  /** Declared by enclosing elements. @see https://www.w3.org/TR/xml-names/#ns-decl */
  readonly prefixes: ReadonlySet<string>;
};

function declaredBy(value: Value): readonly string[] {
  return value instanceof Map ? [...value.keys()].flatMap((key) => (key.startsWith("@xmlns:") ? [key.slice(7)] : [])) : [];
}

/** One name for all these values. An undeclared prefix is removed, because namespace-aware readers reject it. */
function elementNameOf({ notes, prefixes }: Writing, wanted: string, values: readonly Value[]): string {
  const name = xmlNameOf(wanted, notes);
  const [prefix = ""] = name.split(":");
  const isBound = prefix === name || prefixes.has(prefix) || values.every((value) => declaredBy(value).includes(prefix));
  return isBound ? name : withoutPrefix(name, notes);
}

function withoutPrefix(name: string, notes: Notes): string {
  noteOnce(notes, "NAMES_CHANGED", `Names with an undeclared namespace prefix were changed, first “${name.slice(0, 60)}”.`);
  return name.replace(":", "_");
}

function writeElement(around: Writing, name: string, value: Value, margin: string): void {
  const declared = declaredBy(value);
  const writing = declared.length === 0 ? around : { ...around, prefixes: new Set([...around.prefixes, ...declared]) };
  const { lines, step, item, notes } = writing;
  if (value === null || (Array.isArray(value) ? value.length === 0 : value instanceof Map && value.size === 0))
    noteOnce(notes, "EMPTY_VALUES_DROPPED", `Empty values, lists and groups became empty elements, first “${name.slice(0, 60)}”.`);
  if (!(value instanceof Map) && !Array.isArray(value)) {
    const text = escapeText(textOf(value), notes);
    lines.push(text === "" ? `${margin}<${name}/>` : `${margin}<${name}>${text}</${name}>`);
    return;
  }
  const members: readonly (readonly [string, Value])[] = Array.isArray(value) ? value.map((each) => [item, each] as const) : [...value];
  const isAttribute = ([key, each]: readonly [string, Value]) =>
    key.length > 1 && key.startsWith("@") && isXmlName(key.slice(1)) && !Array.isArray(each) && !(each instanceof Map);
  const own = members.filter(isAttribute);
  const ownNames = freeNames(own.map(([key]) => [key.slice(1), attributeNameOf(writing, key.slice(1))]));
  const attributes = own.map(
    ([, each], at) =>
      ` ${ownNames[at]}="${escapeText(textOf(each), notes).replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`,
  );
  const rest = Array.isArray(value) ? members : members.filter((member) => !isAttribute(member));
  const start = `${margin}<${name}${attributes.join("")}`;
  const [only] = rest;
  if (only === undefined) return void lines.push(`${start}/>`);
  if (rest.length === 1 && only[0] === "#text" && !(only[1] instanceof Map) && !Array.isArray(only[1])) {
    return void lines.push(`${start}>${escapeText(textOf(only[1]), notes)}</${name}>`);
  }
  lines.push(`${start}>`);
  const lone = Array.isArray(value) ? undefined : rest.find(([, each]) => Array.isArray(each) && each.length === 1);
  if (lone !== undefined)
    noteOnce(notes, "STRUCTURE_FLATTENED", `Lists of one value became single elements, first “${lone[0].slice(0, 60)}”.`);
  const all = rest.map(([, each]) => (Array.isArray(each) && each.length > 0 && !Array.isArray(value) ? each : [each]));
  const names = Array.isArray(value)
    ? rest.map(([key]) => key)
    : freeNames(rest.map(([key], at) => [key, elementNameOf(writing, key, all[at] ?? [])]));
  for (const [at, ones] of all.entries()) for (const one of ones) writeElement(writing, names[at] ?? item, one, margin + step);
  lines.push(`${margin}</${name}>`);
}

function attributeNameOf({ notes, prefixes }: Writing, name: string): string {
  const [prefix = ""] = name.split(":");
  return prefix === name || /^xml(ns)?$/.test(prefix) || prefixes.has(prefix) ? name : withoutPrefix(name, notes);
}

function xmlNameOf(name: string, notes: Notes): string {
  const valid = asXmlName(name);
  if (valid !== name) noteOnce(notes, "NAMES_CHANGED", `Names that XML does not allow were changed, first “${name.slice(0, 60)}”.`);
  return valid;
}

function textOf(value: Value): string {
  return value instanceof Exact || value instanceof Stamp ? value.text : textOfScalar(value);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unspeakable = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

function escapeText(text: string, notes: Notes): string {
  return speakable(text, notes).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;");
}

/** XML 1.0 cannot represent most control characters, not even escaped. */
export function speakable(text: string, notes: Notes): string {
  const clean = text.toWellFormed().replace(unspeakable, "\ufffd");
  if (clean !== text)
    noteOnce(notes, "CHARACTERS_REPLACED", `Characters that XML does not allow were replaced, first in “${clean.slice(0, 60)}”.`);
  return clean;
}
