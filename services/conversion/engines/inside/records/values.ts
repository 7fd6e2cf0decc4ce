/** The one model that every data format is read into and written from. */

import type { Notes } from "../exchange.ts";
import { tooComplex } from "../failure.ts";
import { withoutTrailing } from "../trailing.ts";

export type Value = null | boolean | number | bigint | string | Exact | Stamp | Uint8Array | Value[] | Entries;
/** A map and not an object: names keep their order and none of them is special. */
export type Entries = Map<string, Value>;

/** A decimal with more digits than a double holds, as it was written. */
export class Exact {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A date or time: text as in ISO 8601, an `instant` when it names a moment in the world. */
export class Stamp {
  readonly text: string;
  readonly isInstant: boolean;
  constructor(text: string, isInstant: boolean) {
    this.text = text;
    this.isInstant = isInstant;
  }
}

/** Deeper nesting than any data that people keep. */
export const maxDepth = 200;
const maxValues = 20_000_000;

export function tooDeep() {
  return tooComplex(`The data is nested deeper than ${maxDepth} levels.`);
}

/** An integer as number where that is exact, else as bigint. */
export function integerOf(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

const digitsOf = (text: string) => {
  const [mantissa = ""] = text.split(/e/i, 1);
  return withoutTrailing(mantissa.replace(/[-+.]/g, "").replace(/^0+/, ""), "0");
};

/** A number as written in JSON and most other texts, without losing a digit. */
export function numberOf(text: string): Value {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  if (/^[-+]?\d+$/.test(text)) return text.length > 4000 ? new Exact(text) : integerOf(BigInt(text.replace(/^\+/, "")));
  return Number.isFinite(number) && digitsOf(String(number)) === digitsOf(text) ? number : new Exact(text);
}

/** What a library gave, as values; anything with a meaning of its own that the model lacks becomes text. */
export function valueFrom(plain: unknown, nameOf: (name: string) => string = (name) => name): Value {
  let left = maxValues;
  const convert = (given: unknown, depth: number): Value => {
    if (depth > maxDepth) throw tooDeep();
    if (--left < 0) throw tooComplex("The data holds more values than a conversion may use.");
    if (given === null || given === undefined) return null;
    if (typeof given === "bigint") return integerOf(given);
    if (typeof given === "boolean" || typeof given === "number" || typeof given === "string") return given;
    if (given instanceof Exact || given instanceof Stamp) return given;
    if (given instanceof Uint8Array) return given;
    if (given instanceof Date) return stampOf(given);
    if (Array.isArray(given)) return given.map((each) => convert(each, depth + 1));
    if (given instanceof Map) {
      return new Map([...given].map(([name, each]) => [nameOf(textOfName(name)), convert(each, depth + 1)]));
    }
    if (given instanceof Set) return [...given].map((each) => convert(each, depth + 1));
    if (typeof given === "object") {
      return new Map(Object.entries(given).map(([name, each]) => [nameOf(name), convert(each, depth + 1)]));
    }
    return String(given);
  };
  return convert(plain, 0);
}

function textOfName(name: unknown): string {
  if (typeof name === "object" && name !== null) return JSON.stringify(name) ?? "";
  return String(name);
}

export function stampOf(date: Date): Value {
  return Number.isNaN(date.getTime()) ? null : new Stamp(date.toISOString().replace(".000Z", "Z"), true);
}

/** What a target can hold besides text, booleans, doubles, lists and maps. */
export type Ability = {
  readonly integers: "any" | "int64" | "safe";
  readonly exact?: boolean;
  readonly infinite?: boolean;
  readonly bytes?: boolean;
  readonly instants?: boolean;
  /** Dates without a time or place. */
  readonly localStamps?: boolean;
};

/** The same data in what the target can hold; what became text or was rounded is noted. */
export function simplify(value: Value, ability: Ability, notes: Notes): Value {
  const asText = (text: string): string => {
    notes.set("TYPES_AS_TEXT", undefined);
    return text;
  };
  const convert = (given: Value): Value => {
    if (typeof given === "number") return Number.isFinite(given) || ability.infinite === true ? given : asText(String(given));
    if (typeof given === "bigint") return fits(given, ability) ? given : asText(String(given));
    if (given instanceof Exact) return ability.exact === true ? given : roundedOf(given, notes);
    if (given instanceof Stamp) {
      const fitting = given.isInstant ? ability.instants : ability.localStamps;
      return fitting === true ? given : asText(given.text);
    }
    if (given instanceof Uint8Array) return ability.bytes === true ? given : asText(Buffer.from(given).toString("base64"));
    if (Array.isArray(given)) return given.map(convert);
    if (given instanceof Map) return new Map([...given].map(([name, each]) => [name, convert(each)]));
    return given;
  };
  return convert(value);
}

function fits(value: bigint, { integers }: Ability): boolean {
  return integers === "any" || (integers === "int64" && BigInt.asIntN(64, value) === value);
}

function roundedOf({ text }: Exact, notes: Notes): Value {
  const number = Number(text);
  if (!Number.isFinite(number)) {
    notes.set("TYPES_AS_TEXT", undefined);
    return text;
  }
  notes.set("NUMBERS_ROUNDED", undefined);
  return number;
}

export type Plain = null | boolean | number | bigint | string | Date | Uint8Array | Plain[] | { [name: string]: Plain };

/** Objects for libraries that want them, without a prototype, so that no name is special. Call {@link simplify} first. */
export function plainOf(value: Value): Plain {
  if (value instanceof Stamp) return value.isInstant ? new Date(value.text) : value.text;
  if (value instanceof Exact) return Number(value.text);
  if (Array.isArray(value)) return value.map(plainOf);
  if (!(value instanceof Map)) return value;
  const object: { [name: string]: Plain } = Object.create(null);
  for (const [name, each] of value) object[name] = plainOf(each);
  return object;
}

/** Empty values left out of maps, as formats without them demand; in lists they have no place to be left out of. */
export function withoutNulls(value: Value, notes: Notes, inList: (path: string) => Value): Value {
  if (Array.isArray(value)) return value.map((each) => (each === null ? inList("") : withoutNulls(each, notes, inList)));
  if (!(value instanceof Map)) return value;
  const kept = [...value].filter(([, each]) => each !== null);
  if (kept.length < value.size) notes.set("EMPTY_VALUES_DROPPED", undefined);
  return new Map(kept.map(([name, each]) => [name, withoutNulls(each, notes, inList)]));
}
