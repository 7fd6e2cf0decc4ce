/** The common model that every data format is read into and written from. */

import { type Notes, noteOnce } from "../exchange.ts";
import { tooComplex } from "../failure.ts";
import { withoutZeros } from "../trailing.ts";
import { textOfNumber } from "./number-text.ts";

export type Value = null | boolean | number | bigint | string | Exact | Stamp | Uint8Array | Value[] | Entries;
/** A Map rather than an object: names keep their order, and none of them is special. */
export type Entries = Map<string, Value>;

/** A decimal with more digits than a double holds, as written. */
export class Exact {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A date or time in ISO 8601; `isInstant` if it denotes a point in time. */
export class Stamp {
  readonly text: string;
  readonly isInstant: boolean;
  constructor(text: string, isInstant: boolean) {
    this.text = text;
    this.isInstant = isInstant;
  }
}

/** Deeper than any real data. */
export const maxDepth = 200;
const maxValues = 20_000_000;

export function tooDeep() {
  return tooComplex(`The data is nested deeper than ${maxDepth} levels.`);
}

/** A number if that is exact, otherwise a bigint. */
export function integerOf(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

const digitsOf = (text: string) => {
  const [mantissa = ""] = text.split(/e/i, 1);
  return withoutZeros(mantissa.replace(/[-+.]/g, "").replace(/^0+/, ""));
};

/** Parses a number as written in JSON and most text formats, without losing a digit. */
export function numberOf(text: string): Value {
  const number = Number(text);
  const isInteger = /^[-+]?\d+$/.test(text);
  if (isInteger && Number.isSafeInteger(number)) return number;
  if (isInteger) return text.length > 4000 ? new Exact(text) : integerOf(BigInt(text.replace(/^\+/, "")));
  return Number.isFinite(number) && digitsOf(String(number)) === digitsOf(text) ? number : new Exact(text);
}

/** The members of a map in order, including repeated names, which a Map cannot hold. */
export class Pairs {
  readonly list: readonly (readonly [name: unknown, value: unknown])[];
  constructor(list: readonly (readonly [name: unknown, value: unknown])[]) {
    this.list = list;
  }
}

/** Converts a library's result to values; special types that the model lacks become text, as do names. */
export function valueFrom(plain: unknown, notes?: Notes): Value {
  let left = maxValues;
  const entriesFrom = ({ list }: Pairs, depth: number): Entries => {
    const free = createFreeNames(notes);
    return new Map(list.map(([name, each]) => [free(name), convert(each, depth + 1)]));
  };
  const convert = (given: unknown, depth: number): Value => {
    if (depth > maxDepth) throw tooDeep();
    if (--left < 0) throw tooComplex("The data has too many values to convert.");
    if (given === null || given === undefined) return null;
    if (typeof given === "bigint") return integerOf(given);
    if (typeof given === "boolean" || typeof given === "number" || typeof given === "string") return given;
    if (given instanceof Exact || given instanceof Stamp) return given;
    if (given instanceof Uint8Array) return given;
    if (given instanceof Date) return stampOf(given);
    if (Array.isArray(given)) return given.map((each) => convert(each, depth + 1));
    if (given instanceof Pairs) return entriesFrom(given, depth);
    if (given instanceof Map) return entriesFrom(new Pairs([...given]), depth);
    if (given instanceof Set) return [...given].map((each) => convert(each, depth + 1));
    if (typeof given === "object") return entriesFrom(new Pairs(Object.entries(given)), depth);
    return String(given);
  };
  return convert(plain, 0);
}

/** From pairs in file order: a repeated name is numbered and added to `doubled`. */
export function entriesOf(pairs: Iterable<readonly [string, Value]>, doubled: string[]): Entries {
  const entries: Entries = new Map();
  for (const [name, value] of pairs) entries.set(freeName(entries, name, doubled), value);
  return entries;
}

/** The name, or if it is taken, the next one with a number. */
export function freeName(entries: Entries, wanted: string, doubled: string[]): string {
  if (!entries.has(wanted)) return wanted;
  doubled.push(wanted);
  // With very many duplicates, counting starts later.
  let count = doubled.length < 100 ? 2 : doubled.length;
  while (entries.has(`${wanted}_${count}`)) count += 1;
  return `${wanted}_${count}`;
}

/** Makes the new names unique: unchanged names are kept for their owners, and collisions among the others are numbered. */
export function freeNames(names: readonly (readonly [was: string, is: string])[]): readonly string[] {
  const taken = new Set(names.flatMap(([was, is]) => (was === is ? [is] : [])));
  const counts = new Map<string, number>();
  return names.map(([was, is]) => {
    if (was === is) return is;
    let free = is;
    let count = counts.get(is) ?? 1;
    while (taken.has(free)) free = `${is}_${++count}`;
    counts.set(is, count);
    taken.add(free);
    return free;
  });
}

/** Notes repeated names. */
export function noteDoubled(doubled: readonly string[], notes: Notes): void {
  if (doubled.length > 0) noteOnce(notes, "NAMES_CHANGED", `Repeated names were numbered: ${firstOf(doubled)}.`);
}

/** Makes the names of one map unique text. */
function createFreeNames(notes: Notes = new Map()) {
  const taken = new Map<string, number>();
  return (name: unknown): string => {
    const wanted = textOfName(name);
    if (typeof name !== "string") noteOnce(notes, "NAMES_CHANGED", `Names that were not text became text, first “${wanted.slice(0, 60)}”.`);
    let free = wanted;
    for (let count = taken.get(wanted) ?? 1; taken.has(free); free = `${wanted}_${count}`) taken.set(wanted, ++count);
    if (free !== wanted) noteOnce(notes, "NAMES_CHANGED", `Values with the same name were numbered, such as “${wanted.slice(0, 60)}”.`);
    taken.set(free, 1);
    return free;
  };
}

/** A name that is itself a list or map, as some formats allow, becomes JSON. */
export function textOfName(name: unknown): string {
  if (typeof name !== "object" || name === null) return String(name);
  if (name instanceof Uint8Array) return Buffer.from(name).toString("base64");
  if (name instanceof Stamp || name instanceof Exact) return name.text;
  const plain = (_: string, each: unknown): unknown => {
    if (typeof each === "bigint") return String(each);
    if (each instanceof Uint8Array) return Buffer.from(each).toString("base64");
    return each instanceof Map || each instanceof Pairs ? Object.fromEntries(each instanceof Pairs ? each.list : each) : each;
  };
  return JSON.stringify(name, plain) ?? "";
}

export function stampOf(date: Date): Value {
  return Number.isNaN(date.getTime()) ? null : new Stamp(date.toISOString().replace(".000Z", "Z"), true);
}

/** What a target can hold besides text, booleans, doubles, lists and maps. */
export type Ability = {
  readonly integers: "any" | "int64" | "safe";
  readonly exact?: boolean;
  readonly infinite?: boolean;
  /** It drops the sign of a zero. */
  readonly unsignedZero?: true;
  readonly bytes?: boolean;
  /** Instants, with any fraction of a second or at most this many decimal places. */
  readonly instants?: true | number;
  /** Dates and times without a time zone; `toml`: only in TOML's forms. */
  readonly localStamps?: true | "toml";
};

const tomlStamp = /^(\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?)?|\d\d:\d\d:\d\d(\.\d{1,3})?)$/;

/** The same data in terms of what the target can hold; notes what became text or was rounded, with its first positions. */
export function simplify(value: Value, ability: Ability, notes: Notes): Value {
  const path: (string | number)[] = [];
  const texts: string[] = [];
  const rounded: string[] = [];
  const noteHere = (places: string[]) => void (places.length < 4 && places.push(pathOf(path)));
  const asText = (text: string): string => {
    noteHere(texts);
    return text;
  };
  const at = <T>(name: string | number, given: Value, use: (simple: Value) => T): T => {
    path.push(name);
    const result = use(convert(given));
    path.pop();
    return result;
  };
  const convert = (given: Value): Value => {
    if (Object.is(given, -0) && ability.unsignedZero === true) {
      noteHere(rounded);
      return 0;
    }
    if (typeof given === "number") return Number.isFinite(given) || ability.infinite === true ? given : asText(String(given));
    if (typeof given === "bigint") return fits(given, ability) ? given : asText(String(given));
    if (given instanceof Exact) {
      if (ability.exact === true) return given;
      const number = Number(given.text);
      if (!Number.isFinite(number)) return asText(given.text);
      noteHere(rounded);
      return number;
    }
    if (given instanceof Stamp) return holds(ability, given) ? given : asText(given.text);
    if (given instanceof Uint8Array) return ability.bytes === true ? given : asText(Buffer.from(given).toString("base64"));
    if (Array.isArray(given)) return given.map((each, index) => at(index, each, (simple) => simple));
    if (given instanceof Map) return new Map([...given].map(([name, each]) => at(name, each, (simple) => [name, simple])));
    return given;
  };
  const simple = convert(value);
  if (texts.length > 0) noteOnce(notes, "TYPES_AS_TEXT", `Values of unsupported types were written as text: ${firstOf(texts)}.`);
  if (rounded.length > 0)
    noteOnce(notes, "NUMBERS_ROUNDED", `Numbers outside the range or precision of the format were rounded: ${firstOf(rounded)}.`);
  return simple;
}

function fits(value: bigint, { integers }: Ability): boolean {
  return integers === "any" || (integers === "int64" && BigInt.asIntN(64, value) === value);
}

function holds({ instants, localStamps }: Ability, { text, isInstant }: Stamp): boolean {
  if (!isInstant) return localStamps === true || (localStamps === "toml" && tomlStamp.test(text));
  if (instants === true || instants === undefined) return instants === true;
  const fraction = withoutZeros(/\.(\d+)/.exec(text)?.[1] ?? "");
  return fraction.length <= instants && !Number.isNaN(Date.parse(text));
}

/** A value's path for users: `rows[2].price`. */
function pathOf(path: readonly (string | number)[]): string {
  const text = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  return text === "" ? "the value itself" : text.replace(/^\./, "");
}

/** The first items, for users. */
export function firstOf(places: readonly string[], most = 3): string {
  const shown = places.slice(0, most).map((place) => (place.length > 60 ? `${place.slice(0, 60)}…` : place));
  return `${shown.join(", ")}${places.length > most ? " and others" : ""}`;
}

export type Plain = null | boolean | number | bigint | string | Date | Uint8Array | Plain[] | { [name: string]: Plain };

/** Converts to objects for libraries that need them, without a prototype, so that no name is special. Call {@link simplify} first. */
export function plainOf(value: Value): Plain {
  if (value instanceof Stamp) return value.isInstant ? new Date(value.text) : value.text;
  if (value instanceof Exact) return Number(value.text);
  if (Array.isArray(value)) return value.map(plainOf);
  if (!(value instanceof Map)) return value;
  const object: { [name: string]: Plain } = Object.create(null);
  for (const [name, each] of value) object[name] = plainOf(each);
  return object;
}

/** Removes empty values from maps for formats without them; in lists they are replaced, which keeps the positions of the others. */
export function withoutNulls(value: Value, notes: Notes, inList: () => Value): Value {
  const dropped: string[] = [];
  const note = (path: readonly (string | number)[]) => void (dropped.length < 4 && dropped.push(pathOf(path)));
  const emptyAt = (path: readonly (string | number)[]): Value => {
    note(path);
    return inList();
  };
  const convert = (given: Value, path: readonly (string | number)[]): Value => {
    if (Array.isArray(given))
      return given.map((each, index) => (each === null ? emptyAt([...path, index]) : convert(each, [...path, index])));
    if (!(given instanceof Map)) return given;
    const kept: Entries = new Map();
    for (const [name, each] of given) {
      if (each !== null) kept.set(name, convert(each, [...path, name]));
      else note([...path, name]);
    }
    return kept;
  };
  const whole = convert(value, []);
  if (dropped.length > 0)
    noteOnce(notes, "EMPTY_VALUES_DROPPED", `Empty values were left out, because the format does not support them: ${firstOf(dropped)}.`);
  return whole;
}

/** As text, which is all that settings hold. */
export function settingOf(value: Value, name: string, notes: Notes): string {
  const shown = `“${name.slice(0, 60)}”`;
  if (value === null) noteOnce(notes, "EMPTY_VALUES_DROPPED", `Empty values became empty text, first ${shown}.`);
  if (value instanceof Uint8Array) noteOnce(notes, "TYPES_AS_TEXT", `Bytes became text in base64, first ${shown}.`);
  if (value instanceof Exact || value instanceof Stamp) return value.text;
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : textOfScalar(value);
}

export function textOfScalar(value: Value): string {
  return typeof value === "number" ? textOfNumber(value) : String(value ?? "");
}

/** For users, in a cell or a line. */
export function plainTextOf(value: Value): string {
  if (Array.isArray(value)) return value.map(plainTextOf).join("; ");
  if (value instanceof Map) return [...value].map(([name, each]) => `${name}: ${plainTextOf(each)}`).join(", ");
  return value instanceof Stamp || value instanceof Exact ? value.text : textOfScalar(value);
}
