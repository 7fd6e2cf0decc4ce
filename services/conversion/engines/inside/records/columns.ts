/** Columnar tables and tables with a schema: Parquet, Avro and SQLite. */
import { isUtf8 } from "node:buffer";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import avro from "avsc";
import { parquetMetadata, parquetRead, parquetSchema } from "hyparquet";
import { decompressSnappy, compressors as known } from "hyparquet-compressors";
import { type Notes, noteAlso, noteOnce, noteWithin, type Options, textOption } from "../exchange.ts";
import { Failure, inexpressible, invalid } from "../failure.ts";
import { avroCodecs } from "./avro-codecs.ts";
import { avroOptions } from "./avro-types.ts";
import type { ColumnType } from "./column-types.ts";
import { valueOfJson } from "./json.ts";
import { isExact, noteUnits, parquetReaderOf, stampOfUnits, unmark } from "./parquet-types.ts";
import { rowsWithTexts } from "./sqlite-texts.ts";
import { allowedNames, type Cell, NamedRows } from "./tables.ts";
import { columnsOf } from "./typed-tables.ts";
import { Exact, firstOf, Stamp, type Value, valueFrom } from "./values.ts";

/** A page of only empty values has no bytes at all, which the library refuses. */
const snappy = (input: Uint8Array, length: number) => (length === 0 ? new Uint8Array() : decompressSnappy(input, length));
export const compressors = { ...known, SNAPPY: snappy };

/** Spark's timestamps, which the library would truncate to milliseconds, and texts that are not in UTF-8. */
const parsersOf = (broken: string[]) => ({
  timestampFromNanoseconds: (nanoseconds: bigint) => stampOfUnits(nanoseconds, 9),
  stringFromBytes(bytes?: Uint8Array) {
    const text = bytes === undefined ? undefined : lenient.decode(bytes);
    if (text?.includes("\ufffd") === true && !isUtf8(Buffer.from(bytes ?? []))) broken.push(text);
    return text;
  },
  /** The library would round numbers. */
  jsonFromBytes(bytes?: Uint8Array) {
    const text = bytes === undefined ? undefined : lenient.decode(bytes);
    try {
      return text === undefined ? text : valueOfJson(text, []);
    } catch {
      return text;
    }
  },
});
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

export async function parseParquet(bytes: Uint8Array, notes: Notes): Promise<Value> {
  const file = new Uint8Array(bytes).buffer;
  if (Buffer.from(bytes.subarray(0, 4)).toString() === "PARE")
    throw inexpressible("The file is encrypted; its key would be needed to read it.");
  try {
    const metadata = parquetMetadata(file);
    const columns = parquetSchema(metadata).children.map((child) => ({ name: child.element.name, read: parquetReaderOf(child) }));
    // The library returns the values of one of them for both.
    if (new Set(columns.map(({ name }) => name)).size < columns.length)
      throw inexpressible("The file has two columns of one name, which cannot be told apart.");
    noteUnits(metadata, notes);
    // Reads the stored numbers and bytes of columns that the library would convert to doubles and milliseconds.
    for (const element of metadata.schema) if (isExact(element)) unmark(element);
    let rows: readonly unknown[][] = [];
    // Not as objects, in which some names are special.
    const onComplete = (all: unknown[][]) => {
      rows = all;
    };
    const broken: string[] = [];
    await parquetRead({ file, metadata, compressors, utf8: false, parsers: parsersOf(broken), onComplete });
    if (broken.length > 0)
      noteOnce(notes, "CHARACTERS_REPLACED", `Bytes that are no characters in UTF-8 were replaced: ${firstOf(broken)}.`);
    const records = new NamedRows();
    records.columns = columns.map(({ name }) => name);
    for (const row of rows) records.push(new Map(columns.map(({ name, read }, place) => [name, valueFrom(read(row[place]), notes)])));
    withTexts(records, notes);
    return records;
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof Error && /^parquet [\w ]+ not supported$/.test(error.message))
      throw new Failure("CONVERSION_FAILED", "The file contains values of a type that cannot be read, such as intervals.");
    throw invalid("The file is damaged or is not Parquet.");
  }
}

