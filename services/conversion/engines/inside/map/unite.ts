/** Merges all tables into one, as most formats hold a single table, and adds a column with each feature's layer. */
import type { DatabaseSync } from "node:sqlite";
import { type Column, quoted, type Table, unionOf, wordOfType } from "./columns.ts";
import { isCurved, pointsIn } from "./shape.ts";

export const united = "united";

export type United = { readonly columns: readonly Column[]; readonly crs: number };

type More = {
  /** By feature, in source order. */
  readonly ids: readonly (number | string | undefined)[];
  /** GDAL made them a property already, as it does if some are text. */
  readonly areRead: boolean;
  readonly from: string;
};

/** GDAL names their layers by kind of shape; the formats have no layer names of their own. */
const withoutLayers = new Set(["gpx", "osm"]);
/** Their columns are predefined by GDAL: an empty one was not in the file. */
const withEmptyColumns = new Set(["gpx", "osm", "kml", "kmz", "georss"]);
/** GDAL's default values for a KML placemark that does not set them. */
const defaultsOfKml: Readonly<Record<string, number>> = { tessellate: -1, extrude: 0, visibility: -1, draworder: 0 };

export function forgetDefaults(database: DatabaseSync, tables: readonly Table[]): void {
  for (const { name: table, columns } of tables) {
    for (const { name, type } of columns) {
      const number = type === "short" ? defaultsOfKml[name.toLowerCase()] : undefined;
      if (number !== undefined) database.exec(`UPDATE ${quoted(table)} SET ${quoted(name)} = NULL WHERE ${quoted(name)} = ${number}`);
    }
  }
}

/** How many of the united shapes are of a type with arcs. */
export function curvesIn(database: DatabaseSync): number {
  database.function("is_curved", (blob) => (blob instanceof Uint8Array && isCurved(blob) ? 1 : 0));
  return Number(database.prepare(`SELECT count(*) AS number FROM ${united} WHERE is_curved(filemill_shape)`).get()?.["number"]);
}

/** Undefined if the tables have different coordinate systems. */
export function uniteTables(database: DatabaseSync, tables: readonly Table[], { ids, areRead, from }: More): United | undefined {
  const filled = tables.filter(({ name }) => database.prepare(`SELECT 1 FROM ${quoted(name)} LIMIT 1`).get() !== undefined);
  // 4979 is 4326 with heights.
  const systems = new Set(filled.filter(({ shapes }) => shapes !== undefined).map(({ crs }) => (crs === 4979 ? 4326 : crs)));
  if (systems.size > 1) return undefined;
  const columns = unionOf(withEmptyColumns.has(from) ? filled.map((table) => withoutEmpty(database, table)) : filled);
  const layer = !withoutLayers.has(from) && filled.length > 1 ? freeName("layer", columns) : undefined;
  const isThere = areRead && columns.some(({ name, type }) => name === "id" && type === "text");
  const id = ids.some((each) => each !== undefined) && !isThere ? freeName("id", columns) : undefined;
  const all: readonly Column[] = [
    ...(id === undefined ? [] : [{ name: id, type: typeOfIds(ids) }]),
    ...(layer === undefined ? [] : [{ name: layer, type: "text" as const }]),
    ...columns,
  ];
  const definitions = all.map(({ name, type }) => `, ${quoted(name)} ${wordOfType[type]}`).join("");
  database.exec(`CREATE TABLE ${united} (filemill_number INTEGER PRIMARY KEY, filemill_shape BLOB${definitions})`);
  for (const table of filled) copyRows(database, table, columns, layer);
  if (id !== undefined) {
    const change = database.prepare(`UPDATE ${united} SET ${quoted(id)} = ? WHERE filemill_number = ?`);
    ids.forEach((value, index) => {
      if (value !== undefined) change.run(value, index + 1);
    });
  }
  return { columns: all, crs: [...systems][0] ?? 4326 };
}

function typeOfIds(ids: More["ids"]): "text" | "short" | "integer" {
  if (ids.some((each) => typeof each === "string")) return "text";
  return ids.every((each = 0) => Math.abs(Number(each)) < 2 ** 31) ? "short" : "integer";
}

function withoutEmpty(database: DatabaseSync, table: Table): Table {
  const isFilled = ({ name, inside = name }: Column) =>
    database.prepare(`SELECT 1 FROM ${quoted(table.name)} WHERE ${quoted(inside)} IS NOT NULL LIMIT 1`).get() !== undefined;
  return { ...table, columns: table.columns.filter(isFilled) };
}

/** Splits multipoints into several features, for formats without them. */
export function explodePoints(database: DatabaseSync, columns: readonly Column[]): void {
  database.function("point_indexes", (blob) => JSON.stringify(blob instanceof Uint8Array ? [...pointsIn(blob).keys()] : []));
  database.function("point_at", (blob, index) => (blob instanceof Uint8Array ? (pointsIn(blob)[Number(index)] ?? null) : null));
  const names = columns.map(({ name }) => `, ${quoted(name)}`).join("");
  // The json_each table has columns of its own, such as id, type and value.
  const values = columns.map(({ name }) => `, ${united}.${quoted(name)}`).join("");
  const ofSeveral = "kind_of(filemill_shape) LIKE 'multipoints%'";
  database.exec(
    `INSERT INTO ${united} (filemill_shape${names}) SELECT point_at(filemill_shape, point.value)${values} FROM ${united}, json_each(point_indexes(filemill_shape)) point ` +
      `WHERE ${ofSeveral}; DELETE FROM ${united} WHERE ${ofSeveral};`,
  );
}

function copyRows(database: DatabaseSync, table: Table, columns: readonly Column[], layer: string | undefined): void {
  const own = new Map(table.columns.map((column) => [column.name.toLowerCase(), column]));
  const pairs = columns.flatMap(({ name, type }) => {
    const column = own.get(name.toLowerCase());
    return column === undefined ? [] : [[quoted(name), unitedValueOf(column, type)] as const];
  });
  if (layer !== undefined) pairs.push([quoted(layer), `'${table.label.replaceAll("'", "''")}'`]);
  const names = ["filemill_shape", ...pairs.map(([name]) => name)].join(", ");
  const values = [table.shapes === undefined ? "NULL" : quoted(table.shapes), ...pairs.map(([, value]) => value)].join(", ");
  database.exec(`INSERT INTO ${united} (${names}) SELECT ${values} FROM ${quoted(table.name)} ORDER BY rowid`);
}

/** A value becomes text if its column has another type elsewhere. */
function unitedValueOf({ name, type, inside = name, isWritten }: Column, wanted: Column["type"]): string {
  const value = quoted(inside);
  if (isWritten === true) return `to_number(${value})`;
  if (type === wanted || wanted !== "text") return value;
  if (type === "boolean") return `CASE ${value} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`;
  if (type === "real") return `real_text(${value})`;
  return type === "bytes" ? `base64(${value})` : `CAST(${value} AS TEXT)`;
}

function freeName(name: string, columns: readonly Column[]): string {
  const isTaken = (wanted: string) => columns.some((each) => each.name.toLowerCase() === wanted.toLowerCase());
  let free = name;
  for (let number = 2; isTaken(free); number++) free = `${name}_${number}`;
  return free;
}
