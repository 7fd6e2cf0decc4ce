/** JSON (RFC 8259) and JSON lines, and writing JSON5; json5.ts reads it. */
import { type ParseErrorCode, printParseErrorCode, visit } from "jsonc-parser";
import { type Notes, noteOnce, numberOption, type Options, textOption } from "../exchange.ts";
import { invalid } from "../failure.ts";
import { type Entries, Exact, freeName, maxDepth, noteDoubled, numberOf, simplify, tooDeep, type Value, valueFrom } from "./values.ts";

/** Keeps every digit of every number, the order of names and repeated names, unlike JSON.parse. Several values are read as a list. */
export function parseJson(text: string, notes: Notes): Value {
  return withParts(text, notes, (doubled) => valueOfJson(text, doubled));
}

function withParts(text: string, notes: Notes, read: (doubled: string[]) => Value): Value {
  const doubled: string[] = [];
  const value = (() => {
    try {
      return read(doubled);
    } catch (error) {
      const parts = partsOf(text);
      if (parts.length === 0) throw error;
      doubled.length = 0;
      const values = valuesOfParts(parts, doubled);
      if (values === undefined) throw error;
      if (parts.length > 1) noteOnce(notes, "DIALECT_GUESSED", "Several values, one after another, were read as a list.");
      return values;
    }
  })();
  noteDoubled(doubled, notes);
  return value;
}

/** Undefined if one is damaged: its error would count the lines from its own start. */
function valuesOfParts(parts: readonly string[], doubled: string[]): Value[] | undefined {
  try {
    return parts.map((part) => valueOfJson(part, doubled));
  } catch {
    return undefined;
  }
}

/** Objects and lists that follow one another, on one line or on many; none if there is anything else between them. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === "{" || sign === "[") {
      if (depth === 0) start = at;
      depth += 1;
    } else if (depth === 0) {
      if (sign.trim() !== "") return [];
    } else if (sign === '"') {
      for (at += 1; at < text.length && text.charAt(at) !== '"'; at += 1) if (text.charAt(at) === "\\") at += 1;
    } else if (sign === "}" || sign === "]") {
      depth -= 1;
      if (depth === 0) parts.push(text.slice(start, at + 1));
    }
  }
  return depth === 0 ? parts : [];
}

/** Puts values together in file order, with every value of a repeated name. */
export function createTree(doubled: string[]) {
  const open: { readonly into: Value[] | Entries; name: string }[] = [];
  const roots: Value[] = [];
  const put = (value: Value): void => {
    const inner = open.at(-1);
    if (inner === undefined) roots.push(value);
    else if (Array.isArray(inner.into)) inner.into.push(value);
    else inner.into.set(freeName(inner.into, inner.name, doubled), value);
  };
  const begin = (into: Value[] | Entries): void => {
    if (open.length >= maxDepth) throw tooDeep();
    put(into);
    open.push({ into, name: "" });
  };
  const end = () => void open.pop();
  const name = (told: string): void => {
    const inner = open.at(-1);
    if (inner !== undefined) inner.name = told;
  };
  return { put, begin, end, name, roots };
}

/** `isLoose`: allows comments and trailing commas. */
export function valueOfJson(text: string, doubled: string[], isLoose = false): Value {
  const { put, begin, end, name, roots } = createTree(doubled);
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  visit(
    source,
    {
      onObjectBegin: () => begin(new Map()),
      onArrayBegin: () => begin([]),
      onObjectEnd: end,
      onArrayEnd: end,
      onObjectProperty: name,
      onLiteralValue: (value: unknown, offset, length) =>
        put(typeof value === "number" ? numberOf(source.slice(offset, offset + length)) : valueFrom(value)),
      onError: (code, _offset, _length, line) => {
        throw notJson(code, line);
      },
    },
    { disallowComments: !isLoose, allowTrailingComma: isLoose },
  );
  const [root] = roots;
  if (roots.length !== 1 || root === undefined) throw invalid("The file is not one JSON value.");
  return root;
}

/** In words: of CloseBraceExpected, `close brace expected`. */
export function notJson(code: ParseErrorCode, line: number) {
  const words = printParseErrorCode(code).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return invalid(`The file is not JSON:${words} in line ${line + 1}.`);
}

/** @see https://github.com/ndjson/ndjson-spec: one value per line, empty lines are ignored. Some programs spread a value over several. */
export function parseJsonLines(text: string, notes: Notes): Value {
  const ofLine = (line: string, index: number, doubled: string[]): Value[] => {
    if (line.trim() === "" || line === "\uFEFF") return [];
    try {
      return [valueOfJson(line, doubled)];
    } catch (error) {
      throw error instanceof Error && "code" in error && error.code === "INVALID_INPUT" ? invalid(`Line ${index + 1} is not JSON.`) : error;
    }
  };
  return withParts(text, notes, (doubled) => text.split("\n").flatMap((line, index) => ofLine(line, index, doubled)));
}

/** Serialises what JSON can express; an `indent` of 0 makes one line. */
export function jsonTextOf(value: Value, indent: number): string {
  const write = (given: Value, margin: string): string => {
    if (typeof given === "bigint" || (typeof given === "number" && !Number.isFinite(given))) return String(given);
    if (given instanceof Exact) return given.text.replace(/^\+/, "");
    if (Array.isArray(given))
      return block(
        "[",
        given.map((each) => write(each, margin + step)),
        "]",
        margin,
      );
    if (given instanceof Map) {
      const members = [...given].map(([name, each]) => `${JSON.stringify(name)}:${gap}${write(each, margin + step)}`);
      return block("{", members, "}", margin);
    }
    // With a point: many readers parse integers separately, which have no negative zero.
    return Object.is(given, -0) ? "-0.0" : (JSON.stringify(given) ?? "null");
  };
  const step = " ".repeat(indent);
  const gap = indent === 0 ? "" : " ";
  const block = (open: string, parts: readonly string[], close: string, margin: string): string => {
    if (parts.length === 0) return open + close;
    if (indent === 0) return open + parts.join(",") + close;
    return `${open}\n${parts.map((part) => margin + step + part).join(",\n")}\n${margin}${close}`;
  };
  return write(value, "");
}

const ability = { integers: "any", exact: true } as const;

export function writeJson(value: Value, options: Options, notes: Notes): string {
  const indent = numberOption(options, "indent") ?? 2;
  const text = jsonTextOf(simplify(value, ability, notes), indent);
  return `${textOption(options, "charset") === "ascii" ? text.replace(/[\u007f-\uffff]/g, escaped) : text}\n`;
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

export function writeJsonLines(value: Value, _options: Options, notes: Notes): string {
  const simple = simplify(value, ability, notes);
  return (Array.isArray(simple) ? simple : [simple]).map((line) => `${jsonTextOf(line, 0)}\n`).join("");
}

/** Names without quotation marks where the grammar allows (ASCII only, which every reader accepts). */
export function writeJson5(value: Value, options: Options, notes: Notes): string {
  const indent = numberOption(options, "indent") ?? 2;
  const text = jsonTextOf(simplify(value, { ...ability, infinite: true }, notes), indent);
  return `${text.replace(/^( *)"([A-Za-z_$][\w$]*)":/gm, "$1$2:")}\n`;
}
