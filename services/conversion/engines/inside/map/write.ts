/** Writes the tables for GDAL in place of those that it gathered. */
import type { DatabaseSync } from "node:sqlite";
import type { Notes } from "../exchange.ts";
import { inexpressible } from "../failure.ts";
import { type Column, quoted } from "./columns.ts";
import { heightOf, simpleShape, someCoordinate } from "./coordinates.ts";
import { type PointTexts, pointTextsOf } from "./gpx-points.ts";
import { type Kind, type Layer, writeLayer } from "./layer.ts";
import type { Limits } from "./limits.ts";
import { allowedNames } from "./names.ts";
import { addNote, named } from "./notes.ts";
import { shapeOf } from "./shape.ts";
import { planColumns } from "./survey.ts";
import { pointColumn } from "./tracks.ts";
import { explodePoints, type United, united } from "./unite.ts";

/** See the shape of the answer in ../../maps/gdal-arrange.ts. */
export type Written = {
  readonly layers: readonly string[];
  readonly shapes: number;
  readonly lost: number;
  readonly bare: number;
  readonly hasHeights: boolean;
  /** Numbers with more than 15 digits. */
  readonly hasLongReals: boolean;
  readonly points: PointTexts | undefined;
};

const typeOfSort: Readonly<Record<string, string>> = {
  points: "POINT",
  multipoints: "MULTIPOINT",
  lines: "MULTILINESTRING",
  areas: "MULTIPOLYGON",
};

/** As GDAL parses a time. */
const moment = /^\d{4}[-/]\d\d[-/]\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d(:?\d\d)?)?)?$/;

/** GeoPackage's ids for unknown coordinate systems. */
const unknownSystems = new Set([-1, 0, 99_999]);

export function writeTables(database: DatabaseSync, { columns: all, crs }: United, limits: Limits, notes: Notes): Written {
  database.function("kind_of", (blob) => kindOf(blob));
  const before = kindsOf(database);
  if (limits.isExploded === true) explodePoints(database, all);
  if (limits.isSimple === true) {
    database.function("simple_shape", (blob) => (blob instanceof Uint8Array ? (simpleShape(blob) ?? null) : null));
    database.exec(`UPDATE ${united} SET filemill_shape = simple_shape(filemill_shape)`);
  }
  if (limits.isOfPoints === true)
    database.exec(`UPDATE ${united} SET filemill_shape = NULL WHERE kind_of(filemill_shape) NOT LIKE 'points%'`);
  const kinds = kindsOf(database);
  const { columns, points } = limits.takesPointValues === true ? asGpx(database, all, notes) : { columns: all, points: undefined };
  const planned = planColumns(database, united, columns, limits, notes);
  const names = allowedNames(
    planned.map(({ name }) => name),
    limits.names,
  );
  const changed = [...names].filter(([before, after]) => before !== after).map(([before, after]) => `${before} → ${after}`);
  if (changed.length > 0) addNote(notes, "NAMES_CHANGED", `Column names were changed: ${named(changed)}.`);
  noteDimensions(kinds, limits, notes);
  noteDecimals(database, crs, limits, notes);
  const system = unknownSystems.has(crs) && limits.isInDegrees === true ? assumeDegrees(database) : crs;
  const hasLongReals = all.some(({ name, type }) => type === "real" && hasAny(database, `is_long(${quoted(name)})`));
  forgetTables(database);
  const layers = layersOf(kinds, limits, typeOf(database));
  for (const layer of layers) writeLayer(database, layer, { planned, names, system, limits });
  database.exec(`DROP TABLE ${united}`);
  const [bare, bareNow] = [before, kinds].map((some) => numberOf(some.filter(({ sort }) => sort === "none"))) as [number, number];
  const unheld = limits.sorts === undefined ? [] : before.filter(({ sort }) => sort !== "none" && !holds(limits, sort));
  return {
    layers: layers.map(({ name }) => name),
    shapes: numberOf(before) - bare,
    lost: numberOf(unheld) + bareNow - bare,
    bare,
    hasHeights: kinds.some(({ heights }) => heights),
    hasLongReals,
    points,
  };
}

function hasAny(database: DatabaseSync, expression: string): boolean {
  return database.prepare(`SELECT 1 FROM ${united} WHERE ${expression} LIMIT 1`).get() !== undefined;
}

