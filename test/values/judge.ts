/** Differences between a table, tree or settings and their conversion, and whether a note announces them. */
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import type { Difference, Judge as JudgeOfKind } from "./difference.ts";
import { digitsOf, isList, isMap, isTable, recordsOf, type Said, type SaidMap, type SaidTable } from "./said.ts";
import { bare, placesOf, tableOf } from "./shapes.ts";

/** How a value changed; no note can excuse `other`. */
type Change = "type" | "zone" | "rounded" | "nothing" | "text" | "name" | "structure" | "dialect" | "other";

const excuses: Readonly<Record<Change, readonly string[]>> = {
  type: ["TYPES_AS_TEXT"],
  zone: ["METADATA_DROPPED", "TYPES_AS_TEXT"],
  rounded: ["NUMBERS_ROUNDED"],
  nothing: ["EMPTY_VALUES_DROPPED"],
  text: ["CHARACTERS_REPLACED"],
  name: ["NAMES_CHANGED", "STRUCTURE_FLATTENED", "CHARACTERS_REPLACED"],
  structure: ["STRUCTURE_FLATTENED"],
  dialect: ["DIALECT_GUESSED"],
  other: [],
};

/** Formats without types, whose numbers are text too. */
const untyped = new Set(["csv", "tsv", "psv", "xml", "ini", "properties"]);
const flat = new Set(["csv", "tsv", "psv", "sqlite", "avro", "xlsx", "xls", "ods", "fods"]);
const books = new Set(["xlsx", "xls", "ods", "fods"]);
/** With escapes for invisible characters. */
const escaped = (text: string) => text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const show = (said: Said | undefined): string => (said === undefined ? "(missing)" : escaped(JSON.stringify(said)).slice(0, 120));

export function differencesOf(
  was: Said | SaidTable,
  is: Said | SaidTable,
  from: string,
  to: string,
  notes: ReadonlySet<string>,
): readonly Difference[] {
  const found: Difference[] = [];
  const judge = new Comparison(from, to, found);
  if (isTable(was) || flat.has(to)) {
    const [one, other] = [books.has(from) ? untilTheLast(tableOf(was)) : tableOf(was), tableOf(is)];
    const isWithoutEmpty = books.has(to) || notes.has("ENTRIES_LEFT_OUT");
    // A tree cannot express column names without rows.
    if (one.rows.length === 0 && (notes.has("EMPTY_VALUES_DROPPED") || other.rows.every((row) => row.every(isEmpty)))) return [];
    judge.tables(isWithoutEmpty ? withoutEmptyRows(one) : one, isWithoutEmpty ? withoutEmptyRows(other) : other);
  } else judge.values(was, bare(isTable(is) ? recordsOf(is) : is, was, to), "");
  return found;
}

const isEmpty = (said: Said) => said === null || (isScalar(said) && textOf(said) === "");

/** Readers of workbooks skip empty rows. */
function withoutEmptyRows({ columns, rows }: SaidTable): SaidTable {
  return { columns, rows: rows.filter((row) => !row.every(isEmpty)) };
}

/** A sheet ends after its last non-empty row. */
function untilTheLast({ columns, rows }: SaidTable): SaidTable {
  return { columns, rows: rows.slice(0, rows.findLastIndex((row) => !row.every(isEmpty)) + 1) };
}

class Comparison {
  readonly #from: string;
  readonly #to: string;
  readonly #found: Difference[];

  constructor(from: string, to: string, found: Difference[]) {
    this.#from = from;
    this.#to = to;
    this.#found = found;
  }

