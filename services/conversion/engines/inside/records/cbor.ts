/** CBOR (RFC 8949) and its tags. @see https://www.iana.org/assignments/cbor-tags */
import { type DecodeOptions, decodeSequence, encode, Simple, Tag } from "cbor2";
import { type Notes, noteAlso, noteOnce, type Options } from "../exchange.ts";
import { inexpressible } from "../failure.ts";
import { listOrOnly, reading } from "./binary.ts";
import { scaled, stampOfUnits, uuidTextOf } from "./parquet-types.ts";
import { Exact, integerOf, maxDepth, numberOf, Pairs, Stamp, simplify, type Value, valueFrom } from "./values.ts";

type Meaning = (contents: unknown, notes: Notes) => unknown;

/** Applies a tag to its content; undefined if they do not match. */
const meanings: Readonly<Record<number, Meaning>> = {
  0: (text) => (typeof text === "string" && !Number.isNaN(Date.parse(text)) ? new Stamp(text, true) : undefined),
  1: (seconds) => momentOf(seconds),
  4: (pair) => exactOf(pair, decimalOf),
  5: (pair) => exactOf(pair, binaryOf),
  30: (pair) => (isIntegerPair(pair) ? rationalOf(BigInt(pair[0]), BigInt(pair[1])) : undefined),
  37: (bytes, notes) => uuidOf(bytes, notes),
  100: (days) => (Number.isSafeInteger(days) ? dayOf(Number(days) * 86_400_000) : undefined),
  1004: (text) => (typeof text === "string" && !Number.isNaN(Date.parse(text)) ? new Stamp(text, false) : undefined),
};

/** Hints for bytes as text, URIs, sets, and CBOR itself: the content is complete without the tag. */
const evident = new Set([21, 22, 23, 32, 258, 259, 55_799]);

/** Handled here because the library's dates stop at milliseconds, and its patterns and URLs are objects that change their text. */
const ownTags = [...Object.keys(meanings).map(Number), 24, 32, 33, 34, 35, 262, 280, 21_065, 21_066];

const reader: DecodeOptions = {
  // The library counts a list twice.
  maxDepth: 2 * maxDepth,
  createObject: (pairs) => new Pairs(pairs.map(([name, value]) => [name, value])),
  tags: new Map(ownTags.map((number) => [number, (tag) => tag])),
};

export function parseCbor(bytes: Uint8Array, notes: Notes): Value {
  return reading("CBOR", () => {
    const values = [...decodeSequence(bytes, reader)];
    return listOrOnly(
      values.map((value) => valueFrom(cborOf(value, notes), notes)),
      "CBOR",
    );
  });
}

function cborOf(value: unknown, notes: Notes): unknown {
  if (value === undefined) noteOnce(notes, "METADATA_DROPPED", "Undefined values became null.");
  if (value instanceof Simple) {
    noteOnce(notes, "TYPES_AS_TEXT", `Simple values that only CBOR has became text, first ${value.value}.`);
    return `simple(${value.value})`;
  }
  if (value instanceof Tag) return meantBy(Number(value.tag), cborOf(value.contents, notes), notes);
  if (Array.isArray(value)) return value.map((each) => cborOf(each, notes));
  if (value instanceof Set) return [...value].map((each) => cborOf(each, notes));
  if (value instanceof Map) return new Map([...value].map(([name, each]) => [name, cborOf(each, notes)]));
  if (value instanceof Pairs) return new Pairs(value.list.map(([name, each]) => [cborOf(name, notes), cborOf(each, notes)]));
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf();
  return isNumbers(value) ? Array.from<unknown>(value) : value;
}

/** Typed arrays, which are stored as bytes. */
function isNumbers(value: unknown): value is Iterable<unknown> {
  return ArrayBuffer.isView(value) && !(value instanceof Uint8Array) && !(value instanceof DataView);
}

/** Back references, whose value is elsewhere: to a text, and to anything. */
const references = new Set([25, 29]);

