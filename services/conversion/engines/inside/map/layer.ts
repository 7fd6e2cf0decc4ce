/** A table as GDAL expects it in a GeoPackage. */
import type { DatabaseSync } from "node:sqlite";
import { quoted, wordOfType } from "./columns.ts";
import type { Limits } from "./limits.ts";
import { rightHanded, type Sort, shapeOf } from "./shape.ts";
import type { Planned } from "./survey.ts";
import { united } from "./unite.ts";

/** Shapes of the same kind, and their count. */
export type Kind = {
  readonly kind: string;
  readonly sort: Sort | "none";
  readonly heights: boolean;
  readonly measures: boolean;
  readonly number: number;
};

export type Layer = { readonly name: string; readonly type: string; readonly kinds: readonly Kind[] };

type Plan = {
  readonly planned: readonly Planned[];
  /** New names by old names. */
  readonly names: ReadonlyMap<string, string>;
  readonly system: number;
  readonly limits: Limits;
};

export function writeLayer(database: DatabaseSync, layer: Layer, plan: Plan): void {
  const { name, type, kinds } = layer;
  const columns = plan.planned.map((column) => ({ ...column, name: plan.names.get(column.name) ?? column.name }));
  const free = (wanted: string) => (columns.some((each) => each.name.toLowerCase() === wanted) ? `filemill_${wanted}` : wanted);
  const [number, shape] = [free("fid"), free("geom")];
  const definitions = columns.map((column) => `, ${quoted(column.name)} ${wordOfType[column.type]}`).join("");
  database.exec(`CREATE TABLE ${name} (${number} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, ${shape} ${type}${definitions})`);
  register(database, layer, shape, plan);
  const json = database.prepare("INSERT INTO gpkg_data_columns (table_name, column_name, mime_type) VALUES (?, ?, 'application/json')");
  for (const column of columns) if (column.type === "json") json.run(name, column.name);
  const isTurned = (blob: unknown): blob is Uint8Array =>
    plan.limits.isRightHanded === true && blob instanceof Uint8Array && shapeOf(blob).sort === "areas";
  database.function("shape_to_write", (blob) => (isTurned(blob) ? rightHanded(blob) : blob));
  database.exec(
    `INSERT INTO ${name} (${[shape, ...columns.map((column) => quoted(column.name))].join(", ")}) ` +
      `SELECT shape_to_write(filemill_shape)${columns.map(({ value }) => `, ${value}`).join("")} FROM ${united} ` +
      `WHERE kind_of(filemill_shape) IN (${kinds.map(({ kind }) => `'${kind}'`).join(", ")}) ORDER BY filemill_number`,
  );
}

/** Flags for heights and measures: 0 no shape has them, 1 all, 2 some. GDAL treats 2 as none where a layer must be uniform. */
function register(database: DatabaseSync, { name, type, kinds }: Layer, shape: string, { system, limits }: Plan): void {
  const shown = kinds.filter(({ sort }) => sort !== "none");
  // Python's readers refuse layers whose shapes are of any type and must have heights.
  const flagOf = (has: (kind: Kind) => boolean, rule: string | undefined) =>
    shown.some(has) ? (rule === "all" || (type !== "GEOMETRY" && shown.every(has)) ? 1 : 2) : 0;
  const heights = flagOf((kind) => kind.heights, limits.heights);
  const measures = flagOf((kind) => kind.measures, limits.measures);
  database
    .prepare("INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES (?, 'features', ?, ?)")
    .run(name, name, system);
  database.prepare("INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, ?, ?)").run(name, shape, type, system, heights, measures);
}