/** In GPX, heights of waypoints are a column, and values of single points are stored separately. */
function asGpx(
  database: DatabaseSync,
  given: readonly Column[],
  notes: Notes,
): { readonly columns: readonly Column[]; readonly points: PointTexts | undefined } {
  const isPoint = "kind_of(filemill_shape) LIKE 'points z%'";
  database.function("height_of", (blob) => (blob instanceof Uint8Array ? heightOf(blob) : null));
  database.function("is_time", (value) => (typeof value === "string" && moment.test(value) ? 1 : 0));
  const columns = withoutOthers(database, given, isPoint, notes);
  const own = columns.find(({ name }) => name.toLowerCase() === "ele");
  const isNew = own === undefined && hasAny(database, isPoint);
  if (isNew) database.exec(`ALTER TABLE ${united} ADD COLUMN ele REAL`);
  if (isNew || own?.type === "real") database.exec(`UPDATE ${united} SET ele = height_of(filemill_shape) WHERE ele IS NULL AND ${isPoint}`);
  const hasValues = columns.some(({ name }) => name === pointColumn);
  const points = hasValues ? pointTextsOf(database, united, "kind_of(filemill_shape) LIKE 'lines%'") : undefined;
  return {
    columns: [
      ...columns.filter(({ name }) => points === undefined || name !== pointColumn),
      ...(isNew ? [{ name: "ele", type: "real" as const }] : []),
    ],
    points,
  };
}