function meantBy(tag: number, contents: unknown, notes: Notes): unknown {
  if (references.has(tag)) throw inexpressible("The file refers from one value to another, which cannot be read.");
  const meant = meanings[tag]?.(contents, notes);
  if (meant !== undefined) return meant;
  if (!evident.has(tag)) noteAlso(notes, "METADATA_DROPPED", `Tag ${tag}, which has no equivalent here, was removed from its value.`);
  return contents;
}

/** Seconds since 1970; a double resolves microseconds for current dates. */
function momentOf(seconds: unknown): unknown {
  if (typeof seconds === "bigint") return stampOfUnits(seconds, 0);
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || Math.abs(seconds) > 9e9) return undefined;
  return stampOfUnits(BigInt(Math.round(seconds * 1e6)), 6);
}

function dayOf(ms: number): unknown {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : new Stamp(date.toISOString().slice(0, -"T00:00:00.000Z".length), false);
}

function uuidOf(bytes: unknown, notes: Notes): unknown {
  if (!(bytes instanceof Uint8Array) || bytes.length !== 16) return undefined;
  noteOnce(notes, "TYPES_AS_TEXT", "Identifiers (UUIDs) became text.");
  return uuidTextOf(bytes);
}

const isInteger = (value: unknown): value is number | bigint => typeof value === "bigint" || Number.isSafeInteger(value);

/** An exponent and a mantissa (RFC 8949 §3.4.4). */
function exactOf(pair: unknown, numberBy: (exponent: number | bigint, mantissa: bigint) => unknown): unknown {
  return isIntegerPair(pair) ? numberBy(pair[0], BigInt(pair[1])) : undefined;
}

const isIntegerPair = (pair: unknown): pair is [number | bigint, number | bigint] =>
  Array.isArray(pair) && pair.length === 2 && pair.every(isInteger);

/** Beyond these, decimals keep the exponent, and binary fractions are not converted. */
const maxExponent = 1100;

function decimalOf(exponent: number | bigint, mantissa: bigint): unknown {
  const isSmall = exponent < 0 && exponent >= -maxExponent;
  return numberOf(isSmall ? scaled(mantissa, -Number(exponent)) : `${mantissa}e${exponent}`);
}

function binaryOf(exponent: number | bigint, mantissa: bigint): unknown {
  if (exponent > maxExponent || exponent < -maxExponent) return undefined;
  const places = BigInt(exponent);
  return places >= 0n ? integerOf(mantissa << places) : numberOf(scaled(mantissa * 5n ** -places, Number(-places)));
}

/** A fraction (http://peteroupc.github.io/CBOR/rational.html); undefined if no decimal equals it, as for 1/3. */
function rationalOf(numerator: bigint, denominator: bigint): unknown {
  // A power of ten that it divides has no more zeros than it has bits.
  const places = denominator.toString(2).length - 1;
  if (denominator <= 0n || places > maxExponent) return undefined;
  const unscaled = numerator * 10n ** BigInt(places);
  return unscaled % denominator === 0n ? numberOf(scaled(unscaled / denominator, places)) : undefined;
}

export function writeCbor(value: Value, _options: Options, notes: Notes): Uint8Array {
  return encode(dated(simplify(value, { integers: "any", infinite: true, bytes: true, instants: true }, notes)));
}

/** The library writes seconds as doubles, which cannot resolve milliseconds far from 1970. */
function isInSeconds(text: string): boolean {
  return !text.includes(".") || (!/\.\d{4}/.test(text) && Math.abs(Date.parse(text)) < 2 ** 42);
}

function dated(value: Value): unknown {
  if (value instanceof Stamp) return isInSeconds(value.text) ? new Date(value.text) : new Tag(0, value.text);
  if (value instanceof Exact) return Number(value.text);
  // The library treats subclasses, such as Node's Buffer, as objects.
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(dated);
  return value instanceof Map ? new Map([...value].map(([name, each]) => [name, dated(each)])) : value;
}
