/** Parquet types whose values do not fit doubles and milliseconds: decimals, dates, times. */
import type { FileMetaData, SchemaElement } from "hyparquet";
import { type Notes, noteAlso, noteOnce } from "../exchange.ts";
import { inexpressible, tooComplex } from "../failure.ts";
import { withoutZeros } from "../trailing.ts";
import { durationsIn } from "./arrow-schema.ts";
import { firstOf, numberOf, Pairs, Stamp } from "./values.ts";

type Tree = { readonly element: SchemaElement; readonly children: readonly Tree[] };
type Convert = (value: unknown) => unknown;

const plain: Convert = (value) => value;

/** Types read by {@link parquetReaderOf} rather than by the library. */
export function isExact(element: SchemaElement): boolean {
  const { converted_type, logical_type } = element;
  if (isMap(element)) return true;
  return /^(DECIMAL|DATE|TIME|TIMESTAMP)/.test(converted_type ?? "") || /^(DECIMAL|DATE|TIME|TIMESTAMP)$/.test(logical_type?.type ?? "");
}

/** The library makes an object of it, which has each name once, numbers first, and no bytes for names. */
function isMap({ converted_type, logical_type }: SchemaElement): boolean {
  return logical_type?.type === "MAP" || converted_type === "MAP" || converted_type === "MAP_KEY_VALUE";
}

export function unmark(element: SchemaElement): void {
  delete element.converted_type;
  delete element.logical_type;
}

/** Shapes become GeoJSON, whose coordinates are degrees unless a reader is told otherwise; durations numbers, whose unit only pandas or Arrow tells. */
export function noteUnits({ schema, key_value_metadata: more }: FileMetaData, notes: Notes): void {
  const told = (wanted: string): string => more?.find(({ key }) => key === wanted)?.value ?? "";
  const timed = new Map([...durationsIn(told("ARROW:schema")), ...pandasDurations(told("pandas"))]);
  const named = [...timed].map(([name, unit]) => `${name} (${unit})`);
  if (named.length > 0) noteOnce(notes, "METADATA_DROPPED", `Units of durations were left out: ${firstOf(named)}.`);
  const placed = schema.flatMap(({ name, logical_type: type }) => {
    const system = type !== undefined && "crs" in type ? type.crs : undefined;
    return system === undefined || /^(OGC:CRS84|EPSG:4326)$/i.test(system) ? [] : [`${name} (${system.trim()})`];
  });
  if (placed.length > 0) noteAlso(notes, "METADATA_DROPPED", `Coordinate systems were left out: ${firstOf(placed)}.`);
}

/** Names and units of durations in what pandas says about its columns. @see https://pandas.pydata.org/docs/development/developer.html */
function pandasDurations(stored: string): (readonly [string, string])[] {
  try {
    const { columns = [] } = JSON.parse(stored) as {
      readonly columns?: readonly { readonly field_name?: unknown; readonly numpy_type?: unknown }[];
    };
    return columns.flatMap(({ field_name: name, numpy_type: type }) => {
      const unit = /^timedelta64\[(\w{1,3})\]$/.exec(String(type))?.[1];
      return unit === undefined ? [] : [[String(name), unit] as const];
    });
  } catch {
    return [];
  }
}

/** Converts a column's values that the library left as numbers and bytes. Call it before {@link unmark}. */
export function parquetReaderOf(column: Tree): Convert {
  const read = readerOf(column);
  // A repeated value has no state but empty, which the library confuses with missing.
  return column.element.repetition_type === "REPEATED" ? (value) => read(value ?? []) : read;
}

function readerOf({ element, children }: Tree): Convert {
  const [first] = children;
  // The library gives it the values of the next column. Some writers state 0 for ordinary columns too.
  if (element.num_children === 0 && element.type === undefined)
    throw inexpressible(`The file has a group without members, which cannot be read: ${element.name}.`);
  // The library rounds decimals in such values and confuses times with numbers.
  if (element.logical_type?.type === "VARIANT") throw inexpressible(`Columns of variants cannot be read: ${element.name}.`);
  if (first === undefined) return whereThere(leafReaderOf(element));
  const kind = element.logical_type?.type ?? element.converted_type;
  // The library omits the groups in which lists hold their members.
  if (kind === "LIST") return readerOf(first.children.length === 1 ? (first.children[0] ?? first) : first);
  const [keys, values] = isMap(element) ? first.children : [];
  if (keys !== undefined && values !== undefined) {
    const [readKey, readValue] = [parquetReaderOf(keys), parquetReaderOf(values)];
    const pairOf = (pair: unknown) => [readKey(memberOf(pair, keys.element.name)), readValue(memberOf(pair, values.element.name))] as const;
    const pairsOf = (pairs: unknown) => new Pairs(Array.isArray(pairs) ? pairs.map(pairOf) : []);
    return whereThere((map) => pairsOf(memberOf(map, first.element.name)));
  }
  const readers = new Map(children.map((child) => [child.element.name, parquetReaderOf(child)]));
  return whereThere((value) =>
    typeof value === "object"
      ? new Map(Object.entries(value ?? {}).map(([name, each]) => [name, (readers.get(name) ?? plain)(each)]))
      : value,
  );
}

