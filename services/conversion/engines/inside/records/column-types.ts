/**
 * Finds the common type of a column's values and converts them to the
 * storage of typed tables: numbers, and counts of fractions of a second.
 */
import { decimalOf, rescaled } from "./decimals.ts";
import { type Cell, cellText } from "./tables.ts";
import { Exact, Stamp } from "./values.ts";

export type ColumnType =
  | { readonly sort: "boolean" | "int64" | "uint64" | "double" | "bytes" | "text" | "date" }
  | { readonly sort: "decimal"; readonly precision: number; readonly scale: number }
  /** Times and instants in milli-, micro- or nanoseconds; a local one has no time zone. */
  | { readonly sort: "time" | "instant" | "local"; readonly digits: 3 | 6 | 9 };

export type Stored = null | boolean | number | bigint | string | Uint8Array;
export type Column = { readonly type: ColumnType; readonly values: readonly Stored[] };

/** The precision on which Parquet, Avro and their readers agree. */
const maxPrecision = 38;

/** A column of the best type that the target `holds`, otherwise of text; calls `asText` if other values become text. */
export function columnOf(cells: readonly Cell[], holds: (type: ColumnType, cells: readonly Cell[]) => boolean, asText: () => void): Column {
  const type = typeOf(cells);
  const values = type.sort !== "text" && holds(type, cells) ? storedAs(type, cells) : undefined;
  if (values !== undefined) return { type, values };
  if (cells.some((cell) => cell !== null && typeof cell !== "string")) asText();
  return { type: { sort: "text" }, values: cells.map((cell) => (cell === null ? null : cellText(cell))) };
}

type Kind = "boolean" | "integer" | "large" | "unsigned" | "double" | "exact" | "bytes" | "date" | "time" | "instant" | "local" | "text";

const shapes: readonly (readonly [Kind, RegExp])[] = [
  ["date", /^\d{4}-\d\d-\d\d$/],
  ["time", /^\d\d:\d\d:\d\d(\.\d{1,9})?$/],
  ["local", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?$/],
  ["instant", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[-+]\d\d:\d\d)$/],
];

function kindOf(cell: Exclude<Cell, null>): Kind {
  if (typeof cell === "boolean") return "boolean";
  if (typeof cell === "number") return Number.isSafeInteger(cell) && !Object.is(cell, -0) ? "integer" : "double";
  if (typeof cell === "bigint")
    return BigInt.asIntN(64, cell) === cell ? "large" : BigInt.asUintN(64, cell) === cell ? "unsigned" : "exact";
  if (cell instanceof Exact) return "exact";
  if (cell instanceof Uint8Array) return "bytes";
  if (!(cell instanceof Stamp)) return "text";
  const [kind] = shapes.find(([, shape]) => shape.test(cell.text)) ?? ["text" as const];
  return kind === "text" || (kind === "instant") === cell.isInstant ? kind : "text";
}

function typeOf(cells: readonly Cell[]): ColumnType {
  const kinds = new Set<Kind>();
  for (const cell of cells) if (cell !== null) kinds.add(kindOf(cell));
  const areAll = (...wanted: Kind[]) => kinds.isSubsetOf(new Set(wanted));
  const [only] = kinds;
  if (only === undefined || areAll("text")) return { sort: "text" };
  if (areAll("integer", "large")) return { sort: "int64" };
  if (areAll("integer", "double")) return { sort: "double" };
  if (areAll("integer", "large", "unsigned") && cells.every((cell) => cell === null || Number(cell) >= 0)) return { sort: "uint64" };
  if (areAll("integer", "large", "unsigned", "double", "exact")) return decimalTypeOf(cells);
  if (kinds.size > 1) return { sort: "text" };
  if (only === "time" || only === "instant" || only === "local") return { sort: only, digits: digitsOf(cells) };
  return only === "boolean" || only === "bytes" || only === "date" ? { sort: only } : { sort: "text" };
}

function decimalTypeOf(cells: readonly Cell[]): ColumnType {
  let [scale, whole] = [0, 0];
  for (const cell of cells) {
    if (cell === null) continue;
    if (Object.is(cell, -0)) return { sort: "text" };
    const decimal = decimalOf(cellText(cell));
    if (decimal === undefined) return { sort: "text" };
    scale = Math.max(scale, decimal.scale);
    whole = Math.max(whole, String(decimal.digits).replace("-", "").length - decimal.scale);
  }
  const precision = Math.max(1, whole + scale);
  return precision > maxPrecision ? { sort: "text" } : { sort: "decimal", precision, scale };
}

const fractionOf = (text: string) => /\.(\d+)/.exec(text)?.[1] ?? "";

function digitsOf(cells: readonly Cell[]): 3 | 6 | 9 {
  const most = cells.reduce<number>((longest, cell) => Math.max(longest, cell instanceof Stamp ? fractionOf(cell.text).length : 0), 0);
  return most <= 3 ? 3 : most <= 6 ? 6 : 9;
}

/** Undefined if a value does not fit after all, such as a year out of range for nanoseconds. */
function storedAs(type: ColumnType, cells: readonly Cell[]): readonly Stored[] | undefined {
  const values: Stored[] = [];
  for (const cell of cells) {
    const value = cell === null ? null : storedCell(type, cell);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function storedCell(type: ColumnType, cell: Exclude<Cell, null>): Stored | undefined {
  if (type.sort === "int64" || type.sort === "uint64") return BigInt(String(cell));
  if (type.sort === "decimal") {
    const decimal = decimalOf(cellText(cell));
    return decimal === undefined ? undefined : rescaled(decimal, type.scale);
  }
  if (!(cell instanceof Stamp)) return cell instanceof Exact ? cell.text : cell;
  if (type.sort === "date") return Math.round(Date.parse(cell.text) / 86_400_000);
  return "digits" in type ? unitsOf(cell.text, type.sort, type.digits) : cell.text;
}

function unitsOf(text: string, sort: "time" | "instant" | "local", digits: number): bigint | undefined {
  const whole = text.replace(/\.\d+/, "");
  const ms = Date.parse(sort === "time" ? `1970-01-01T${whole}Z` : sort === "local" ? `${whole}Z` : whole);
  if (Number.isNaN(ms)) return undefined;
  const units = BigInt(ms / 1000) * 10n ** BigInt(digits) + BigInt(fractionOf(text).padEnd(digits, "0"));
  return BigInt.asIntN(64, units) === units ? units : undefined;
}
