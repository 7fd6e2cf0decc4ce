/** Writes typed tables: Parquet and Avro. */
import avro from "avsc";
import type { SchemaElement } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { type Notes, noteOnce, type Options, textOption } from "../exchange.ts";
import { avroWriting } from "./avro-types.ts";
import { type Column, type ColumnType, columnOf, type Stored } from "./column-types.ts";
import { signedBytes } from "./decimals.ts";
import { allowedNames, type Cell, tableOf } from "./tables.ts";
import { firstOf, type Value } from "./values.ts";

export type NamedColumn = Column & { readonly name: string };

/** The columns of a table, each with one type; a note lists those that became text. */
export function columnsOf(
  value: Value,
  notes: Notes,
  holds: (type: ColumnType, cells: readonly Cell[]) => boolean,
): readonly NamedColumn[] {
  const { columns, rows } = tableOf(value, notes);
  const texts: string[] = [];
  const typed = columns.map((name, place) => {
    const cells = rows.map((row) => row[place] ?? null);
    return { name, ...columnOf(cells, holds, () => texts.push(name)) };
  });
  if (texts.length > 0) noteOnce(notes, "TYPES_AS_TEXT", `Columns of unsupported or mixed types became text: ${firstOf(texts)}.`);
  return typed;
}

const units = { 3: "MILLIS", 6: "MICROS", 9: "NANOS" } as const;

/** @see https://github.com/apache/parquet-format/blob/master/LogicalTypes.md */
function parquetElementOf(name: string, type: ColumnType): SchemaElement {
  const of = (rest: Omit<SchemaElement, "name">): SchemaElement => ({ name, repetition_type: "OPTIONAL", ...rest });
  switch (type.sort) {
    case "boolean":
      return of({ type: "BOOLEAN" });
    case "double":
      return of({ type: "DOUBLE" });
    case "bytes":
      return of({ type: "BYTE_ARRAY" });
    case "text":
      return of({ type: "BYTE_ARRAY", converted_type: "UTF8" });
    case "int64":
      return of({ type: "INT64" });
    case "uint64":
      return of({ type: "INT64", converted_type: "UINT_64" });
    case "date":
      return of({ type: "INT32", converted_type: "DATE" });
    case "decimal": {
      const { precision, scale } = type;
      const stored = precision <= 18 ? ({ type: "INT64" } as const) : ({ type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 } as const);
      return of({ ...stored, converted_type: "DECIMAL", precision, scale });
    }
    case "time":
      return of({
        type: type.digits === 3 ? "INT32" : "INT64",
        logical_type: { type: "TIME", isAdjustedToUTC: false, unit: units[type.digits] },
      });
    default:
      return of({
        type: "INT64",
        // For older readers, which know only instants.
        ...(type.sort === "instant" && type.digits < 9
          ? { converted_type: type.digits === 3 ? "TIMESTAMP_MILLIS" : "TIMESTAMP_MICROS" }
          : {}),
        logical_type: { type: "TIMESTAMP", isAdjustedToUTC: type.sort === "instant", unit: units[type.digits] },
      });
  }
}

export function writeParquet(value: Value, options: Options, notes: Notes): Uint8Array {
  const columns = columnsOf(value, notes, () => true);
  const columnData = columns.map(({ name, type, values }) => ({
    name,
    data: values.map((each) => (each === null ? undefined : type.sort === "time" && type.digits === 3 ? Number(each) : each)),
  }));
  const schema = [{ name: "root", num_children: columns.length }, ...columns.map(({ name, type }) => parquetElementOf(name, type))];
  const codec = textOption(options, "compression") === "none" ? "UNCOMPRESSED" : "SNAPPY";
  return new Uint8Array(parquetWriteBuffer({ columnData, schema, codec, createdBy: "Filemill" }));
}

/** @see https://avro.apache.org/docs/1.12.0/specification/#logical-types */
function avroTypeOf(type: ColumnType): unknown {
  const part = "digits" in type ? { 3: "millis", 6: "micros", 9: "nanos" }[type.digits] : "";
  switch (type.sort) {
    case "int64":
      return "long";
    case "text":
      return "string";
    case "boolean":
    case "double":
    case "bytes":
      return type.sort;
    case "uint64":
      return { type: "bytes", logicalType: "decimal", precision: 20, scale: 0 };
    case "decimal":
      return { type: "bytes", logicalType: "decimal", precision: type.precision, scale: type.scale };
    case "date":
      return { type: "int", logicalType: "date" };
    case "time":
      return { type: type.digits === 3 ? "int" : "long", logicalType: `time-${part}` };
    default:
      return { type: "long", logicalType: `${type.sort === "local" ? "local-" : ""}timestamp-${part}` };
  }
}

function avroValueOf(value: Stored, type: ColumnType): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (typeof value !== "bigint") return value;
  if (type.sort === "decimal" || type.sort === "uint64") return signedBytes(value);
  return type.sort === "time" && type.digits === 3 ? Number(value) : value;
}

export async function writeAvro(value: Value, _options: Options, notes: Notes): Promise<Uint8Array> {
  // Avro has no time of day finer than microseconds.
  const columns = columnsOf(value, notes, (type) => !(type.sort === "time" && type.digits === 9));
  const names = avroNamesOf(
    columns.map(({ name }) => name),
    notes,
  );
  const fields = columns.map(({ type }, place) => ({ name: names[place], type: ["null", avroTypeOf(type)], default: null }));
  const type = avro.Type.forSchema({ type: "record", name: "Row", fields } as never, avroWriting() as never);
  const encoder = new avro.streams.BlockEncoder(type, { codec: "deflate", writeHeader: "always" });
  const parts: Buffer[] = [];
  encoder.on("data", (part: Buffer) => parts.push(part));
  const ended = new Promise<void>((resolve, reject) => encoder.on("end", resolve).on("error", reject));
  const rows = columns[0]?.values.length ?? 0;
  for (let row = 0; row < rows; row += 1) {
    const record: Record<string, unknown> = {};
    for (const [place, { type, values }] of columns.entries()) record[names[place] ?? ""] = avroValueOf(values[row] ?? null, type);
    encoder.write(record);
  }
  encoder.end();
  await ended;
  return Buffer.concat(parts);
}

/** Avro names may contain only letters, digits and _. */
function avroNamesOf(columns: readonly string[], notes: Notes): string[] {
  return allowedNames(columns, (column) => column.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?![A-Za-z_])/, "_"), notes);
}
