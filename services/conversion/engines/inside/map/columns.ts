/** Tables of a GeoPackage that GDAL wrote, and the contents of their columns. */
import type { DatabaseSync } from "node:sqlite";

/** A short has 32 bits, an integer 64. */
export type ColumnType = "short" | "integer" | "real" | "boolean" | "text" | "json" | "date" | "stamp" | "bytes";

export type Column = {
  readonly name: string;
  readonly type: ColumnType;
  /** Its name in the table, if different. */
  readonly inside?: string;
  /** Its numbers are stored as text there. */
  readonly isWritten?: true;
};

export type Table = {
  readonly name: string;
  /** Its name in the source. */
  readonly label: string;
  readonly shapes: string | undefined;
  readonly crs: number;
  readonly columns: readonly Column[];
};

/** GDAL's names for column types. */
const typeOfWord: Readonly<Record<string, ColumnType>> = {
  INTEGER: "integer",
  MEDIUMINT: "short",
  SMALLINT: "short",
  TINYINT: "short",
  REAL: "real",
  FLOAT: "real",
  DOUBLE: "real",
  BOOLEAN: "boolean",
  DATE: "date",
  DATETIME: "stamp",
  BLOB: "bytes",
};

export const wordOfType: Readonly<Record<ColumnType, string>> = {
  short: "MEDIUMINT",
  integer: "INTEGER",
  real: "REAL",
  boolean: "BOOLEAN",
  text: "TEXT",
  json: "TEXT",
  date: "DATE",
  stamp: "DATETIME",
  bytes: "BLOB",
};

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function tablesOf(database: DatabaseSync): readonly Table[] {
  const isThere = (name: string) => database.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(name) !== undefined;
  const json = isThere("gpkg_data_columns")
    ? database.prepare("SELECT table_name AS t, column_name AS c FROM gpkg_data_columns WHERE mime_type = 'application/json'").all()
    : [];
  const rows = database
    .prepare(
      "SELECT c.table_name AS name, g.column_name AS shapes, coalesce(g.srs_id, 0) AS crs FROM gpkg_contents c " +
        "LEFT JOIN gpkg_geometry_columns g ON g.table_name = c.table_name ORDER BY c.rowid",
    )
    .all();
  return rows.map(({ name, shapes, crs }) => ({
    name: String(name),
    label: String(name),
    shapes: shapes === null ? undefined : String(shapes),
    crs: Number(crs),
    columns: columnsOf(
      database,
      String(name),
      new Set(json.filter(({ t, c }) => t === name && isOfJson(database, String(t), String(c))).map(({ c }) => String(c))),
      shapes,
    ),
  }));
}

/** GDAL declares columns with values of several types as JSON, too. */
function isOfJson(database: DatabaseSync, table: string, column: string): boolean {
  const other = `SELECT 1 FROM ${quoted(table)} WHERE NOT json_valid(${quoted(column)}) LIMIT 1`;
  return database.prepare(other).get() === undefined;
}

function columnsOf(database: DatabaseSync, table: string, json: ReadonlySet<string>, shapes: unknown): readonly Column[] {
  return database
    .prepare(`PRAGMA table_info(${quoted(table)})`)
    .all()
    .filter(({ name, pk }) => pk === 0 && name !== shapes)
    .map(({ name, type }) => {
      const word = String(type).toUpperCase().split("(")[0] ?? "";
      return { name: String(name), type: json.has(String(name)) ? "json" : (typeOfWord[word] ?? "text") };
    });
}

/** All columns of several tables. A column with two types becomes text, unless one type includes the other. */
export function unionOf(tables: readonly Table[]): readonly Column[] {
  const found = new Map<string, Column>();
  for (const { columns } of tables) {
    for (const { name, type } of columns) {
      const key = name.toLowerCase();
      const known = found.get(key);
      found.set(key, { name: known?.name ?? name, type: known === undefined ? type : widerOf(known.type, type) });
    }
  }
  return [...found.values()];
}

function widerOf(one: ColumnType, other: ColumnType): ColumnType {
  if (one === other) return one;
  if (one === "short" && (other === "integer" || other === "real")) return other;
  return other === "short" && (one === "integer" || one === "real") ? one : "text";
}