const memberOf = (group: unknown, name: string): unknown => Object.getOwnPropertyDescriptor(group ?? {}, name)?.value;

/** Skips missing values; for a list, reads each member. */
function whereThere(read: Convert): Convert {
  const each: Convert = (value) => (value === null || value === undefined ? null : Array.isArray(value) ? value.map(each) : read(value));
  return each;
}

function leafReaderOf(element: SchemaElement): Convert {
  const { converted_type: converted = "", logical_type: logical } = element;
  if (!isExact(element)) return plain;
  const isLocal = logical !== undefined && "isAdjustedToUTC" in logical && logical.isAdjustedToUTC === false;
  const unit = logical !== undefined && "unit" in logical ? String(logical.unit) : (converted.split("_")[1] ?? "");
  const digits = unit.startsWith("NANO") ? 9 : unit.startsWith("MICRO") ? 6 : 3;
  if (converted === "DECIMAL" || logical?.type === "DECIMAL") return (value) => numberOf(scaled(signedOf(value), element.scale ?? 0));
  if (converted === "DATE" || logical?.type === "DATE") return (value) => new Stamp(dayOf(BigInt(Number(value))), false);
  if (converted.startsWith("TIMESTAMP") || logical?.type === "TIMESTAMP")
    return (value) => stampOfUnits(BigInt(String(value)), digits, isLocal);
  return (value) => new Stamp(clockOf(BigInt(String(value)), digits), false);
}

/** Two's complement, big-endian. */
export function signedOf(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(String(value));
  return value.length === 0 ? 0n : BigInt.asIntN(value.length * 8, BigInt(`0x${Buffer.from(value).toString("hex")}`));
}

/** No real number has more decimal places. */
const maxScale = 10_000;

/** Places the decimal point `scale` digits from the end and drops trailing zeros. */
export function scaled(unscaled: bigint, scale: number): string {
  if (Math.abs(scale) > maxScale) throw tooComplex(`The file has decimals of more than ${maxScale} places.`);
  if (scale <= 0) return `${unscaled}${"0".repeat(-scale)}`;
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, "0");
  const fraction = withoutZeros(digits.slice(-scale));
  return `${unscaled < 0n ? "-" : ""}${digits.slice(0, -scale)}${fraction === "" ? "" : "."}${fraction}`;
}

export function uuidTextOf(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export function dayOf(days: bigint): string {
  const date = new Date(Number(days) * 86_400_000);
  return Number.isNaN(date.getTime()) ? `${days} days after 1970-01-01` : (date.toISOString().split("T", 1)[0] ?? "");
}

/** An instant in fractions of a second since 1970, with `digits` decimal places. */
export function stampOfUnits(units: bigint, digits: number, isLocal = false): Stamp {
  const second = 10n ** BigInt(digits);
  const part = ((units % second) + second) % second;
  const date = new Date(Number((units - part) / second) * 1000);
  if (Number.isNaN(date.getTime())) return new Stamp(`${units}e-${digits} seconds after 1970`, false);
  return new Stamp(`${date.toISOString().slice(0, -5)}${fraction(part, digits)}${isLocal ? "" : "Z"}`, !isLocal);
}

/** A time of day. */
export function clockOf(units: bigint, digits: number): string {
  const second = 10n ** BigInt(digits);
  if (units < 0n || units >= 86_400n * second) return `${units}e-${digits} seconds`;
  const seconds = Number(units / second);
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}${fraction(units % second, digits)}`;
}

function fraction(part: bigint, digits: number): string {
  return part === 0n ? "" : `.${withoutZeros(part.toString().padStart(digits, "0"))}`;
}
