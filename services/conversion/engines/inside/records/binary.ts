/** Binary relatives of JSON: MessagePack and BSON. A file with several values becomes a list. */
import { isUtf8 } from "node:buffer";
import {
  decodeMulti,
  decodeTimestampToTimeSpec,
  EXT_TIMESTAMP,
  ExtData,
  ExtensionCodec,
  encode as encodeMsgpack,
  encodeTimeSpecToTimestamp,
} from "@msgpack/msgpack";
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
  onDemand,
  serialize,
  Timestamp,
} from "bson";
import { type Notes, noteOnce, type Options } from "../exchange.ts";
import { Failure, inexpressible, invalid } from "../failure.ts";
import { unitsOf } from "./avro-types.ts";
import { stampOfUnits } from "./parquet-types.ts";
import { Exact, integerOf, maxDepth, numberOf, Pairs, Stamp, simplify, textOfName, tooDeep, type Value, valueFrom } from "./values.ts";

export function listOrOnly(values: readonly Value[], label: string): Value {
  const [first] = values;
  if (first === undefined) throw invalid(`The file is not ${label}.`);
  return values.length === 1 ? first : [...values];
}

export function reading<T>(label: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof RangeError && /call stack/.test(error.message)) throw error;
    // From the CBOR library.
    if (error instanceof Error && /^Maximum depth/.test(error.message)) throw tooDeep();
    if (error instanceof Error && error.message.includes("__proto__"))
      throw inexpressible("The reader takes no value of the name __proto__.");
    throw invalid(`The file is damaged or is not ${label}.`);
  }
}

const nano = 1_000_000_000n;

/** The library's own dates stop at milliseconds. */
const moments = new ExtensionCodec();
moments.register({
  type: EXT_TIMESTAMP,
  encode: (given) => {
    const units = unitsOf(given, 9);
    if (units === undefined) return null;
    const nsec = BigInt.asUintN(64, ((units % nano) + nano) % nano);
    return encodeTimeSpecToTimestamp({ sec: Number((units - nsec) / nano), nsec: Number(nsec) });
  },
  decode: (data) => {
    const { sec, nsec } = decodeTimestampToTimeSpec(data);
    return stampOfUnits(BigInt(sec) * nano + BigInt(nsec), 9);
  },
});

export function parseMsgpack(bytes: Uint8Array, notes: Notes): Value {
  // Numbered keys, so that the library's objects keep all names in order and no name is special.
  const decoded = (rawStrings: boolean) => {
    let count = 0;
    const mapKeyConverter = (name: unknown) => {
      if (typeof name !== "string") noteOnce(notes, "NAMES_CHANGED", "Names that were not text became text.");
      count += 1;
      return `${count}:${textOfName(name)}`;
    };
    return [...decodeMulti(bytes, { useBigInt64: true, mapKeyConverter, extensionCodec: moments, rawStrings })];
  };
  return reading("MessagePack", () => {
    const raw = decoded(true);
    return listOrOnly(
      decoded(false).map((value, place) => valueFrom(extended(value, raw[place]), notes)),
      "MessagePack",
    );
  });
}

/** Non-standard extensions keep their number and bytes. Before MessagePack had bytes, texts held them: `raw` has each text as its bytes. */
function extended(value: unknown, raw: unknown): unknown {
  if (typeof value === "string") return raw instanceof Uint8Array && !isUtf8(raw) ? raw : value;
  if (value instanceof ExtData) {
    const data = typeof value.data === "function" ? value.data(0) : value.data;
    return new Map<string, unknown>([
      ["type", value.type],
      ["data", data],
    ]);
  }
  if (Array.isArray(value)) return value.map((each, place) => extended(each, Array.isArray(raw) ? raw[place] : undefined));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || value instanceof Stamp) return value;
  const rawOf = (name: string): unknown => (typeof raw === "object" && raw !== null ? Reflect.get(raw, name) : undefined);
  return new Pairs(Object.entries(value).map(([name, each]) => [name.slice(name.indexOf(":") + 1), extended(each, rawOf(name))]));
}

export function writeMsgpack(value: Value, _options: Options, notes: Notes): Uint8Array {
  const simple = simplify(value, { integers: "int64", infinite: true, unsignedZero: true, bytes: true, instants: 9 }, notes);
  return encodeMsgpack(objectsOf(simple), { useBigInt64: true, maxDepth: maxDepth + 2, extensionCodec: moments });
}

function objectsOf(value: Value): unknown {
  if (value instanceof Exact) return Number(value.text);
  // The library writes integers of more than 32 bits as floating-point numbers, unless they are big.
  if (typeof value === "number" && Number.isSafeInteger(value) && (value > 0xffffffff || value < -0x80000000)) return BigInt(value);
  if (Array.isArray(value)) return value.map(objectsOf);
  if (!(value instanceof Map)) return value;
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, each] of value) object[name] = objectsOf(each);
  return object;
}