  #tell(change: Change, place: string, was: Said | undefined, is: Said | undefined): void {
    this.#found.push({ change, place, was: show(was), is: show(is) });
  }

  tables(was: SaidTable, is: SaidTable): void {
    if (was.rows.length !== is.rows.length) this.#tell("other", "rows", { n: String(was.rows.length) }, { n: String(is.rows.length) });
    if (was.columns.length < is.columns.length)
      this.#tell("other", "columns", { t: JSON.stringify(was.columns) }, { t: JSON.stringify(is.columns) });
    const places = placesOf(was.columns, is.columns, flat.has(this.#to));
    for (const [from, name] of was.columns.entries()) {
      const place = places[from] ?? -1;
      if (place < 0) {
        // Formats without null have no empty column.
        if (was.rows.some((cells) => !isEmpty(cells[from] ?? null))) this.#tell("other", `column ${name}`, { t: name }, undefined);
        else this.#tell("nothing", `column ${name}`, { t: name }, undefined);
        continue;
      }
      if (is.columns[place] !== name) this.#tell("name", `column ${from + 1}`, { t: name }, { t: is.columns[place] ?? "" });
      for (const [row, cells] of was.rows.entries()) this.values(cells[from] ?? null, is.rows[row]?.[place] ?? null, `[${row}].${name}`);
    }
  }

  values(was: Said, is: Said, place: string): void {
    if (this.#to === "xml" && isList(was) && this.#items(was, is, place)) return;
    if (isList(was) && isList(is)) this.#lists(was, is, place);
    else if (isMap(was) && isMap(is)) this.#maps(was, is, place);
    else if (isList(was) || isMap(was) || isList(is) || isMap(is)) this.#shapes(was, is, place);
    else {
      const change = this.#changeOf(was, is);
      if (change !== undefined) this.#tell(change, place, was, is);
    }
  }

  /** In XML a list of one is its member, and a nested list is a group of items. */
  #items(was: readonly Said[], is: Said, place: string): boolean {
    const [only] = isMap(is) && is.m.length === 1 ? is.m : [];
    const [first] = was;
    if (first !== undefined && was.length === 1 && !isList(is) && (isList(first) || only?.[0] !== "item")) this.values(first, is, place);
    else if (only?.[0] === "item") this.values(was, only[1], place);
    else return false;
    return true;
  }

  /** Compares a list, a map and a single value. */
  #shapes(was: Said, is: Said, place: string): void {
    // A single document equals a list of one in some formats, and a single XML element is not a list.
    const isLoose = place === "" || this.#to === "xml";
    if (isLoose && isList(is) && is.length === 1) this.values(was, is[0] ?? null, place);
    else if (isLoose && isList(was) && was.length === 1) this.values(was[0] ?? null, is, place);
    else if (isList(was) && was.length === 0 && isEmpty(is)) this.#tell("nothing", place, was, is);
    else if (!(isMap(was) && was.m.length === 0 && isEmpty(is) && this.#to === "xml")) this.#tell("structure", place, was, is);
  }

  #lists(was: readonly Said[], is: readonly Said[], place: string): void {
    if (was.length !== is.length) this.#tell(was.includes(null) ? "nothing" : "other", `${place} (length)`, was, is);
    else for (const [index, each] of was.entries()) this.values(each, is[index] ?? null, `${place}[${index}]`);
  }

  #maps({ m: given }: SaidMap, { m: made }: SaidMap, place: string): void {
    const isDotted = this.#to === "properties" || this.#to === "ini";
    const left = isDotted ? made.flatMap(dotted) : [...made];
    const was = isDotted ? given.flatMap(dotted) : given;
    for (const [name, value] of was) {
      const at = left.findIndex(([each]) => each === name);
      const [match] = at < 0 ? [] : left.splice(at, 1);
      if (match !== undefined) this.values(value, match[1], `${place}.${name}`);
      else if (value === null || (isList(value) && value.length === 0)) this.#tell("nothing", `${place}.${name}`, value, undefined);
      else this.#tell(left.length > 0 ? "name" : "other", `${place}.${name}`, value, { m: left });
    }
  }

  #changeOf(was: Scalar, is: Scalar): Change | undefined {
    if (JSON.stringify(was) === JSON.stringify(is)) return undefined;
    const isText = untyped.has(this.#to) || untyped.has(this.#from);
    const [one, other] = [textOf(was), textOf(is)];
    if (was === null || is === null) {
      const holdsNothing = isText || books.has(this.#to) || books.has(this.#from);
      return one === other && holdsNothing ? undefined : "nothing";
    }
    if (isNumber(was) && isNumber(is)) return Number(was.n) === Number(is.n) ? "rounded" : "other";
    if (isStamp(was) && isStamp(is)) return isSameMoment(was.s, is.s) ? undefined : was.s.replace("Z", "") === is.s ? "zone" : "other";
    // Text became a number: only if writing the number gives the same text.
    if (untyped.has(this.#from) && isNumber(is)) {
      if (one === plainDigits(is.n)) return undefined;
      // More digits than a double holds; fewer would be another number, such as 007.
      if (one.replace(/\D/g, "").length > 15 && Number(one) === Number(is.n)) return "rounded";
      return one.replace(",", ".") === plainDigits(is.n) ? "dialect" : "other";
    }
    if (isSameText(was, one, other)) return isText ? undefined : "type";
    if (isNumber(was) && digitsOf(other) !== undefined && Number(other) === Number(was.n)) return "rounded";
    if (untyped.has(this.#from) && /^-?\d+,\d+$/.test(one) && one.replace(",", ".") === other) return "dialect";
    return isPlain(was) && isPlain(is) ? "text" : "other";
  }
}

/** Spellings of another type: other number formats, TRUE for true. */
function isSameText(was: Exclude<Scalar, null>, one: string, other: string): boolean {
  if (isNumber(was)) return digitsOf(other) === was.n;
  if (isStamp(was)) return one === other || isSameMoment(one, other);
  return typeof was === "boolean"
    ? one === other.toLowerCase()
    : one === other || (one.toLowerCase() === other && /^(true|false)$/.test(other));
}

/** A section's names, prefixed with its own. */
const dotted = ([name, value]: readonly [string, Said]): readonly (readonly [string, Said])[] =>
  isMap(value) ? value.m.flatMap(([inner, each]) => dotted([`${name}.${inner}`, each])) : [[name, value]];

const isScalar = (said: Said): said is Scalar => !(isList(said) || isMap(said));

type Scalar = Exclude<Said, readonly Said[] | SaidMap>;
const isNumber = (said: Scalar): said is { readonly n: string } => said !== null && typeof said === "object" && "n" in said;
const isStamp = (said: Scalar): said is { readonly s: string } => said !== null && typeof said === "object" && "s" in said;
const isPlain = (said: Scalar): said is { readonly t: string } => said !== null && typeof said === "object" && "t" in said;

function textOf(said: Scalar): string {
  if (said === null) return "";
  if (typeof said === "boolean") return String(said);
  if ("t" in said) return said.t;
  if ("n" in said) return said.n;
  return "s" in said ? said.s : said.b;
}

const instantOf = (text: string): number => (/(Z|[-+]\d\d:\d\d)$/.test(text) ? Date.parse(text.replace(/\.\d+/, "")) : Number.NaN);
const fractionOf = (text: string) => (/\.(\d+)/.exec(text)?.[1] ?? "").replace(/0+$/, "");

/** Another notation of the time zone keeps the instant, as do trailing zeros of a fraction. */
function isSameMoment(one: string, other: string): boolean {
  if (fractionOf(one) !== fractionOf(other)) return false;
  const bare = (text: string) =>
    text
      .replace(/\.\d+/, "")
      .replace(" ", "T")
      .replace(/T00:00:00$/, "");
  return bare(one) === bare(other) || instantOf(one) === instantOf(other);
}

/** A JSON number without an exponent. */
function plainDigits(digits: string): string {
  const [, sign = "", whole = "", power = "0"] = /^(-?)(\d+)(?:e(-?\d+))?$/.exec(digits) ?? [];
  const places = -Number(power);
  if (places <= 0) return `${sign}${whole}${"0".repeat(-places)}`;
  const padded = whole.padStart(places + 1, "0");
  return `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
}

export const dataJudge: JudgeOfKind = { engine: dataEngine, differencesOf, excuses };
