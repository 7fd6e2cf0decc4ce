/** Adds to a GPX what GDAL cannot write: times and other values of a track's single points. */
import type { DatabaseSync } from "node:sqlite";
import { Failure } from "../failure.ts";
import { quoted } from "./columns.ts";
import { allowedNames } from "./names.ts";
import { pointsOfParts } from "./shape.ts";
import { pointColumn } from "./tracks.ts";

/** Text by element name, in the order of the points of all lines in a layer. */
export type PointTexts = readonly Readonly<Record<string, string>>[];

/** Undefined unless every line that has values has one for each of its points. */
export function pointTextsOf(database: DatabaseSync, table: string, kinds: string): PointTexts | undefined {
  const rows = database
    .prepare(`SELECT filemill_shape AS shape, ${quoted(pointColumn)} AS json FROM ${table} WHERE ${kinds} ORDER BY filemill_number`)
    .all();
  const found: Readonly<Record<string, string>>[] = [];
  for (const { shape, json } of rows) {
    if (!(shape instanceof Uint8Array)) return undefined;
    const count = pointsOfParts(shape).reduce((sum, points) => sum + points, 0);
    const points = json === null ? Array.from({ length: count }, () => ({})) : textsOf(String(json), count);
    if (points === undefined) return undefined;
    found.push(...points);
  }
  return found;
}

function textsOf(json: string, count: number): PointTexts | undefined {
  const values: unknown = JSON.parse(json);
  if (typeof values !== "object" || values === null) return undefined;
  const lists = Object.entries(values).map(
    ([key, list]) => [key === "times" ? "time" : key, Array.isArray(list) ? list.flat() : []] as const,
  );
  if (lists.some(([, list]) => list.length !== count || list.some((value) => typeof value === "object" && value !== null)))
    return undefined;
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(lists.flatMap(([key, list]) => (list[index] === null ? [] : [[key, String(list[index])]]))),
  );
}

const end = "</trkpt>";

/** @param gpx - as GDAL writes it, with a tag at the end of each point */
export function withPointTexts(gpx: string, points: PointTexts): string {
  const pieces = gpx.split(end);
  if (pieces.length !== points.length + 1) throw new Failure("CONVERSION_FAILED", "The points of the tracks were lost.", true);
  const names = allowedNames([...new Set(points.flatMap((point) => Object.keys(point)))], "xml");
  return pieces.map((piece, index) => (index < points.length ? `${piece}${elementsOf(points[index] ?? {}, names)}${end}` : piece)).join("");
}

function elementsOf({ ele, time, ...others }: Readonly<Record<string, string>>, names: ReadonlyMap<string, string>): string {
  const more = Object.entries(others).map(([name, text]) => element(`ogr:${names.get(name) ?? name}`, text));
  return [
    ...(ele === undefined ? [] : [element("ele", ele)]),
    ...(time === undefined ? [] : [element("time", time)]),
    ...(more.length === 0 ? [] : [`<extensions>${more.join("")}</extensions>`]),
  ].join("");
}

function element(name: string, text: string): string {
  return `<${name}>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</${name}>`;
}