export function parseBson(bytes: Uint8Array, notes: Notes): Value {
  return reading("BSON", () => {
    const values: Value[] = [];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; ) {
      const size = at + 4 <= bytes.length ? view.getInt32(at, true) : 0;
      if (size < 5 || at + size > bytes.length) throw invalid("The file is damaged or is not BSON.");
      const source = bytes.subarray(at, at + size);
      const document = deserialize(source, {
        promoteValues: false,
        promoteLongs: false,
        promoteBuffers: false,
        bsonRegExp: true,
        validation: { utf8: true },
      });
      values.push(valueFrom(bsonOf(inOrder(document, source, 0), notes), notes));
      at += size;
    }
    return listOrOnly(values, "BSON");
  });
}

const bsonKinds = { document: 3, list: 4, undefined: 6, date: 9 };

/**
 * JavaScript objects put numeric names first and hold each name once; such documents are restored
 * to the order of the file. The range of its dates exceeds JavaScript's.
 */
function inOrder(value: unknown, source: Uint8Array, start: number): unknown {
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return value;
  const parts = [...onDemand.parseToElements(source, start)].map(([kind, nameAt, nameLength, at], place) => {
    const name = Buffer.from(source.buffer, source.byteOffset + nameAt, nameLength).toString("utf8");
    const each: unknown = isList ? value[place] : Reflect.get(value, name);
    // The library makes it null, and leaves none to tell.
    if (kind === bsonKinds.undefined) return [name, undefined] as const;
    if (kind === bsonKinds.date) return [name, stampOfUnits(Buffer.from(source).readBigInt64LE(at), 3)] as const;
    return [name, kind === bsonKinds.document || kind === bsonKinds.list ? inOrder(each, source, at) : each] as const;
  });
  const named = new Map(parts);
  if (!isList && named.size < parts.length) throw inexpressible("A document has two values of one name, which cannot be read.");
  return isList ? parts.map(([, each]) => each) : named;
}

const isPlainObject = (value: unknown): value is object => typeof value === "object" && value !== null && !("_bsontype" in value);

/** Converts MongoDB's own types by their meaning, or to text. */
function bsonOf(value: unknown, notes: Notes): unknown {
  if (value === undefined) noteOnce(notes, "METADATA_DROPPED", "Undefined values became null.");
  const text = textOfBson(value, notes);
  if (text !== undefined) {
    noteOnce(notes, "TYPES_AS_TEXT", `Types that only BSON has became text, first “${text.slice(0, 60)}”.`);
    return text;
  }
  if (value instanceof Long) return integerOf(value.toBigInt());
  if (value instanceof Decimal128) return decimalOf(value.toString());
  if (value instanceof Double) return value.value;
  if (value instanceof DBRef) return bsonOf(value.toJSON(), notes);
  if (value instanceof Stamp || value instanceof Uint8Array) return value;
  if (value instanceof Binary) {
    if (value.sub_type !== Binary.SUBTYPE_DEFAULT) noteOnce(notes, "METADATA_DROPPED", "Binary values lost their subtype.");
    return new Uint8Array(value.value());
  }
  if (Array.isArray(value)) return value.map((each) => bsonOf(each, notes));
  if (value instanceof Map) return new Map([...value].map(([name, each]) => [name, bsonOf(each, notes)]));
  if (typeof value !== "object" || value === null) return value;
  if ("_bsontype" in value) return "value" in value ? bsonOf(value.value, notes) : String(value);
  return new Map(Object.entries(value).map(([name, each]) => [name, bsonOf(each, notes)]));
}

function textOfBson(value: unknown, notes: Notes): string | undefined {
  if (value instanceof Timestamp) return `${value.t}.${value.i}`;
  if (value instanceof ObjectId) return value.toHexString();
  if (value instanceof Binary && value.sub_type === Binary.SUBTYPE_UUID) return value.toUUID().toString();
  if (value instanceof BSONSymbol) return value.value;
  if (value instanceof BSONRegExp) return `/${value.pattern}/${value.options}`;
  if (value instanceof MinKey || value instanceof MaxKey) return value instanceof MinKey ? "MinKey" : "MaxKey";
  if (!(value instanceof Code)) return undefined;
  if (value.scope !== null) noteOnce(notes, "METADATA_DROPPED", "Code lost the scope it was stored with.");
  return String(value.code);
}

function decimalOf(text: string): Value {
  return /\d/.test(text) ? numberOf(text) : Number(text);
}

/** Concatenated documents, as MongoDB's tools write them. */
export function writeBson(value: Value, _options: Options, notes: Notes): Uint8Array {
  const documents = Array.isArray(value) && value.every((each) => each instanceof Map) ? value : [value];
  if (!documents.every((document) => document instanceof Map))
    throw inexpressible("BSON stores documents with named values, but the data is something else.");
  const simple = simplify(value, { integers: "int64", infinite: true, bytes: true, instants: 3 }, notes);
  const parts = (Array.isArray(simple) ? simple : [simple]).map((document) => {
    const plain = longs(document);
    if (!(plain instanceof Map) || calculateObjectSize(plain) > 2 ** 31 - 1) throw inexpressible("The data is too large for one document.");
    if ([...plain.keys()].some((name) => name.includes("\0")))
      throw inexpressible("A name contains a NUL character, which BSON does not allow.");
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
