/** Reads JSON5. @see https://spec.json5.org */
import JSON5 from "json5";
import type { Notes } from "../exchange.ts";
import { Failure, invalid } from "../failure.ts";
import { noteComments } from "./comments.ts";
import { createTree, valueOfJson } from "./json.ts";
import { integerOf, noteDoubled, numberOf, type Value } from "./values.ts";

/** Keeps every digit and repeated names, unlike the library. */
export function parseJson5(text: string, notes: Notes): Value {
  const doubled: string[] = [];
  const value = looseJson(text, doubled) ?? treeOf(text, doubled);
  noteDoubled(doubled, notes);
  noteComments(text, "json5", notes);
  return value;
}

/** Most files are JSON with comments, for which there is a faster parser. */
function looseJson(text: string, doubled: string[]): Value | undefined {
  try {
    return valueOfJson(text, doubled, true);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "INVALID_INPUT") throw error;
    doubled.length = 0;
    return undefined;
  }
}

/** The library decides whether the text is valid, and reads single tokens. */
function treeOf(text: string, doubled: string[]): Value {
  try {
    JSON5.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(`The file is not JSON5: ${error.message.replace(/^JSON5: /, "").slice(0, 100)}.`);
    throw error;
  }
  const { put, begin, end, name, roots } = createTree(doubled);
  // Before a colon, the last token is a name.
  let last: string | undefined;
  const putLast = () => {
    if (last !== undefined) put(scalarOf(last));
    last = undefined;
  };
  for (const token of tokensOf(text)) {
    if (token === "{" || token === "[") begin(token === "{" ? new Map() : []);
    else if (token === ":") {
      name(nameOf(last ?? ""));
      last = undefined;
    } else if (token === "}" || token === "]" || token === ",") {
      putLast();
      if (token !== ",") end();
    } else last = token;
  }
  putLast();
  return roots[0] ?? null;
}

const blank = /\s/;
const word = /[^\s{}[\]:,'"/]+/y;
const lineEnd = /[\n\r\u2028\u2029]|$/g;

/** Of a valid text, without comments. */
function* tokensOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const [start, sign] = [at, text.charAt(at)];
    at += 1;
    if (blank.test(sign)) continue;
    if (sign === "/") {
      const isLine = text[at] === "/";
      lineEnd.lastIndex = at;
      at = isLine ? (lineEnd.exec(text)?.index ?? text.length) : text.indexOf("*/", at + 1) + 2;
      continue;
    }
    if (sign === '"' || sign === "'") {
      while (text[at] !== sign) at += text[at] === "\\" ? 2 : 1;
      at += 1;
    } else if (!"{}[]:,".includes(sign)) {
      word.lastIndex = start;
      at = start + (word.exec(text)?.[0].length ?? 1);
    }
    yield text.slice(start, at);
  }
}

function nameOf(token: string): string {
  if (/^['"]/.test(token)) return JSON5.parse(token);
  return token.includes("\\") ? (Object.keys(JSON5.parse(`{${token}:0}`))[0] ?? "") : token;
}

function scalarOf(token: string): Value {
  const [, sign = "", hex, decimal] = /^([-+]?)(?:(0[xX][\da-fA-F]+)|(\.?\d.*))$/.exec(token) ?? [];
  if (hex !== undefined) return integerOf(sign === "-" ? -BigInt(hex) : BigInt(hex));
  if (decimal === undefined) return JSON5.parse(token);
  // JSON has digits on both sides of a point.
  const whole = decimal.replace(/^\./, "0.").replace(/\.(?!\d)/, "");
  return numberOf(`${sign === "-" ? "-" : ""}${whole}`);
}
