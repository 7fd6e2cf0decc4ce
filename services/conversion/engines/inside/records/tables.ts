/** Converts records to rows and columns, and back. */
import { type Notes, noteOnce, type Options } from "../exchange.ts";
import { inexpressible, tooComplex } from "../failure.ts";
import { readersOf } from "./cell-readers.ts";
import { jsonTextOf } from "./json.ts";
import { type Entries, Exact, firstOf, Stamp, simplify, textOfScalar, type Value } from "./values.ts";

export type Cell = Exclude<Value, Value[] | Entries>;
export type Table = { readonly columns: readonly string[]; readonly rows: readonly (readonly Cell[])[] };

/** Keeps the column names even if there are no records. */
export class NamedRows extends Array<Value> {
  columns: readonly string[] = [];

  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

const maxColumns = 10_000;
export const maxCells = 20_000_000;

/** The rows of a value: a list of records, lists or single values; a lone record is one row. */
export function tableOf(value: Value, notes: Notes): Table {
  const { list, path } = listOf(value);
  if (list instanceof NamedRows && list.length === 0) return { columns: list.columns, rows: [] };
  if (path !== "") noteOnce(notes, "STRUCTURE_FLATTENED", `The rows were taken from “${path}”.`);
  const places = new Map<string, number>();
  const rows = list.map((item) => {
    const row: Cell[] = [];
    const put = (wanted: string, cell: Cell): void => {
      // A name that contains a dot may equal that of a nested value.
      let name = wanted;
      for (let count = 2; Object.hasOwn(row, places.get(name) ?? -1); count++) name = `${wanted}_${count}`;
      if (name !== wanted)
        noteOnce(notes, "NAMES_CHANGED", `Two values of one record are both named ${wanted.slice(0, 60)}; one was numbered.`);
      const place = places.get(name) ?? places.size;
      if (place >= maxColumns) throw tooComplex("The data has too many columns to convert.");
      places.set(name, place);
      row[place] = cell;
    };
    if (item instanceof Map) putEntries(item, "", put, notes);
    else if (Array.isArray(item))
      for (const [index, each] of item.entries()) put(`column${index + 1}`, cellOf(`column${index + 1}`, each, notes));
    else put("value", item);
    return row;
  });
  const columns = [...places.keys()];
  if (columns.length === 0) throw inexpressible("The data has no rows.");
  if (columns.length * rows.length > maxCells) throw tooComplex("The data has too many cells to convert.");
  return { columns, rows: rows.map((row) => columns.map((_, place) => row[place] ?? null)) };
}

/** Looks through wrappers around the only list of a document: a root element, a TOML table. */
function listOf(value: Value): { readonly list: readonly Value[]; readonly path: string } {
  const path: string[] = [];
  let inner = value;
  while (inner instanceof Map && inner.size === 1) {
    const [only] = inner;
    if (only === undefined || !(only[1] instanceof Map || Array.isArray(only[1]))) break;
    path.push(only[0]);
    inner = only[1];
  }
  if (Array.isArray(inner)) return { list: inner, path: path.join(".") };
  return { list: [value], path: "" };
}

function putEntries(entries: Entries, prefix: string, put: (name: string, cell: Cell) => void, notes: Notes): void {
  for (const [name, each] of entries) {
    if (each instanceof Map && each.size > 0) {
      noteOnce(notes, "STRUCTURE_FLATTENED", `Nested values became columns, first “${`${prefix}${name}`.slice(0, 60)}”.`);
      putEntries(each, `${prefix}${name}.`, put, notes);
    } else put(prefix + name, cellOf(prefix + name, each, notes));
  }
}

/** Lists within a record become one cell of JSON. */
function cellOf(name: string, value: Value, notes: Notes): Cell {
  if (!Array.isArray(value) && !(value instanceof Map)) return value;
  noteOnce(notes, "STRUCTURE_FLATTENED", `Lists within rows became text, first “${name.slice(0, 60)}”.`);
  // Wrapped in its name, so that a note can mention it.
  const simple = simplify(new Map([[name, value]]), { integers: "any", exact: true }, notes);
  return jsonTextOf(simple instanceof Map ? (simple.get(name) ?? null) : simple, 0);
}

export function recordsOf({ columns, rows }: Table): NamedRows {
  const records = NamedRows.from(rows, (row) => new Map(columns.map((name, index) => [name, row[index] ?? null]))) as NamedRows;
  records.columns = columns;
  return records;
}

/** A cell as text: empty for null. */
export function cellText(cell: Cell): string {
  if (cell === null) return "";
  if (cell instanceof Stamp || cell instanceof Exact) return cell.text;
  return cell instanceof Uint8Array ? Buffer.from(cell).toString("base64") : textOfScalar(cell);
}

/** Interprets lines of text as a table: the first line names the columns unless `header` is false. */
export function tableOfTexts(lines: readonly (readonly string[])[], options: Options, notes: Notes): Table {
  const hasHeader = options.header !== false;
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  if (width > maxColumns || width * lines.length > maxCells) throw tooComplex("The table has too many cells to convert.");
  const columns = columnNamesOf(hasHeader ? (lines[0] ?? []) : [], width, notes);
  const rows = hasHeader ? lines.slice(1) : lines;
  const readers = readersOf(rows, columns, options, notes);
  return { columns, rows: rows.map((row) => readers.map((read, place) => read(row[place] ?? ""))) };
}

/** `header` is empty if nothing names the columns. */
export function columnNamesOf(header: readonly string[], width: number, notes: Notes): string[] {
  const wanted = Array.from({ length: width }, (_, place) => header[place]?.trim() || `column${place + 1}`);
  const names = numbered(wanted);
  noteNames(header.length === 0 ? [] : names.filter((name, place) => name !== header[place]), notes);
  return names;
}

/** Columns' names as a target `allows` them. `same`: equal for names that the target takes for one. */
export function allowedNames(columns: readonly string[], allows: (name: string) => string, notes: Notes, same?: (name: string) => string) {
  const names = numbered(columns.map(allows), same);
  const changed = columns.filter((column, place) => column !== names[place]);
  if (changed.length > 0) noteOnce(notes, "NAMES_CHANGED", `Names that the format does not allow were changed: ${firstOf(changed)}.`);
  return names;
}

function numbered(names: readonly string[], same = (name: string) => name): string[] {
  const seen = new Set<string>();
  // Where counting goes on, because thousands of columns may have one name.
  const counts = new Map<string, number>();
  return names.map((wanted) => {
    let name = wanted;
    let count = counts.get(same(wanted)) ?? 2;
    for (; seen.has(same(name)); count++) name = `${wanted}_${count}`;
    counts.set(same(wanted), count);
    seen.add(same(name));
    return name;
  });
}

/** Notes which names differ from the source. */
export function noteNames(changed: readonly string[], notes: Notes): void {
  if (changed.length > 0) noteOnce(notes, "NAMES_CHANGED", `Columns without a unique name were renamed: ${firstOf(changed)}.`);
}
