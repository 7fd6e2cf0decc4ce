/** Binary relatives of JSON: MessagePack, CBOR (RFC 8949) and BSON. A file of several values is a list. */
import { decodeMulti, ExtData, encode as encodeMsgpack } from "@msgpack/msgpack";
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  calculateObjectSize,
  DBRef,
  Decimal128,
  Double,
  deserialize,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from "bson";
import { decodeSequence, encode as encodeCbor, Tag } from "cbor2";
import type { Notes, Options } from "../exchange.ts";
import { Failure, inexpressible, invalid } from "../failure.ts";
import { Exact, integerOf, maxDepth, numberOf, plainOf, Stamp, simplify, stampOf, tooDeep, type Value, valueFrom } from "./values.ts";

function listOrOnly(values: readonly Value[], label: string): Value {
  const [first] = values;
  if (first === undefined) throw invalid(`The file is not ${label}.`);
  return values.length === 1 ? first : [...values];
}

function reading<T>(label: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof RangeError && /call stack/.test(error.message)) throw error;
    // Of CBOR's library.
    if (error instanceof Error && /^Maximum depth/.test(error.message)) throw tooDeep();
    throw invalid(`The file is damaged or is not ${label}.`);
  }
}

/** Before names, so that the library's objects keep their order and none is special; taken off again. */
const mark = "\u0001";

export function parseMsgpack(bytes: Uint8Array): Value {
  const mapKeyConverter = (name: unknown) => mark + (typeof name === "object" ? JSON.stringify(name) : String(name));
  return reading("MessagePack", () => {
    const values = [...decodeMulti(bytes, { useBigInt64: true, mapKeyConverter })];
    return listOrOnly(
      values.map((value) => valueFrom(extended(value), (name) => name.slice(mark.length))),
      "MessagePack",
    );
  });
}

/** Extensions that are not the standard's own keep their number and their bytes. */
function extended(value: unknown): unknown {
  if (value instanceof ExtData) {
    const data = typeof value.data === "function" ? value.data(0) : value.data;
    return new Map<string, unknown>([
      [`${mark}type`, value.type],
      [`${mark}data`, data],
    ]);
  }
  if (Array.isArray(value)) return value.map(extended);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || value instanceof Date) return value;
  return new Map(Object.entries(value).map(([name, each]) => [name, extended(each)]));
}

export function writeMsgpack(value: Value, _options: Options, notes: Notes): Uint8Array {
  const simple = simplify(value, { integers: "int64", infinite: true, bytes: true, instants: 3 }, notes);
  return encodeMsgpack(plainOf(simple), { useBigInt64: true, maxDepth: maxDepth + 2 });
}

export function parseCbor(bytes: Uint8Array): Value {
  return reading("CBOR", () => {
    // The library counts a list twice.
    const values = [...decodeSequence(bytes, { preferMap: true, maxDepth: 2 * maxDepth })];
    return listOrOnly(
      values.map((value) => valueFrom(cborOf(value))),
      "CBOR",
    );
  });
}

/** A tag that is not known is left off its content. */
function cborOf(value: unknown): unknown {
  if (value instanceof Tag) return cborOf(value.contents);
  if (Array.isArray(value)) return value.map(cborOf);
  if (value instanceof Map) return new Map([...value].map(([name, each]) => [name, cborOf(each)]));
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf();
  return value instanceof URL || value instanceof RegExp ? String(value) : value;
}

export function writeCbor(value: Value, _options: Options, notes: Notes): Uint8Array {
  const simple = simplify(value, { integers: "any", infinite: true, bytes: true, instants: 3 }, notes);
  return encodeCbor(dated(simple));
}

function dated(value: Value): unknown {
  if (value instanceof Stamp) return new Date(value.text);
  if (value instanceof Exact) return Number(value.text);
  if (Array.isArray(value)) return value.map(dated);
  return value instanceof Map ? new Map([...value].map(([name, each]) => [name, dated(each)])) : value;
}

export function parseBson(bytes: Uint8Array): Value {
  return reading("BSON", () => {
    const values: Value[] = [];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; ) {
      const size = at + 4 <= bytes.length ? view.getInt32(at, true) : 0;
      if (size < 5 || at + size > bytes.length) throw invalid("The file is damaged or is not BSON.");
      const document = deserialize(bytes.subarray(at, at + size), {
        promoteValues: false,
        promoteLongs: false,
        promoteBuffers: false,
        bsonRegExp: true,
        validation: { utf8: true },
      });
      values.push(valueFrom(bsonOf(document)));
      at += size;
    }
    return listOrOnly(values, "BSON");
  });
}

/** MongoDB's own types by what they mean, or by their text. */
function bsonOf(value: unknown): unknown {
  if (value instanceof Timestamp) return `${value.t}.${value.i}`;
  if (value instanceof Long) return integerOf(value.toBigInt());
  if (value instanceof ObjectId) return value.toHexString();
  if (value instanceof Decimal128) return decimalOf(value.toString());
  if (value instanceof Binary) return value.sub_type === Binary.SUBTYPE_UUID ? value.toUUID().toString() : new Uint8Array(value.value());
  if (value instanceof Double) return value.value;
  if (value instanceof BSONSymbol) return value.value;
  if (value instanceof BSONRegExp) return `/${value.pattern}/${value.options}`;
  if (value instanceof Code) return String(value.code);
  if (value instanceof DBRef) return value.toJSON();
  if (value instanceof MinKey || value instanceof MaxKey) return value instanceof MinKey ? "MinKey" : "MaxKey";
  if (value instanceof Date) return stampOf(value);
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(bsonOf);
  if (typeof value !== "object" || value === null) return value;
  if ("_bsontype" in value) return "value" in value ? bsonOf(value.value) : String(value);
  return new Map(Object.entries(value).map(([name, each]) => [name, bsonOf(each)]));
}

function decimalOf(text: string): Value {
  return /\d/.test(text) ? numberOf(text) : Number(text);
}

/** One document after another, as MongoDB's tools write them. */
export function writeBson(value: Value, _options: Options, notes: Notes): Uint8Array {
  const documents = Array.isArray(value) && value.every((each) => each instanceof Map) ? value : [value];
  if (!documents.every((document) => document instanceof Map))
    throw inexpressible("BSON holds documents with named values, and the data is something else.");
  const simple = simplify(value, { integers: "int64", infinite: true, bytes: true, instants: 3 }, notes);
  const parts = (Array.isArray(simple) ? simple : [simple]).map((document) => {
    const plain = longs(document);
    if (!(plain instanceof Map) || calculateObjectSize(plain) > 2 ** 31 - 1) throw inexpressible("The data is too large for one document.");
    if ([...plain.keys()].some((name) => name.includes("\0"))) throw inexpressible("A name holds a zero character, which BSON cannot.");
    return serialize(plain, { checkKeys: false, ignoreUndefined: true });
  });
  return Buffer.concat(parts);
}

function longs(value: Value): unknown {
  if (typeof value === "bigint") return Long.fromBigInt(value);
  if (typeof value === "number" && Number.isInteger(value) && (value > 0x7fffffff || value < -0x80000000))
    return Number.isSafeInteger(value) ? Long.fromNumber(value) : value;
  if (value instanceof Stamp) return new Date(value.text);
  if (value instanceof Exact) return Number(value.text);
  if (value instanceof Uint8Array) return new Binary(value);
  if (Array.isArray(value)) return value.map(longs);
  return value instanceof Map ? new Map([...value].map(([name, each]) => [name, longs(each)])) : value;
}
