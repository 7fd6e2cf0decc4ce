/** Adds to each track and route the other values of its points, as web maps do: in `coordinateProperties`. */
import type { DatabaseSync } from "node:sqlite";
import { inexpressible } from "../failure.ts";
import { type Column, quoted, type Table } from "./columns.ts";
import type { Gpx, Leaves, Place } from "./gpx.ts";
import { pointsOfParts, shapeOf, withoutHeights } from "./shape.ts";

/** @see https://github.com/placemark/togeojson, which puts `times` there. */
export const pointColumn = "coordinateProperties";

/** GPX's own columns. All others come from extensions, whose nested values GDAL reads as numbers. */
const ownColumns =
  /^(ele|magvar|geoidheight|name|cmt|desc|src|link\d_(href|text|type)|sym|type|fix|sat|hdop|vdop|pdop|ageofdgpsdata|dgpsid|number)$/;

/** Values of places in GPX 1.0, of which GDAL reads only those that 1.1 still has. */
const former = ["url", "urlname"];

/** The source's tables, with the values that GDAL did not read. */
export function withPointValues(database: DatabaseSync, tables: readonly Table[], gpx: Gpx): readonly Table[] {
  return tables.map((table) => {
    const places = { waypoints: gpx.waypoints, routes: gpx.routes, tracks: gpx.tracks }[table.label];
    if (places === undefined) return table;
    const kept = table.columns.filter(({ name }) => ownColumns.test(name));
    const taken = new Set([...kept.map(({ name }) => name.toLowerCase()), "time", pointColumn.toLowerCase()]);
    const extensions = [...new Set(places.flatMap((place) => Object.keys(place.extensions)))];
    const named = extensions.map((name) => ({ from: name, name: taken.has(name.toLowerCase()) ? `ext_${name}` : name }));
    const added: readonly Filled[] = [
      { name: "time", type: "text", of: ({ time }) => time },
      ...former
        .filter((name) => !extensions.includes(name))
        .map((name): Filled => ({ name, type: "text", of: ({ values }) => values[name] })),
      ...named.map(({ name, from }): Filled => ({ name, type: "text", of: ({ extensions: all }) => all[from] })),
      { name: pointColumn, type: "json", of: (_, { values }) => values },
    ];
    return { ...table, columns: [...kept, ...fill(database, table, places, added)] };
  });
}

type Filled = Column & { readonly of: (place: Place, points: PointValues) => string | undefined };

/** Fills the columns and returns those that hold anything. */
function fill(
  database: DatabaseSync,
  { name, shapes = "geom" }: Table,
  places: readonly Place[],
  filled: readonly Filled[],
): readonly Column[] {
  const columns = filled.map((each, index) => ({ ...each, inside: `filled_${index}` }));
  for (const { inside } of columns) database.exec(`ALTER TABLE ${quoted(name)} ADD COLUMN ${inside} TEXT`);
  const rows = database.prepare(`SELECT rowid AS number, ${quoted(shapes)} AS shape FROM ${quoted(name)} ORDER BY rowid`).all();
  const change = database.prepare(
    `UPDATE ${quoted(name)} SET ${quoted(shapes)} = ?, ${columns.map(({ inside }) => `${inside} = ?`).join(", ")} WHERE rowid = ?`,
  );
  const used = new Set<string>();
  rows.forEach(({ number, shape }, index) => {
    const place = places[index];
    if (place === undefined) throw inexpressible("The points of the tracks cannot be told apart.");
    const blob = shape instanceof Uint8Array ? shape : null;
    const points = pointValuesOf(place, blob);
    const texts = columns.map(({ of, inside }) => {
      const text = of(place, points);
      if (text !== undefined) used.add(inside);
      return text ?? null;
    });
    change.run(points.isFlat && blob !== null ? withoutHeights(blob) : blob, ...texts, Number(number));
  });
  return columns.filter(({ inside }) => used.has(inside)).map(({ name: own, type, inside }) => ({ name: own, type, inside }));
}

type PointValues = {
  /** JSON: lists with a value per point, one list for each segment of a track. */
  readonly values: string | undefined;
  /** Only some points have heights, which a shape cannot express: they are kept among the values. */
  readonly isFlat: boolean;
};

function pointValuesOf({ parts: all }: Place, blob: Uint8Array | null): PointValues {
  const parts = all.filter((points) => points.length > 0).map((points) => points.map(({ values }) => values));
  if (parts.length === 0 || blob === null) return { values: undefined, isFlat: false };
  const counts = pointsOfParts(blob).filter((count) => count > 0);
  if (counts.join() !== parts.map(({ length }) => length).join()) throw inexpressible("The points of the tracks cannot be told apart.");
  const points = parts.flat();
  const isFlat = shapeOf(blob).hasHeights && points.some((point) => point["ele"] === undefined);
  const keys = new Set(points.flatMap((point) => Object.keys(point)));
  if (!isFlat) keys.delete("ele");
  const lists = [...keys].map((key) => {
    const ofPart = (part: readonly Leaves[]) => part.map((point) => pointValueOf(key, point[key]));
    return [key === "time" ? "times" : key, shapeOf(blob).isSingle ? ofPart(parts[0] ?? []) : parts.map(ofPart)];
  });
  return { values: lists.length === 0 ? undefined : JSON.stringify(Object.fromEntries(lists)), isFlat };
}

/** Heights are numbers; everything else stays as written. */
function pointValueOf(key: string, text: string | undefined): string | number | null {
  if (text === undefined) return null;
  const number = Number(text);
  return key === "ele" && Number.isFinite(number) ? number : text;
}