/** Byte columns without a string annotation become text if all their values are text: older writers omit the annotation. */
function withTexts(rows: NamedRows, notes: Notes): void {
  const taken: string[] = [];
  for (const name of rows.columns) {
    const cells = rows.flatMap((row) => (row instanceof Map && row.get(name) instanceof Uint8Array ? [row] : []));
    const texts = cells.map((row) => textOfBytes(row.get(name)));
    if (texts.some((text) => text === undefined)) continue;
    if (cells.length > 0) taken.push(name);
    for (const [index, row] of cells.entries()) row.set(name, texts[index] ?? "");
  }
  if (taken.length > 0) noteOnce(notes, "TYPES_AS_TEXT", `Byte columns that contain only text were read as text: ${firstOf(taken)}.`);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOfBytes(value: Value | undefined): string | undefined {
  try {
    const text = value instanceof Uint8Array ? utf8.decode(value) : undefined;
    return text === undefined || /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

export async function parseAvro(bytes: Uint8Array): Promise<Value> {
  let why: unknown = invalid("The file is damaged or is not Avro.");
  const parseHook = (schema: avro.Schema) => {
    try {
      return avro.Type.forSchema(schema, avroOptions() as never);
    } catch (error) {
      // The library accepts fewer schemas than others, so the file is not to blame.
      const told = error instanceof Error ? error.message.slice(0, 120) : "it is not known";
      why = new Failure("CONVERSION_FAILED", `The file's schema cannot be read: ${told}.`);
      throw error;
    }
  };
  const decoder = new avro.streams.BlockDecoder({ parseHook, codecs: avroCodecs } as never);
  const records = new NamedRows();
  let mark: Buffer | undefined;
  return new Promise((resolve, reject) => {
    const fail = () => reject(why);
    decoder.on("metadata", (type, _codec, header: { readonly sync?: Uint8Array }) => {
      if (type instanceof avro.types.RecordType) records.columns = type.fields.map(({ name }) => name);
      mark = Buffer.from(header.sync ?? []);
    });
    decoder.on("data", (record: unknown) => {
      try {
        records.push(valueFrom(unwrapped(record)));
      } catch (error) {
        why = error;
        decoder.destroy();
        fail();
      }
    });
    decoder.on("error", (error: Error) => {
      const codec = /^unknown codec: (\w{1,40})/.exec(error.message)?.[1];
      if (codec !== undefined) why = inexpressible(`The file is compressed with ${codec}; only deflate, snappy and zstandard can be read.`);
      fail();
    });
    // A truncated file ends without an error, but not with the sync marker that closes each block.
    decoder.on("end", () =>
      mark?.length === 16 && bytes.subarray(-16).every((byte, at) => byte === mark?.[at]) ? resolve(records) : fail(),
    );
    try {
      decoder.end(Buffer.from(bytes));
    } catch {
      fail();
    }
  });
}

/** The library uses classes of its own for records, and wrappers for values of unions whose types it cannot tell apart. */
function unwrapped(value: unknown): unknown {
  if (value instanceof Uint8Array || value instanceof Stamp || value instanceof Exact) return value;
  if (Array.isArray(value)) return value.map(unwrapped);
  if (typeof value !== "object" || value === null) return value;
  const { unwrap }: { readonly unwrap?: unknown } = Object.getPrototypeOf(value);
  if (typeof unwrap === "function") return unwrapped(unwrap.call(value));
  return new Map(Object.entries(value).map(([name, each]) => [name, unwrapped(each)]));
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const sqlTypes: Readonly<Partial<Record<ColumnType["sort"], string>>> = {
  // SQLite stores 1 and 0; the type name is for readers.
  boolean: "BOOLEAN",
  int64: "INTEGER",
  double: "REAL",
  bytes: "BLOB",
  text: "TEXT",
};

/** SQLite turns NaN into null, and a zero loses its sign. */
const holdsInSql = ({ sort }: ColumnType, cells: readonly Cell[]) =>
  sqlTypes[sort] !== undefined && !cells.some((cell) => Number.isNaN(cell) || Object.is(cell, -0));

export function writeSqlite(value: Value, options: Options, notes: Notes): Uint8Array {
  return writeSqliteTables(new Map([[textOption(options, "table") ?? "data", value]]), notes);
}

/** The rows of each table by its name. */
export function writeSqliteTables(tables: ReadonlyMap<string, Value>, notes: Notes): Uint8Array {
  const titles = sqlNamesOf([...tables.keys()], notes);
  rmSync("made.db", { force: true });
  const database = new DatabaseSync("made.db");
  try {
    database.exec("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN");
    for (const [place, [name, rows]] of [...tables].entries()) {
      const raised: Notes = new Map();
      addTable(database, quoted(titles[place] ?? ""), rows, raised);
      noteWithin(notes, tables.size > 1 ? name : "", raised);
    }
    database.exec("COMMIT");
  } finally {
    database.close();
  }
  const bytes = readFileSync("made.db");
  rmSync("made.db", { force: true });
  return bytes;
}

function addTable(database: DatabaseSync, title: string, rows: Value, notes: Notes): void {
  const columns = columnsOf(rows, notes, holdsInSql);
  const names = sqlNamesOf(
    columns.map(({ name }) => name),
    notes,
  );
  const fields = names.map((name, place) => `${quoted(name)} ${sqlTypes[columns[place]?.type.sort ?? "text"]}`);
  database.exec(`CREATE TABLE ${title} (${fields.join(", ")})`);
  const insert = database.prepare(`INSERT INTO ${title} VALUES (${names.map(() => "?").join(", ")})`);
  for (let row = 0; row < (columns[0]?.values.length ?? 0); row += 1) {
    insert.run(
      ...columns.map(({ values }) => {
        const value = values[row] ?? null;
        return typeof value === "boolean" ? Number(value) : value;
      }),
    );
  }
}

/** SQL names are case-insensitive. */
function sqlNamesOf(columns: readonly string[], notes: Notes): string[] {
  if (columns.length > 2000) throw new Failure("CONVERSION_FAILED", "An SQLite table can have at most 2000 columns.");
  return allowedNames(
    columns,
    (column) => column.replaceAll("\0", ""),
    notes,
    (name) => name.toLowerCase(),
  );
}

const truthOf = (value: Value): Value => (value === 0 || value === 1 ? value === 1 : value);

/**
 * The rows of the requested table, otherwise of the first one; or, with `every`, of
 * all tables by name if there are several. Views and triggers of the file are not run.
 */
export function parseSqlite(bytes: Uint8Array, options: Options, notes: Notes, every = false): Value {
  rmSync("read.db", { force: true });
  writeFileSync("read.db", bytes);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync("read.db", { readOnly: true, allowExtension: false, readBigInts: true });
    database.exec("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON");
    const tables = tablesIn(database, notes);
    const chosen = textOption(options, "table");
    if (every && chosen === undefined && tables.length > 1) return new Map(rowsOfAll(database, tables, notes));
    const wanted = chosen ?? tables[0];
    if (wanted === undefined) throw new Failure("CONVERSION_FAILED", "The database has no tables.");
    if (!tables.includes(wanted)) throw new Failure("INVALID_OPTION", `The database has these tables: ${tables.join(", ").slice(0, 200)}.`);
    if (tables.length > 1) noteOnce(notes, "SHEETS_LEFT_OUT", `Only table ${wanted} of ${tables.length} was converted.`);
    return rowsOf(database, wanted, notes);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw invalid("The file is damaged or is not an SQLite database.");
  } finally {
    database?.close();
    rmSync("read.db", { force: true });
  }
}

function tablesIn(database: DatabaseSync, notes: Notes): readonly string[] {
  const found = database
    .prepare(
      "SELECT name, type = 'view' OR sql LIKE 'CREATE VIRTUAL%' AS isMade FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    )
    .all();
  const namesOf = (isMade: bigint) => found.filter((row) => row.isMade === isMade).map(({ name }) => String(name));
  const made = namesOf(1n);
  if (made.length > 0) noteAlso(notes, "SHEETS_LEFT_OUT", `Views and virtual tables were left out: ${firstOf(made)}.`);
  return namesOf(0n);
}

function rowsOfAll(database: DatabaseSync, tables: readonly string[], notes: Notes): readonly (readonly [string, Value])[] {
  return tables.map((table) => [table, rowsOf(database, table, notes)]);
}

function rowsOf(database: DatabaseSync, table: string, notes: Notes): Value {
  const query = database.prepare(`SELECT * FROM ${quoted(table)}`);
  const columns = query.columns().map(({ name, type }) => ({ name, isTruth: type?.toUpperCase() === "BOOLEAN" }));
  const rows = new NamedRows();
  rows.columns = columns.map(({ name }) => name);
  const names = columns.map(({ name }) => quoted(name));
  for (const row of rowsWithTexts(database, names, quoted(table), notes)) {
    const cells = row.map((cell) => valueFrom(cell));
    rows.push(new Map(columns.map(({ name, isTruth }, place) => [name, isTruth ? truthOf(cells[place] ?? null) : (cells[place] ?? null)])));
  }
  return rows;
}
