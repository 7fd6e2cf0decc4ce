/** YAML 1.2 (core schema): text that looks like a date stays text. */
import {
  Document,
  isScalar,
  LineCounter,
  type ParseOptions,
  parseAllDocuments,
  type Scalar,
  type ScalarTag,
  type SchemaOptions,
  visit,
  YAMLError,
  type YAMLMap,
} from "yaml";
import { type Notes, noteOnce, numberOption, type Options } from "../exchange.ts";
import { invalid, tooComplex } from "../failure.ts";
import { withoutTrailing } from "../trailing.ts";
import { noteComment } from "./comments.ts";
import { Exact, maxDepth, numberOf, Stamp, simplify, tooDeep, type Value, valueFrom } from "./values.ts";

/** Repeated aliases make a small file huge. */
const maxAliases = 1000;

export const floatTag = "tag:yaml.org,2002:float";

type ReadingOptions = Pick<ParseOptions & SchemaOptions, "customTags" | "intAsBigInt" | "merge"> & { readonly uniqueKeys: boolean };

/** @throws {Failure} INVALID_INPUT with the place of the first error, or INPUT_TOO_COMPLEX. */
export function documentsOf(text: string, options: ReadingOptions): readonly Document.Parsed[] {
  assertShallow(text);
  const lineCounter = new LineCounter();
  const refuse = (message: string, offset: number): never => {
    const { line, col } = lineCounter.linePos(offset);
    throw invalid(`The file is not YAML: ${message.slice(0, 120)} at line ${line}, column ${col}`);
  };
  // The library needs quadratic time to place many errors in one line, and to compare the keys of a mapping.
  const linear = { prettyErrors: false, uniqueKeys: false, lineCounter };
  const documents = parseAllDocuments(text, { ...options, ...linear, logLevel: "error", strict: false });
  for (const document of documents) {
    const [error] = document.errors;
    // The library's error when it runs out of stack, which nesting without brackets can cause.
    if (error?.code === "RESOURCE_EXHAUSTION") throw tooDeep();
    if (error !== undefined) refuse(error.message, error.pos[0]);
    if (options.uniqueKeys) visit(document, { Map: (_key, map) => assertUniqueKeys(map, refuse) });
  }
  return documents;
}

function assertUniqueKeys({ items }: YAMLMap, refuse: (message: string, offset: number) => never): void {
  const found = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    if (found.has(key.value)) refuse("Keys of a mapping must be unique", key.range?.[0] ?? 0);
    found.add(key.value);
  }
}

/** Several documents become a list. */
export function parseYaml(text: string, notes: Notes): Value {
  const documents = documentsOf(text, { intAsBigInt: true, merge: true, customTags: ["binary"], uniqueKeys: true });
  if (documents.length === 0) return null;
  const values = documents.map((document) => {
    for (const { code, message } of document.warnings) {
      const tag = /^Unresolved tag: (\S{1,60})/.exec(message)?.[1];
      if (code === "TAG_RESOLVE_FAILED" && tag !== undefined && tag !== floatTag)
        noteOnce(notes, "METADATA_DROPPED", `The tag ${tag}, which has no equivalent here, was removed from its value.`);
    }
    const isOld = document.directives?.yaml.version === "1.1";
    let aliases = 0;
    visit(document, {
      Alias: () => {
        if (++aliases > maxAliases) throw tooComplex("The file repeats too many of its parts by reference.");
      },
      Scalar: (_key, node) => {
        const { source, tag, value } = node;
        // As YAML 1.2 reads it; in 1.1 it is octal, and in a 1.1 document the library has read it so.
        if (typeof value === "bigint" && !isOld && /^[-+]?0\d/.test(source ?? ""))
          noteOnce(
            notes,
            "DIALECT_GUESSED",
            `Numbers with leading zeros were read as decimal, as in YAML 1.2, first ${source?.slice(0, 40)}.`,
          );
        // The library does not accept a float without a point.
        const isWhole = tag === floatTag && typeof value === "string" && /^[-+]?\d+$/.test(value);
        if (source !== undefined) node.value = exactOf(source, isWhole ? Number(value) : value);
      },
    });
    noteCommentsOf(document, notes);
    try {
      return valueFrom(document.toJS({ mapAsMap: true, maxAliasCount: 100 }), notes);
    } catch (error) {
      if (error instanceof ReferenceError) throw tooComplex("The file expands to far more than its size.");
      if (error instanceof YAMLError) throw invalid("The file is not YAML.");
      throw error;
    }
  });
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values;
}

function noteCommentsOf(document: Document.Parsed, notes: Notes): void {
  const tell = ({ commentBefore, comment }: { commentBefore?: string | null | undefined; comment?: string | null | undefined }) => {
    const found = commentBefore ?? comment ?? "";
    if (found.trim() !== "") noteComment(found, notes);
    return found.trim() !== "" ? visit.BREAK : undefined;
  };
  if (tell(document) === undefined) visit(document, { Node: (_key, node) => tell(node) });
}

