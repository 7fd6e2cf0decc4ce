/** Which map formats GDAL reads and writes, and with which drivers and settings. */
import type { Fidelity, Hop, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { crossHops } from "../shared/hop-table.ts";
import { encodingOption } from "../shared/node-worker.ts";
import { integerIn, oneOf } from "../shared/options.ts";
import { delimiter } from "../shared/table-options.ts";
import { mapExpectations } from "./gdal-notes.ts";

export type Reading = {
  /** GDAL's short name; all other drivers are disabled when the file is opened. */
  readonly driver: string;
  /** File name, for drivers that go by names, after the folder that it is bound in. */
  readonly name: string;
  /** Prefix of the path: a container to look into, or the driver. */
  readonly prefix?: string;
  /** What to read instead, if GDAL would read the file wrongly. */
  readonly paths?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Layers by run; without them, one run reads all layers. */
  readonly runs?: readonly (readonly string[])[];
};

export type Writing = {
  readonly driver: string;
  readonly name: string;
  readonly args?: readonly string[];
  /** The kinds of shapes it can hold, one kind per layer. */
  readonly sorts?: readonly Sort[];
  /** A file or folder that is packed into a ZIP. */
  readonly isPacked?: boolean;
  /** Only shapes, without values. */
  readonly isBare?: boolean;
  /** Features without a shape are left out. */
  readonly needsShapes?: boolean;
  /** Only values, without shapes. */
  readonly isTable?: boolean;
};

export type Sort = "points" | "lines" | "areas";
const sorts = ["points", "lines", "areas"] as const;

/** The shapes are already in degrees: prevents GDAL from declaring that in the old way and from splitting shapes at the date line. */
const inDegrees = ["-a_srs", "OGC:CRS84"];

/** Possible names of coordinate columns in a table. */
const columns = [
  ...["-oo", "X_POSSIBLE_NAMES=x,lon,lng,long,longitude,easting", "-oo", "Y_POSSIBLE_NAMES=y,lat,latitude,northing"],
  ...["-oo", "GEOM_POSSIBLE_NAMES=wkt,geom,geometry,the_geom", "-oo", "KEEP_GEOM_COLUMNS=NO"],
  ...["-a_srs", "EPSG:4326"],
];

/** Text stays unchanged, and lists are JSON. */
const asWritten = ["-oo", "DATE_AS_STRING=YES", "-oo", "ARRAY_AS_STRING=YES"];

export const readings: Readonly<Record<string, Reading>> = {
  geojson: { driver: "GeoJSON", name: "in.geojson", args: asWritten },
  // As a collection: see collectLines.
  geojsonl: { driver: "GeoJSON", name: "in.geojsonl", args: asWritten },
  topojson: { driver: "TopoJSON", name: "in.topojson" },
  esrijson: { driver: "ESRIJSON", name: "in.json" },
  kml: { driver: "LIBKML", name: "in.kml" },
  kmz: { driver: "LIBKML", name: "in.kmz" },
  gpx: { driver: "GPX", name: "in.gpx", runs: [["waypoints", "routes", "tracks"]], env: { GPX_ELE_AS_25D: "YES", GPX_N_MAX_LINKS: "9" } },
  shp: { driver: "ESRI Shapefile", name: "in.zip", prefix: "/vsizip/" },
  gpkg: { driver: "GPKG", name: "in.gpkg" },
  // Everything as text: numbers are detected when the map is arranged.
  gml: { driver: "GML", name: "in.gml", env: { GML_FIELDTYPES: "ALWAYS_STRING" } },
  fgb: { driver: "FlatGeobuf", name: "in.fgb" },
  dgn: { driver: "DGN", name: "in.dgn" },
  gmt: { driver: "OGR_GMT", name: "in.gmt" },
  georss: { driver: "GeoRSS", name: "in.xml" },
  jml: { driver: "JML", name: "in.jml" },
  mapml: { driver: "MapML", name: "in.mapml" },
  gdb: { driver: "OpenFileGDB", name: "in.gdb.zip" },
  // Its layers are interleaved, which a single run into one table does not survive.
  osm: { driver: "OSM", name: "in.osm", runs: [["points"], ["lines"], ["multilinestrings"], ["multipolygons"], ["other_relations"]] },
  csv: { driver: "CSV", name: "in.csv", args: columns },
};

/** Precision of coordinates without the option: everything that a double holds in degrees. */
export const decimals = 15;

export const writings: Readonly<Record<string, Writing>> = {
  geojson: { driver: "GeoJSON", name: "out.geojson", args: inDegrees },
  geojsonl: { driver: "GeoJSONSeq", name: "out.geojsonl", args: [...inDegrees, "-lco", `COORDINATE_PRECISION=${decimals}`] },
  kml: { driver: "KML", name: "out.kml" },
  // The LIBKML driver would give shapes without heights the height 0.
  kmz: { driver: "KML", name: "doc.kml", isPacked: true },
  gpx: {
    driver: "GPX",
    name: "out.gpx",
    args: ["-dsco", "GPX_USE_EXTENSIONS=YES", "-lco", "FORCE_GPX_TRACK=YES"],
    sorts: ["points", "lines"],
    needsShapes: true,
  },
  shp: { driver: "ESRI Shapefile", name: "out.shp.zip", args: ["-lco", "ENCODING=UTF-8"], sorts, needsShapes: true },
  gpkg: { driver: "GPKG", name: "out.gpkg" },
  gml: { driver: "GML", name: "out.gml", args: ["-dsco", "FORMAT=GML3.2"] },
  fgb: { driver: "FlatGeobuf", name: "out.fgb", needsShapes: true },
  gdb: { driver: "OpenFileGDB", name: "out.gdb", sorts, isPacked: true, needsShapes: true },
  dgn: { driver: "DGN", name: "out.dgn", isBare: true, needsShapes: true },
  // It has no multi-part shapes.
  dxf: { driver: "DXF", name: "out.dxf", args: ["-explodecollections"], isBare: true, needsShapes: true },
  georss: { driver: "GeoRSS", name: "out.xml", args: ["-dsco", "USE_EXTENSIONS=YES", "-dsco", "TITLE=Places"] },
  jml: { driver: "JML", name: "out.jml", args: ["-lco", "CREATE_R_G_B_FIELD=NO"] },
  mapml: { driver: "MapML", name: "out.mapml" },
  mbtiles: { driver: "MBTiles", name: "out.mbtiles", args: ["-dsco", "MAXZOOM=8"] },
  csv: { driver: "CSV", name: "out.csv" },
  xlsx: { driver: "XLSX", name: "out.xlsx", isTable: true },
  pdf: { driver: "PDF", name: "out.pdf" },
};

const crs = integerIn("crs", [1024, 32_767], "Coordinate system, as an EPSG code; default: the input's");
const precision = integerIn("precision", [0, 15], "Decimals of coordinates; default: all", { unit: "digits" });
const geometry = oneOf("geometry", ["wkt", "xy"], "Geometry as well-known text, or points as columns X and Y", "wkt");

/** How a table is parsed. */
const tableOptions = [encodingOption, delimiter];

const optionsOf: Readonly<Record<string, readonly OptionDefinition[]>> = {
  geojson: [precision],
  csv: [geometry, { ...crs, description: "Coordinate system, as an EPSG code; default: WGS 84 (4326)" }],
  ...Object.fromEntries(["shp", "gpkg", "gml", "fgb", "gdb", "dxf", "dgn"].map((to) => [to, [crs]])),
};

/** Field names are cut to ten characters, or values, kinds of shapes or layers are lost. */
const reduced = new Set(["shp", "gpx", "dgn", "dxf", "georss", "mapml", "mbtiles", "csv", "pdf"]);

function fidelityOf(to: string): Fidelity {
  if (to === "xlsx") return "extract";
  return reduced.has(to) ? "reduced" : "high";
}

/** Common formats convert to each other directly. The others go through GeoPackage or GeoJSON, which keep everything. */
const everyday = new Set(["geojson", "kml", "kmz", "gpx", "shp", "gpkg", "csv"]);
const hubs = new Set(["geojson", "gpkg"]);

/** Converting between tables is left to the data engines. */
function isOffered(from: string, to: string): boolean {
  if (from === "csv" && to === "xlsx") return false;
  return hubs.has(from) || hubs.has(to) || (everyday.has(from) && everyday.has(to));
}

export const gdalHops: readonly Hop[] = crossHops(Object.keys(readings), Object.keys(writings), (from, to) =>
  isOffered(from, to)
    ? {
        fidelity: fidelityOf(to),
        cost: 250,
        maxInputMb: 50,
        options: [...(from === "csv" ? tableOptions : []), ...(optionsOf[to] ?? [])],
        expects: mapExpectations(from, to, writings[to]),
      }
    : undefined,
);
