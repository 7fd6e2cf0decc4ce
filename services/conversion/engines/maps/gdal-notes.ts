/** What is lost between map formats, based on what each can hold (see inside/map/limits.ts). */
import { expecting } from "#services/conversion/domain/expectations.ts";
import type { Expectation } from "#services/conversion/domain/notes.ts";
import { words } from "../shared/hop-table.ts";

const set = (ids: string): ReadonlySet<string> => new Set(words(ids));

const json = set("geojson geojsonl");
const kml = set("kml kmz");
const withSystems = set("geojson esrijson shp gpkg gml fgb gdb");
const severalSystems = set("gpkg gdb gml");
const curved = set("gpkg gml fgb csv gdb");
const inDegrees = set("geojson geojsonl kml kmz gpx georss csv");
/** They do not declare a text encoding. */
const unsure = set("shp csv dgn gmt");
const cased = set("geojson geojsonl topojson esrijson gml csv");
const listed = set("gml topojson");
/** Formats with byte columns, and with measures along shapes. */
const withBytes = set("gpkg gdb");
const withMeasures = set("gpkg gdb shp fgb csv");

const typed = set("kml kmz shp fgb gdb xlsx");
const textTypes = set("geojson geojsonl gpx gml georss jml mapml csv");
const rounding = set("shp mapml gdb mbtiles gpx");
const naming = set("shp gpx gml gdb georss");
const replacing = set("geojson geojsonl shp kml kmz gpx gml georss jml mapml xlsx");
const emptying = set("shp jml fgb");
const flat = set("georss mapml mbtiles");
const measuring = set("gpkg shp fgb gdb pdf");

/** Limitations of a target. */
type Narrow = {
  readonly isBare?: boolean;
  readonly needsShapes?: boolean;
  readonly isTable?: boolean;
};

/** Notes of a hop, besides those that depend on the file. */
export function mapExpectations(from: string, to: string, writing: Narrow | undefined): readonly Expectation[] {
  return [
    ...leftOut(from, to, writing),
    ...metadata(from, to, writing),
    ...when(unsure.has(from), () => expecting("ENCODING_GUESSED")),
    ...when(from === "csv", () => expecting("DIALECT_GUESSED")),
    ...when(from === "csv" && leftOut(from, to, writing).length === 0, () =>
      expecting("ENTRIES_LEFT_OUT", "Rows without a value are left out."),
    ),
    ...when(listed.has(from), () => expecting("STRUCTURE_FLATTENED", "Lists of texts that contain commas become text.")),
    ...when(kml.has(from), () => expecting("EXTERNAL_CONTENT_BLOCKED")),
    ...when(kml.has(from) && !naming.has(to), () =>
      expecting("NAMES_CHANGED", "Values called name, beside the names of places, are renamed."),
    ),
    ...when(kml.has(from), () => expecting("STYLING_DROPPED", "Colours, lines and icons are left out.")),
    ...when(
      typed.has(to) ||
        json.has(from) ||
        from === "topojson" ||
        from === "shp" ||
        kml.has(from) ||
        (textTypes.has(to) && withBytes.has(from)),
      () => expecting("TYPES_AS_TEXT"),
    ),
    ...when(rounding.has(to), () =>
      expecting("NUMBERS_ROUNDED", "Numbers, times or coordinates with more decimals than the format stores are rounded."),
    ),
    ...(to === "csv"
      ? [
          expecting("ENTRIES_LEFT_OUT", { message: "Shapes other than points are left out; their values are kept.", option: "geometry" }),
          expecting("EMPTY_VALUES_DROPPED", { message: "If some points have heights, the others get height 0.", option: "geometry" }),
        ]
      : []),
    ...when(naming.has(to), () => expecting("NAMES_CHANGED")),
    ...when(cased.has(from) && !naming.has(to), () =>
      expecting("NAMES_CHANGED", "Of names that differ only in capitals, one gets a number."),
    ),
    ...when(replacing.has(to), () => expecting("CHARACTERS_REPLACED")),
    ...when(emptying.has(to), () =>
      expecting(
        "EMPTY_VALUES_DROPPED",
        to === "fgb"
          ? "If some shapes have heights or measures, the others get 0."
          : "Empty texts become missing values, because the format has no empty text.",
      ),
    ),
  ];
}

function when(holds: boolean, expectation: () => Expectation): readonly Expectation[] {
  return holds ? [expectation()] : [];
}

function leftOut(from: string, to: string, { needsShapes, isTable }: Narrow = {}): readonly Expectation[] {
  if (isTable === true) return [expecting("ENTRIES_LEFT_OUT", "The shapes are left out; their values are kept.")];
  const message = "Shapes of an unsupported type, and entries without a shape, are left out.";
  if (needsShapes === true || to === "georss") return [expecting("ENTRIES_LEFT_OUT", message)];
  return when(from === "topojson" || from === "osm", () => expecting("ENTRIES_LEFT_OUT", "Entries without a shape are left out."));
}

function metadata(from: string, to: string, { isBare }: Narrow = {}): readonly Expectation[] {
  const lost = [
    ...(isBare === true ? ["attribute values of the shapes"] : []),
    ...(flat.has(to) ? ["heights"] : []),
    ...(to === "fgb" ? ["the order of shapes"] : []),
    ...(withMeasures.has(from) && !measuring.has(to) ? ["measures along lines"] : []),
    ...(curved.has(from) && !curved.has(to) ? ["curves, which become straight lines between points"] : []),
    ...(json.has(from) || from === "gpx" ? ["the file's metadata"] : []),
    ...(from === "osm" ? ["versions, editors and times of edits", "roles of members"] : []),
    ...(from === "topojson" ? ["ids of single objects, and properties of collections"] : []),
    ...(severalSystems.has(from) || (withSystems.has(from) && inDegrees.has(to))
      ? ["coordinate systems other than WGS 84, whose places become degrees"]
      : []),
    ...(kml.has(from)
      ? ["times of track points, except the first and the last", "times that are years alone", "addresses, views, overlays and pictures"]
      : []),
    ...(to === "shp" && (json.has(from) || from === "gpx" || from === "gpkg") ? ["values of individual track points"] : []),
  ];
  if (lost.length === 0) return [];
  const list = lost.length === 1 ? lost[0] : `${lost.slice(0, -1).join(", ")} and ${lost.at(-1)}`;
  return [expecting("METADATA_DROPPED", `Left out, if present: ${list}.`)];
}