/** GDAL takes columns with these names for the heights and times of points, whatever they contain. */
function withoutOthers(database: DatabaseSync, columns: readonly Column[], isPoint: string, notes: Notes): readonly Column[] {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  const changed: string[] = [];
  const made = columns.map((column) => {
    const { name, type } = column;
    const isHeight = name.toLowerCase() === "ele" && (type === "real" || type === "short" || type === "integer");
    const isOther = isHeight
      ? hasAny(database, `${isPoint} AND ${quoted(name)} <> height_of(filemill_shape)`)
      : name.toLowerCase() === "ele" ||
        (name.toLowerCase() === "time" && hasAny(database, `${quoted(name)} IS NOT NULL AND NOT is_time(${quoted(name)})`));
    if (!isOther) return column;
    let free = `${name}_1`;
    for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${name}_${number}`;
    database.exec(`ALTER TABLE ${united} RENAME COLUMN ${quoted(name)} TO ${quoted(free)}`);
    changed.push(`${name} → ${free}`);
    return { ...column, name: free };
  });
  if (changed.length > 0) addNote(notes, "NAMES_CHANGED", `Column names were changed: ${named(changed)}.`);
  return made;
}

function holds({ sorts, isExploded }: Limits, sort: Kind["sort"]): boolean {
  return sorts?.some((each) => each === sort) === true || (isExploded === true && sort === "multipoints");
}

/** Whether a map has to be reprojected to degrees, which every format can name. */
export function mustBeDegrees(database: DatabaseSync, crs: number, { isInDegrees, systems }: Limits): boolean {
  if (crs === 4326 || unknownSystems.has(crs)) return false;
  if (systems !== "coded") return isInDegrees === true;
  const named = "SELECT 1 FROM gpkg_spatial_ref_sys WHERE srs_id = ? AND organization <> 'NONE'";
  return database.prepare(named).get(crs) === undefined;
}

function numberOf(kinds: readonly Kind[]): number {
  return kinds.reduce((sum, { number }) => sum + number, 0);
}

function kindOf(blob: unknown): string {
  if (!(blob instanceof Uint8Array)) return "none";
  const { sort, hasHeights, hasMeasures } = shapeOf(blob);
  return `${sort}${hasHeights ? " z" : ""}${hasMeasures ? " m" : ""}`;
}

function kindsOf(database: DatabaseSync): readonly Kind[] {
  const rows = database.prepare(`SELECT kind_of(filemill_shape) AS kind, count(*) AS number FROM ${united} GROUP BY 1 ORDER BY 1`).all();
  return rows.map(({ kind, number }) => {
    const [sort = "none", ...more] = String(kind).split(" ");
    return {
      kind: String(kind),
      sort: sort as Kind["sort"],
      heights: more.includes("z"),
      measures: more.includes("m"),
      number: Number(number),
    };
  });
}

function noteDimensions(kinds: readonly Kind[], limits: Limits, notes: Notes): void {
  const [withHeights, withMeasures] = [kinds.filter(({ heights }) => heights), kinds.filter(({ measures }) => measures)];
  if (limits.heights === "none" && withHeights.length > 0) {
    addNote(notes, "METADATA_DROPPED", `Heights of ${numberOf(withHeights)} shapes were left out.`);
  }
  if (limits.measures === "none" && withMeasures.length > 0) {
    addNote(notes, "METADATA_DROPPED", `Measures of ${numberOf(withMeasures)} shapes were left out.`);
  }
  if (limits.sorts !== undefined) return;
  for (const [dimension, unit, withIt] of [
    ["heights", "height", withHeights],
    ["measures", "measure", withMeasures],
  ] as const) {
    const flat = kinds.filter((kind) => !kind[dimension] && kind.sort !== "none");
    if (limits[dimension] !== "all" || withIt.length === 0 || flat.length === 0) continue;
    const why = `because the format stores ${dimension} for all shapes or none`;
    addNote(notes, "EMPTY_VALUES_DROPPED", `${numberOf(flat)} shapes without ${dimension} got ${unit} 0, ${why}.`);
  }
}

function noteDecimals(database: DatabaseSync, crs: number, { decimals }: Limits, notes: Notes): void {
  if (decimals === undefined) return;
  const most = crs === 4326 || unknownSystems.has(crs) ? decimals[0] : decimals[1];
  // Adding the grid's origin changes the last digit, which does not count as rounding.
  const isLonger = (value: number) => Math.abs(Number(value.toFixed(most)) - value) > 10 ** -(most + 2);
  if (most === 0) addNote(notes, "NUMBERS_ROUNDED", "Coordinates were rounded to the grid of the tiles.");
  else if (someOf(database, isLonger)) addNote(notes, "NUMBERS_ROUNDED", `Coordinates were rounded to ${most} decimals.`);
}

function someOf(database: DatabaseSync, test: (value: number) => boolean): boolean {
  for (const { shape } of database.prepare(`SELECT filemill_shape AS shape FROM ${united} WHERE filemill_shape IS NOT NULL`).iterate()) {
    if (shape instanceof Uint8Array && someCoordinate(shape, test)) return true;
  }
  return false;
}

/** Throws if the numbers cannot be degrees. */
function assumeDegrees(database: DatabaseSync): number {
  if (!someOf(database, (value) => Math.abs(value) > 360)) return 4326;
  throw inexpressible("The file does not state its coordinate system, and the format needs degrees; GPKG and SHP keep it as it is.");
}

function forgetTables(database: DatabaseSync): void {
  const tables = database.prepare("SELECT table_name AS name FROM gpkg_contents").all();
  for (const list of ["gpkg_geometry_columns", "gpkg_ogr_contents", "gpkg_contents"]) database.exec(`DELETE FROM ${list}`);
  const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'gpkg_data_columns'").get() !== undefined;
  if (isThere) database.exec("DELETE FROM gpkg_data_columns");
  else {
    database.exec(
      "CREATE TABLE gpkg_data_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, name TEXT, title TEXT, description TEXT, mime_type TEXT, constraint_name TEXT)",
    );
  }
  for (const { name } of tables) database.exec(`DROP TABLE ${quoted(String(name))}`);
}

/** The type of all shapes, if it is one, and if all have heights and measures or none. */
function typeOf(database: DatabaseSync): string {
  database.function("type_of", (blob) => (blob instanceof Uint8Array ? shapeOf(blob).type : null));
  const each = `SELECT DISTINCT type_of(filemill_shape) AS type, kind_of(filemill_shape) FROM ${united} WHERE filemill_shape IS NOT NULL`;
  const found = database.prepare(each).all();
  return found.length === 1 ? String(found[0]?.["type"]) : "GEOMETRY";
}

/** One layer for all shapes, or one for each kind that the format distinguishes. */
function layersOf(kinds: readonly Kind[], { sorts, heights, isOfPoints, needsShapes }: Limits, type: string): readonly Layer[] {
  if (sorts === undefined)
    return [
      {
        name: "data",
        type: isOfPoints === true ? "POINT" : type,
        kinds: needsShapes === true ? kinds.filter(({ sort }) => sort !== "none") : kinds,
      },
    ];
  const layers = new Map<string, Kind[]>();
  // In the order of `sorts`: GPX has waypoints first.
  for (const kind of sorts.flatMap((sort) => kinds.filter((each) => each.sort === sort))) {
    const key = heights === "all" ? kind.kind : kind.sort;
    layers.set(key, [...(layers.get(key) ?? []), kind]);
  }
  return [...layers].map(([key, own]) => {
    const [sort = ""] = key.split(" ");
    const isAlone = [...layers.keys()].every((other) => other === key || other.split(" ")[0] !== sort);
    return { name: isAlone ? sort : key.replaceAll(" ", "_"), type: typeOfSort[sort] ?? "GEOMETRY", kinds: own };
  });
}