/** Keeps the digits of numbers and instants that do not fit the library's doubles and dates. */
function exactOf(source: string, value: unknown): unknown {
  if (typeof value === "number")
    return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(source) ? numberOf(source.replace(/(?:\.0)?e\+?/i, "e")) : value;
  return value instanceof Date ? momentOf(source, value) : value;
}

/** In its own time zone, or UTC if it has none, as YAML 1.1 requires. What no calendar has stays text. @see https://yaml.org/type/timestamp.html */
function momentOf(source: string, moment: Date): unknown {
  if (Number.isNaN(moment.getTime())) return source;
  const [, sign, hours = "", minutes = "00"] = /:\d\d(?:\.\d*)?[ \t]*([-+])(\d\d?):?(\d\d)?$/.exec(source) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60_000 : 60_000);
  const text = new Date(moment.getTime() + (sign === undefined ? 0 : offset)).toISOString();
  const numbersIn = (digits: string) => (digits.match(/\d+/g) ?? []).slice(0, source.includes(":") ? 6 : 3).map(Number);
  // The library turns 31 February into 3 March.
  if (numbersIn(source).join() !== numbersIn(text).join()) return source;
  if (!source.includes(":")) return new Stamp(text.slice(0, -"T00:00:00.000Z".length), false);
  const fraction = withoutTrailing(/\.(\d+)/.exec(source)?.[1] ?? "", "0");
  const zone = sign === undefined ? "Z" : `${sign}${hours.padStart(2, "0")}:${minutes}`;
  return new Stamp(`${text.slice(0, -".000Z".length)}${fraction === "" ? "" : `.${fraction}`}${zone}`, true);
}

/** A number as written. */
export function sourceOf({ source, value }: { readonly source?: string; readonly value: unknown }): unknown {
  return source === undefined ? value : new Exact(source);
}

/** The library recurses once per level and has no limit of its own. */
function assertShallow(text: string): void {
  let depth = 0;
  for (const bracket of text.matchAll(/[[{\]}]/g)) {
    depth += bracket[0] === "[" || bracket[0] === "{" ? 1 : -1;
    if (depth > maxDepth * 5) throw tooDeep();
  }
}

export function writeYaml(value: Value, options: Options, notes: Notes): string {
  const simple = simplify(value, { integers: "any", exact: true, infinite: true, bytes: true }, notes);
  const indent = Math.max(1, numberOption(options, "indent") ?? 2);
  // Readers of YAML 1.1, which are common, take NO for a boolean and 1:30 for ninety.
  const document = new Document(ready(simple), {
    aliasDuplicateObjects: false,
    customTags: ["binary", exactTag],
    compat: "yaml-1.1",
  });
  visit(document, { Scalar: (_key, node) => quoteUnwritable(node) });
  return escapeUnwritable(document.toString({ indent, lineWidth: 0 }));
}

/** Quotes text that others misread or reject: YAML 1.1 readers end an unquoted string at a tab. */
export function quoteUnwritable(node: Scalar): void {
  if (typeof node.value !== "string") return;
  const isCut = node.value.includes("\t") && !node.value.includes("\n");
  if (node.value === "=" || isCut || unwritable.test(node.value)) node.type = "QUOTE_DOUBLE";
}

/** For a document in which strings with such characters are quoted. */
export function escapeUnwritable(text: string): string {
  return text.replace(allUnwritable, (letter) => lineEnds[letter] ?? `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Characters that YAML allows only as escapes, line ends of YAML 1.1, and the byte order mark. */
const unwritable = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/u;
const allUnwritable = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/gu;

/** Line ends for YAML 1.1 readers, by the escapes that both versions define. */
const lineEnds: Readonly<Record<string, string>> = { "\u0085": "\\N", "\u2028": "\\L", "\u2029": "\\P" };

/**
 * Prepares numbers with an exponent, which YAML 1.1 readers recognise only with a point and a sign;
 * and bytes as a Buffer, because for any other view the library writes the whole underlying memory.
 */
function ready(value: Value): Value {
  if (value instanceof Map) return new Map([...value].map(([name, each]) => [name, ready(each)]));
  if (Array.isArray(value)) return value.map(ready);
  if (value instanceof Uint8Array) return Buffer.from(value);
  // Without a point, many readers parse an integer, which has no negative zero.
  if (Object.is(value, -0)) return new Exact("-0.0");
  const text = value instanceof Exact ? value.text : typeof value === "number" ? String(value) : "";
  const [, mantissa = "", sign, exponent] = /^([-+]?[\d.]+)e([-+]?)(\d+)$/i.exec(text) ?? [];
  if (exponent === undefined) return value;
  return new Exact(`${mantissa}${mantissa.includes(".") ? "" : ".0"}e${sign === "-" ? "-" : "+"}${exponent}`);
}

/** Writes a number in its original spelling. */
export const exactTag: ScalarTag = {
  tag: floatTag,
  default: true,
  identify: (value) => value instanceof Exact,
  resolve: (text) => text,
  stringify: ({ value }) => (value instanceof Exact ? value.text : String(value)),
};
