/** What GDAL does not report about a GeoJSON: ids, unknown members, and properties with several types. */

import type { Notes } from "../exchange.ts";
import { digits15 } from "./limits.ts";
import { addNote, named } from "./notes.ts";

type Fields = Readonly<Record<string, unknown>>;

const ofFeature = new Set(["type", "id", "properties", "geometry", "bbox"]);
const ofCollection = new Set(["type", "features", "name", "crs", "bbox"]);

export type GeoJsonFacts = {
  /** Ids of all features in order, if any id is a number; otherwise GDAL already makes them a property. As text if some are text. */
  readonly ids: readonly (number | string | undefined)[];
  /** How many features have a shape. */
  readonly shapes: number;
  /** Numbers with more than 15 digits. */
  readonly hasLongReals: boolean;
  /** It names a coordinate system, as only files from before RFC 7946 do. */
  readonly hasSystem: boolean;
};

export function inspectGeoJson(text: string, isLines: boolean, notes: Notes): GeoJsonFacts {
  const roots: readonly Fields[] = isLines
    ? text
        .replaceAll("\x1e", "")
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => fieldsOf(JSON.parse(line)))
    : [fieldsOf(JSON.parse(text.replace(/^\uFEFF/, "")))];
  const features = roots.flatMap((root) => (Array.isArray(root["features"]) ? root["features"].map(fieldsOf) : [root]));
  const members = [
    ...roots.filter((root) => Array.isArray(root["features"])).flatMap((root) => Object.keys(root).filter((key) => !ofCollection.has(key))),
    ...features
      .filter((feature) => feature["type"] === "Feature")
      .flatMap((feature) => Object.keys(feature).filter((key) => !ofFeature.has(key))),
  ];
  if (members.length > 0)
    addNote(notes, "METADATA_DROPPED", `Members besides places and their properties were left out: ${named([...new Set(members)])}.`);
  noteMixed(features, notes);
  return {
    hasLongReals: features.some(({ properties }) => Object.values(fieldsOf(properties)).some(isLong)),
    hasSystem: roots.some((root) => root["crs"] !== undefined && root["crs"] !== null),
    ids: numberedIds(features.map(({ id }) => id)),
    shapes: features.filter(({ type, geometry }) => type !== "Feature" || (geometry !== null && geometry !== undefined)).length,
  };
}

/** GDAL reads every id of a TopoJSON as text, and nothing of places without a shape. */
export function inspectTopoJson(text: string, notes: Notes): void {
  const objects = Object.values(fieldsOf(fieldsOf(JSON.parse(text.replace(/^\uFEFF/, "")))["objects"])).map(fieldsOf);
  const features = objects.flatMap((each) => (Array.isArray(each["geometries"]) ? each["geometries"].map(fieldsOf) : [each]));
  const bare = features.filter(({ type }) => typeof type !== "string");
  noteMixed(features, notes);
  if (features.some(({ id }) => typeof id === "number")) addNote(notes, "TYPES_AS_TEXT", "Ids of features became text.");
  if (bare.length > 0) addNote(notes, "ENTRIES_LEFT_OUT", `${bare.length} entries without a shape were left out.`);
}

function noteMixed(features: readonly Fields[], notes: Notes): void {
  const mixed = mixedProperties(features);
  if (mixed.length > 0) addNote(notes, "TYPES_AS_TEXT", `Properties whose values are of several types became text: ${named(mixed)}.`);
}

function numberedIds(ids: readonly unknown[]): readonly (number | string | undefined)[] {
  if (!ids.some((id) => typeof id === "number")) return [];
  const areNumbers = ids.every((id) => typeof id !== "string");
  return ids.map((id) => (typeof id === "number" ? (areNumbers ? id : String(id)) : typeof id === "string" ? id : undefined));
}

function isLong(value: unknown): boolean {
  return typeof value === "number" && digits15(value) === "lost";
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function mixedProperties(features: readonly Fields[]): readonly string[] {
  const types = new Map<string, Set<string>>();
  for (const { properties } of features) {
    for (const [name, value] of Object.entries(fieldsOf(properties))) {
      if (value === null) continue;
      const known = types.get(name) ?? new Set();
      types.set(name, known.add(typeof value));
    }
  }
  return [...types].filter(([, found]) => found.size > 1).map(([name]) => name);
}
