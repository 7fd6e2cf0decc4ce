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
  /** Whether a property has this name. */
  readonly ownsId: boolean;
  /** How many features have a shape. */
  readonly shapes: number;
  /** Numbers with more than 15 digits. */
  readonly hasLongReals: boolean;
  /** It names a coordinate system, as only files from before RFC 7946 do. */
  readonly hasSystem: boolean;
  /** GDAL would write these texts as lists and objects. */
  readonly hasTextsLikeJson: boolean;
  /** Names of properties with texts and other values, all of which become text. */
  readonly texts: readonly string[];
};

/** Lines of JSON as one collection, each as it is written: of lines, GDAL reads neither all ids nor all types. */
export function collectLines(text: string): string {
  const lines = text.replaceAll("\x1e", "").split("\n");
  const features = lines.flatMap((line) => (line.trim() === "" ? [] : featuresOf(line)));
  return `{"type":"FeatureCollection","features":[\n${features.join(",\n")}\n]}`;
}

// TypeScript does not know of it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
const asWritten = (_: string, value: unknown, { source }: { readonly source?: string } = {}) =>
  typeof value === "number" && source !== undefined ? rawJSON(source) : value;

function featuresOf(line: string): readonly string[] {
  let root: Fields;
  try {
    root = fieldsOf(JSON.parse(line, asWritten));
  } catch {
    // Near-JSON, for example with NaN, is left to GDAL.
    return [line];
  }
  if (root["type"] === "Feature") return [line];
  const { features } = root;
  return Array.isArray(features) ? features.map((each) => JSON.stringify(each)) : [`{"type":"Feature","properties":{},"geometry":${line}}`];
}

export function inspectGeoJson(text: string, notes: Notes): GeoJsonFacts {
  const root = fieldsOf(JSON.parse(text.replace(/^\uFEFF/, "")));
  const collected: unknown = root["features"];
  const features = Array.isArray(collected) ? collected.map(fieldsOf) : [root];
  const members = [
    ...(Array.isArray(collected) ? Object.keys(root).filter((key) => !ofCollection.has(key)) : []),
    ...features
      .filter((feature) => feature["type"] === "Feature")
      .flatMap((feature) => Object.keys(feature).filter((key) => !ofFeature.has(key))),
  ];
  if (members.length > 0)
    addNote(notes, "METADATA_DROPPED", `Members besides places and their properties were left out: ${named([...new Set(members)])}.`);
  const sorts = noteMixed(features, notes);
  return {
    texts: [...sorts].filter(([, found]) => found.size > 1 && found.has("string")).map(([name]) => name),
    hasTextsLikeJson: features.some(({ properties }) => Object.values(fieldsOf(properties)).some(isLikeJson)),
    hasLongReals: features.some(({ properties }) => Object.values(fieldsOf(properties)).some(isLong)),
    hasSystem: root["crs"] !== undefined && root["crs"] !== null,
    ids: numberedIds(features.map(({ id }) => id)),
    ownsId: features.some(({ properties }) => Object.hasOwn(fieldsOf(properties), "id")),
    shapes: features.filter(({ type, geometry }) => type !== "Feature" || (geometry !== null && geometry !== undefined)).length,
  };
}

/** GDAL reads every id of a TopoJSON as text, and nothing of places without a shape. It replaces the id of a single object by its name. */
export function inspectTopoJson(text: string, notes: Notes): void {
  const entries = Object.entries(fieldsOf(fieldsOf(JSON.parse(text.replace(/^\uFEFF/, "")))["objects"]));
  const objects = entries.map(([, each]) => fieldsOf(each));
  const namesOf = (isNamed: (object: Fields, name: string) => boolean) =>
    named(entries.filter(([name, each]) => isNamed(fieldsOf(each), name)).map(([name]) => name));
  const replaced = namesOf(({ geometries, id }, name) => geometries === undefined && id !== undefined && String(id) !== name);
  const collections = namesOf(({ geometries, id, properties }) => geometries !== undefined && (id ?? properties) !== undefined);
  if (replaced !== "") addNote(notes, "METADATA_DROPPED", `Ids of single objects were replaced by their names: ${replaced}.`);
  if (collections !== "") addNote(notes, "METADATA_DROPPED", `Ids and properties of collections were left out: ${collections}.`);
  const features = objects.flatMap((each) => (Array.isArray(each["geometries"]) ? each["geometries"].map(fieldsOf) : [each]));
  const bare = features.filter(({ type }) => typeof type !== "string");
  noteMixed(features, notes);
  if (features.some(({ id }) => typeof id === "number")) addNote(notes, "TYPES_AS_TEXT", "Ids of features became text.");
  if (bare.length > 0) addNote(notes, "ENTRIES_LEFT_OUT", `${bare.length} entries without a shape were left out.`);
}

/** The sorts of values of each property. */
function noteMixed(features: readonly Fields[], notes: Notes): ReadonlyMap<string, ReadonlySet<string>> {
  const sorts = sortsOfProperties(features);
  const mixed = [...sorts].filter(([, found]) => found.size > 1);
  const namesOf = (isOfText: boolean) => mixed.filter(([, found]) => found.has("string") === isOfText).map(([name]) => name);
  const [texts, others] = [namesOf(true), namesOf(false)];
  if (texts.length > 0) addNote(notes, "TYPES_AS_TEXT", `Properties whose values are of several types became text: ${named(texts)}.`);
  if (others.length > 0)
    addNote(
      notes,
      "TYPES_AS_TEXT",
      `Booleans, numbers and lists became one of these types where a property has several: ${named(others)}.`,
    );
  return sorts;
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

const isLikeJson = (value: unknown): boolean => typeof value === "string" && /^(\[.*\]|\{.*\})$/s.test(value);

const sortOf = (value: unknown): string => (Array.isArray(value) ? "list" : typeof value);

function sortsOfProperties(features: readonly Fields[]): ReadonlyMap<string, ReadonlySet<string>> {
  const sorts = new Map<string, Set<string>>();
  for (const { properties } of features) {
    for (const [name, value] of Object.entries(fieldsOf(properties))) {
      if (value === null || value === undefined) continue;
      const known = sorts.get(name) ?? new Set();
      sorts.set(name, known.add(sortOf(value)));
    }
  }
  return sorts;
}
