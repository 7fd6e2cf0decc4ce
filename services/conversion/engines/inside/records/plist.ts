/** Apple's property lists. @see https://www.apple.com/DTDs/PropertyList-1.0.dtd */
import { build, buildBinary, parse as parseOtherPlist } from "plist";
import { type Notes, type Options, textOption } from "../exchange.ts";
import { inexpressible, invalid } from "../failure.ts";
import { parseBinaryPlist } from "./binary-plist.ts";
import { Exact, entriesOf, freeNames, noteDoubled, numberOf, Stamp, simplify, type Value, valueFrom, withoutNulls } from "./values.ts";
import { childrenOf, elementOf, type Node, rootOf, speakable, textWithin } from "./xml.ts";

export function parsePlist(bytes: Uint8Array, decode: () => string, notes: Notes): Value {
  if (Buffer.from(bytes.subarray(0, 8)).toString("latin1") === "bplist00") return parseBinaryPlist(bytes);
  const text = decode();
  if (!text.trimStart().startsWith("<")) return parseOldPlist(text);
  if (/<!ENTITY/i.test(text)) throw invalid("The file declares its own entities.");
  const root = rootOf(text);
  const [only, ...others] = elementOf(root) === "plist" ? childrenOf(root) : [];
  if (only === undefined || others.length > 0) throw notPlist();
  const doubled: string[] = [];
  const value = valueOfElement(only, doubled, notes);
  noteDoubled(doubled, notes);
  return value;
}

const notPlist = () => invalid("The file is not a property list.");

/** NeXTSTEP's format, which has text, bytes, lists and names. */
function parseOldPlist(text: string): Value {
  try {
    return valueFrom(parseOtherPlist(text));
  } catch {
    throw notPlist();
  }
}

function valueOfElement(node: Node, doubled: string[], notes: Notes): Value {
  const text = () => textWithin(node, notes);
  switch (elementOf(node)) {
    case "dict":
      return entriesOf(pairsOf(node, doubled, notes), doubled);
    case "array":
      return childrenOf(node).map((child) => valueOfElement(child, doubled, notes));
    case "string":
      return text();
    case "integer":
      return integerOfText(text().trim());
    case "real":
      return realOfText(text().trim());
    case "true":
    case "false":
      return elementOf(node) === "true";
    case "date":
      return dateOfText(text().trim());
    case "data":
      return new Uint8Array(Buffer.from(text(), "base64"));
    default:
      throw notPlist();
  }
}

function pairsOf(node: Node, doubled: string[], notes: Notes): (readonly [string, Value])[] {
  const children = childrenOf(node);
  if (children.length % 2 !== 0) throw notPlist();
  return children.flatMap((key, place) => {
    if (place % 2 !== 0) return [];
    const value = children[place + 1];
    if (elementOf(key) !== "key" || value === undefined) throw notPlist();
    return [[textWithin(key, notes), valueOfElement(value, doubled, notes)] as const];
  });
}

function integerOfText(text: string): Value {
  const [, sign = "", hexadecimal] = /^([-+]?)0x([\da-f]{1,1000})$/i.exec(text) ?? [];
  if (hexadecimal !== undefined) return numberOf(`${sign}${BigInt(`0x${hexadecimal}`)}`);
  if (!/^[-+]?\d+$/.test(text)) throw notPlist();
  return numberOf(text);
}

function realOfText(text: string): Value {
  const special = /^([-+]?)(nan|inf|infinity)$/i.exec(text);
  if (special !== null) return special[2]?.toLowerCase() === "nan" ? Number.NaN : special[1] === "-" ? -Infinity : Infinity;
  if (text === "" || Number.isNaN(Number(text))) throw notPlist();
  return numberOf(text);
}

function dateOfText(text: string): Value {
  if (Number.isNaN(Date.parse(text))) throw notPlist();
  return new Stamp(text, true);
}

export function writePlist(value: Value, options: Options, notes: Notes): string | Uint8Array {
  const isBinary = textOption(options, "form") === "binary";
  // The library's binary writer converts integers through doubles.
  const ability = isBinary ? ({ integers: "safe", instants: 3 } as const) : ({ integers: "any", exact: true, instants: 0 } as const);
  const whole = withoutNulls(simplify(value, { ...ability, bytes: true }, notes), notes, () => "");
  if (whole === null) throw inexpressible("The data is a single empty value, which a property list cannot store.");
  const plain = plistOf(whole, isBinary ? (text) => text : (text) => speakable(text, notes), isBinary);
  return isBinary ? buildBinary(plain) : build(plain).replace(marked, "<$1>$2</$1>");
}

/** Marks numbers that the library would round or turn into integers; they are passed as text. */
const mark = "\ue000number:";
const marked = /<string>\ue000number:(real|integer):([^<]*)<\/string>/g;

type Plain = Parameters<typeof build>[0];

function plistOf(value: Value, said: (text: string) => string, isBinary: boolean): Plain {
  if (typeof value === "string") return said(value);
  if (typeof value === "bigint") return `${mark}integer:${value}`;
  if (Object.is(value, -0) && !isBinary) return `${mark}real:-0.0`;
  if (typeof value === "number") return isBinary ? storedNumber(value) : Math.abs(value) < 1e21 ? value : `${mark}real:${value}`;
  if (value instanceof Stamp) return new Date(value.text);
  if (value instanceof Exact) return `${mark}real:${value.text}`;
  if (Array.isArray(value)) return value.map((each) => plistOf(each, said, isBinary));
  if (!(value instanceof Map)) return value;
  const object: { [name: string]: Plain } = Object.create(null);
  const names = freeNames([...value.keys()].map((name) => [name, said(name)]));
  for (const [at, each] of [...value.values()].entries()) object[names[at] ?? ""] = plistOf(each, said, isBinary);
  return object;
}

/** The library writes large integers correctly only from bigints, which its types do not include. */
function storedNumber(value: number): Plain {
  return Number.isSafeInteger(value) && Math.abs(value) > 0xffff_ffff ? (BigInt(value) as never) : value;
}
