/**
 * Runs between GDAL's reading and writing: rearranges the tables in gathered.gpkg into those that a format can hold, so that GDAL writes
 * them unchanged, and notes what is lost.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Notes } from "../exchange.ts";
import { type Column, type Table, tablesOf } from "./columns.ts";
import { withNumbers } from "./csv.ts";
import { withDbaseValues } from "./dbase-values.ts";
import { decodeTexts, unsureFormats } from "./encoding.ts";
import { readGpx, textOfXml } from "./gpx.ts";
import { withPointTexts } from "./gpx-points.ts";
import { type GeoJsonFacts, inspectGeoJson, inspectTopoJson } from "./json-source.ts";
import { inspectKml } from "./kml.ts";
import { type Limits, limitsOf } from "./limits.ts";
import { withLists } from "./lists.ts";
import { addNote } from "./notes.ts";
import { inspectOsm, withoutComputed } from "./osm.ts";
import { addFunctions } from "./survey.ts";
import { withPointValues } from "./tracks.ts";
import { curvesIn, forgetDefaults, uniteTables } from "./unite.ts";
import { mustBeDegrees, writeTables } from "./write.ts";

export type Asked = {
  readonly from: string;
  readonly to: string;
  /** Path of the source. */
  readonly input: string;
  /** Path of what GDAL gathered; absent if it needs no arranging. */
  readonly gathered?: string;
  /** Where the values of single points go, for `complete` to write. */
  readonly points?: string;
  /** Columns that GDAL wrote in its own list syntax: (2:a,b). */
  readonly lists?: readonly string[];
  /** Coordinates become columns. */
  readonly isOfPoints?: boolean;
};

function sourceOf({ from, input, lists = [] }: Asked, tables: readonly Table[], database: DatabaseSync, notes: Notes): readonly Table[] {
  if (unsureFormats.has(from)) decodeTexts(database, tables, input, notes);
  if (from === "shp") return withDbaseValues(database, tables, input, notes);
  if (from === "csv") return withNumbers(database, tables);
  if (from === "osm") {
    inspectOsm(textOfXml(readFileSync(input)), database, tables, notes);
    return tables.map(withoutComputed);
  }
  if (from === "gml") return withLists(database, withNumbers(database, tables), new Set(lists), notes);
  if (from === "kml" || from === "kmz") {
    inspectKml(readFileSync(input), notes);
    forgetDefaults(database, tables);
  }
  if (lists.length > 0) return withLists(database, tables, new Set(lists), notes);
  if (from !== "gpx") return tables;
  const gpx = readGpx(textOfXml(readFileSync(input)));
  if (gpx.hasMetadata) addNote(notes, "METADATA_DROPPED", "The file's metadata was left out.");
  return withPointValues(database, tables, gpx);
}

const nothing = { layers: [], shapes: 0, lost: 0, bare: 0, hasHeights: false, hasLongReals: false, hasPoints: false };

function jsonOf({ from, input }: Asked, notes: Notes): GeoJsonFacts {
  // Near-JSON, for example with NaN, is left to GDAL.
  const unknown = { ids: [], ownsId: false, shapes: 0, hasSystem: true, texts: [], hasTextsLikeJson: false, hasLongReals: false };
  if (from !== "geojson" && from !== "geojsonl" && from !== "topojson") return unknown;
  try {
    if (from === "topojson") {
      inspectTopoJson(readFileSync(input, "utf8"), notes);
      return unknown;
    }
    return inspectGeoJson(readFileSync(input, "utf8"), notes);
  } catch (error) {
    if (error instanceof SyntaxError) return unknown;
    throw error;
  }
}

/** GDAL declares texts beside numbers or lists as JSON. */
const textColumn = (column: Column, texts: readonly string[]): Column =>
  column.type === "json" && texts.includes(column.name) ? { ...column, type: "text" } : column;

/** Formats in which an arc stays an arc. */
const holdsCurves = new Set(["gpkg", "gml", "fgb", "csv"]);

export function arrange(asked: Asked): unknown {
  const notes: Notes = new Map();
  const { ids, ownsId, shapes, hasSystem, texts, hasTextsLikeJson, hasLongReals } = jsonOf(asked, notes);
  const hasMixedIds = ids.some((id) => typeof id === "string");
  const isToBeDegrees = hasSystem || hasTextsLikeJson || texts.length > 0;
  if (asked.gathered === undefined && hasMixedIds && !ownsId)
    addNote(notes, "TYPES_AS_TEXT", "Because some ids are text, those that are numbers also became a property, as text.");
  if (asked.gathered === undefined) return { ok: true, notes: [...notes], map: { ...nothing, shapes, hasLongReals, isToBeDegrees } };
  if (hasMixedIds) addNote(notes, "TYPES_AS_TEXT", "Ids of features, of several types, became text.");
  const limits: Limits = {
    ...limitsOf[asked.to],
    ...(asked.isOfPoints === true ? { isOfPoints: true, heights: "all", measures: "none" } : {}),
  };
  const database = new DatabaseSync(asked.gathered, { enableForeignKeyConstraints: false });
  try {
    database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    addFunctions(database, limits);
    const tables = tablesOf(database).map((table) => ({ ...table, columns: table.columns.map((column) => textColumn(column, texts)) }));
    const united = uniteTables(database, sourceOf(asked, tables, database, notes), {
      ids,
      areRead: hasMixedIds && !ownsId,
      from: asked.from,
    });
    const curves = united === undefined || holdsCurves.has(asked.to) ? 0 : curvesIn(database);
    const isToTurn = united === undefined || mustBeDegrees(database, united.crs, limits);
    if (isToTurn || curves > 0) return { ok: true, notes: [], map: { ...nothing, isToBeDegrees: isToTurn, curves } };
    const { points, ...map } = writeTables(database, united, limits, notes);
    database.exec("COMMIT");
    if (points !== undefined && asked.points !== undefined) writeFileSync(asked.points, JSON.stringify(points));
    return { ok: true, notes: [...notes], map: { ...map, hasPoints: points !== undefined } };
  } finally {
    database.close();
  }
}

/** Completes a GPX that GDAL wrote from an arranged map. */
export function complete(path: string, points: string): void {
  writeFileSync(path, withPointTexts(readFileSync(path, "utf8"), JSON.parse(readFileSync(points, "utf8"))));
}
