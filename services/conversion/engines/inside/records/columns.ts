/** Tables kept by column or with a schema: Parquet, Avro and SQLite. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import avro from "avsc";
import { parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { type BasicType, parquetWriteBuffer } from "hyparquet-writer";
import { type Notes, type Options, textOption } from "../exchange.ts";
import { Failure, invalid } from "../failure.ts";
import { avroOptions } from "./avro-types.ts";
import { isExact, parquetReaderOf, unmark } from "./parquet-types.ts";
import { type Cell, type ColumnSort, cellText, sortOf, type Table, tableOf } from "./tables.ts";
import { type Entries, Exact, Stamp, type Value, valueFrom } from "./values.ts";

/** Cells of one column, all of its sort. */
function columnOf(table: Table, place: number, notes: Notes): { readonly sort: ColumnSort; readonly cells: readonly Cell[] } {
  const cells = table.rows.map((row) => row[place] ?? null);
  const sort = sortOf(cells);
  if (sort !== "text") return { sort, cells };
  return {
    sort,
    cells: cells.map((cell) => {
      if (cell === null || typeof cell === "string") return cell;
      notes.set("TYPES_AS_TEXT", undefined);
      return cellText(cell);
    }),
  };
}

const parquetTypes = {
  boolean: "BOOLEAN",
  int64: "INT64",
  double: "DOUBLE",
  instant: "TIMESTAMP",
  bytes: "BYTE_ARRAY",
  text: "STRING",
} as const satisfies Record<ColumnSort, BasicType>;

export function writeParquet(value: Value, options: Options, notes: Notes): Uint8Array {
  const table = tableOf(value, notes);
  const columnData = table.columns.map((name, place) => {
    const { sort, cells } = columnOf(table, place, notes);
    const data = cells.map((cell) =>
      cell === null ? undefined : sort === "int64" ? BigInt(String(cell)) : cell instanceof Stamp ? new Date(cell.text) : cell,
    );
    return { name, data, type: parquetTypes[sort] };
  });
  const codec = textOption(options, "compression") === "none" ? "UNCOMPRESSED" : "SNAPPY";
  return new Uint8Array(parquetWriteBuffer({ columnData, codec, createdBy: "Filemill" }));
}

export async function parseParquet(bytes: Uint8Array): Promise<Value> {
  const file = new Uint8Array(bytes).buffer;
  try {
    const metadata = parquetMetadata(file);
    const columns = parquetSchema(metadata).children.map((child) => ({ name: child.element.name, read: parquetReaderOf(child) }));
    // What the library would make doubles and milliseconds of is read as the numbers and bytes that stand there.
    for (const element of metadata.schema) if (isExact(element)) unmark(element);
    const rows = await parquetReadObjects({ file, metadata, compressors, utf8: false });
    return withTexts(rows.map((row) => new Map(columns.map(({ name, read }) => [name, valueFrom(read(row[name]))]))));
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof Error && /^parquet [\w ]+ not supported$/.test(error.message))
      throw new Failure("CONVERSION_FAILED", "The file holds values of a type that cannot be read, such as intervals.");
    throw invalid("The file is damaged or is not Parquet.");
  }
}

/** Bytes of columns that nobody calls text are text where all of them are: older writers say nothing. */
function withTexts(rows: Entries[]): Value {
  const [first] = rows;
  for (const name of first?.keys() ?? []) {
    const cells = rows.flatMap((row) => (row.get(name) instanceof Uint8Array ? [row] : []));
    const texts = cells.map((row) => textOfBytes(row.get(name)));
    if (texts.some((text) => text === undefined)) continue;
    for (const [index, row] of cells.entries()) row.set(name, texts[index] ?? "");
  }
  return rows;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function textOfBytes(value: Value | undefined): string | undefined {
  try {
    return value instanceof Uint8Array ? utf8.decode(value) : undefined;
  } catch {
    return undefined;
  }
}

const avroTypes: Readonly<Record<ColumnSort, unknown>> = {
  boolean: "boolean",
  int64: "long",
  double: "double",
  instant: { type: "long", logicalType: "timestamp-micros" },
  bytes: "bytes",
  text: "string",
};

export async function writeAvro(value: Value, _options: Options, notes: Notes): Promise<Uint8Array> {
  const table = tableOf(value, notes);
  const columns = table.columns.map((_, place) => columnOf(table, place, notes));
  const names = avroNamesOf(table.columns, notes);
  const fields = columns.map(({ sort }, place) => ({ name: names[place], type: ["null", avroTypes[sort]], default: null }));
  const type = avro.Type.forSchema({ type: "record", name: "Row", fields } as never, avroOptions() as never);
  const encoder = new avro.streams.BlockEncoder(type, { codec: "deflate" });
  const parts: Buffer[] = [];
  encoder.on("data", (part: Buffer) => parts.push(part));
  const ended = new Promise<void>((resolve, reject) => encoder.on("end", resolve).on("error", reject));
  for (const row of table.rows.keys()) {
    const record: Record<string, unknown> = {};
    for (const [place, { sort, cells }] of columns.entries()) {
      const cell = cells[row] ?? null;
      record[names[place] ?? ""] =
        cell === null ? null : sort === "int64" ? BigInt(String(cell)) : cell instanceof Uint8Array ? Buffer.from(cell) : cell;
    }
    encoder.write(record);
  }
  encoder.end();
  await ended;
  return Buffer.concat(parts);
}

/** Avro allows letters, digits and _ in names. */
function avroNamesOf(columns: readonly string[], notes: Notes): string[] {
  const seen = new Set<string>();
  return columns.map((column) => {
    const plain = column.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?![A-Za-z_])/, "_");
    let name = plain;
    for (let count = 2; seen.has(name); count++) name = `${plain}_${count}`;
    if (name !== column) notes.set("NAMES_CHANGED", undefined);
    seen.add(name);
    return name;
  });
}

export async function parseAvro(bytes: Uint8Array): Promise<Value> {
  const decoder = new avro.streams.BlockDecoder({ parseHook: (schema) => avro.Type.forSchema(schema, avroOptions() as never) });
  const records: Value[] = [];
  let mark: Buffer | undefined;
  return new Promise((resolve, reject) => {
    const fail = () => reject(invalid("The file is damaged or is not Avro."));
    decoder.on("metadata", (_type, _codec, header: { readonly sync?: Uint8Array }) => {
      mark = Buffer.from(header.sync ?? []);
    });
    decoder.on("data", (record: unknown) => records.push(valueFrom(unwrapped(record))));
    decoder.on("error", fail);
    // A file that is cut off ends without a word, but not with the mark that ends each block.
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

/** The library's records are of classes of its own. */
function unwrapped(value: unknown): unknown {
  if (value instanceof Uint8Array || value instanceof Stamp || value instanceof Exact) return value;
  if (Array.isArray(value)) return value.map(unwrapped);
  if (typeof value !== "object" || value === null) return value;
  return new Map(Object.entries(value).map(([name, each]) => [name, unwrapped(each)]));
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const sqlTypes: Readonly<Record<ColumnSort, string>> = {
  boolean: "INTEGER",
  int64: "INTEGER",
  double: "REAL",
  instant: "TEXT",
  bytes: "BLOB",
  text: "TEXT",
};

export function writeSqlite(value: Value, options: Options, notes: Notes): Uint8Array {
  const table = tableOf(value, notes);
  const columns = table.columns.map((_, place) => columnOf(table, place, notes));
  const names = sqlNamesOf(table.columns, notes);
  const title = quoted(textOption(options, "table") ?? "data");
  rmSync("made.db", { force: true });
  const database = new DatabaseSync("made.db");
  try {
    database.exec("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN");
    database.exec(
      `CREATE TABLE ${title} (${names.map((name, place) => `${quoted(name)} ${sqlTypes[columns[place]?.sort ?? "text"]}`).join(", ")})`,
    );
    const insert = database.prepare(`INSERT INTO ${title} VALUES (${names.map(() => "?").join(", ")})`);
    for (const row of table.rows.keys()) {
      insert.run(
        ...columns.map(({ cells }) => {
          const cell = cells[row] ?? null;
          if (typeof cell === "boolean") return Number(cell);
          return cell === null || typeof cell === "number" || typeof cell === "bigint" || cell instanceof Uint8Array
            ? cell
            : cellText(cell);
        }),
      );
    }
    database.exec("COMMIT");
  } finally {
    database.close();
  }
  const bytes = readFileSync("made.db");
  rmSync("made.db", { force: true });
  return bytes;
}

/** SQL does not tell names by case. */
function sqlNamesOf(columns: readonly string[], notes: Notes): string[] {
  if (columns.length > 2000) throw new Failure("CONVERSION_FAILED", "A table of SQLite holds 2000 columns at most.");
  const seen = new Set<string>();
  return columns.map((column) => {
    const plain = column.replaceAll("\0", "");
    let name = plain;
    for (let count = 2; seen.has(name.toLowerCase()); count++) name = `${plain}_${count}`;
    if (name !== column) notes.set("NAMES_CHANGED", undefined);
    seen.add(name.toLowerCase());
    return name;
  });
}

/** The table that is asked for, else the first; views and triggers of the file are not run. */
export function parseSqlite(bytes: Uint8Array, options: Options, notes: Notes): Value {
  rmSync("read.db", { force: true });
  writeFileSync("read.db", bytes);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync("read.db", { readOnly: true, allowExtension: false, readBigInts: true });
    database.exec("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON");
    const tables = database
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY rowid",
      )
      .all()
      .map((row) => String(row.name));
    const wanted = textOption(options, "table") ?? tables[0];
    if (wanted === undefined) throw new Failure("CONVERSION_FAILED", "The database has no tables.");
    if (!tables.includes(wanted)) throw new Failure("INVALID_OPTION", `The database has these tables: ${tables.join(", ").slice(0, 200)}.`);
    if (tables.length > 1) notes.set("SHEETS_LEFT_OUT", `Only table ${wanted} of ${tables.length} was converted.`);
    const query = database.prepare(`SELECT * FROM ${quoted(wanted)}`);
    const names = query.columns().map(({ name }) => name);
    const rows: Entries[] = [];
    for (const row of query.iterate()) rows.push(new Map(names.map((name) => [name, valueFrom(row[name])])));
    return rows;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw invalid("The file is damaged or is not an SQLite database.");
  } finally {
    database?.close();
    rmSync("read.db", { force: true });
  }
}
