/** Which map formats GDAL reads and writes, by which driver and how. */
import type { Fidelity, Hop, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { crossHops } from "../shared/hop-table.ts";
import { encodingOption } from "../shared/node-worker.ts";
import { delimiter } from "../shared/table-options.ts";
import { mapExpectations } from "./gdal-notes.ts";

export type Reading = {
  /** GDAL's short name; no other driver is there when the file is opened. */
  readonly driver: string;
  /** What the file is called, for drivers that go by names, behind the folder that it is bound in. */
  readonly name: string;
  /** In front of the path: a container to look into, or the driver. */
  readonly prefix?: string;
  /** What of it is read, where it is an archive and GDAL would read it otherwise. */
  readonly document?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Layers by run; without them one run takes all layers. */
  readonly runs?: readonly (readonly string[])[];
};

export type Writing = {
  readonly driver: string;
  readonly name: string;
  readonly args?: readonly string[];
  /** Each layer holds points, lines or areas alone: those that the format can hold. */
  readonly sorts?: readonly Sort[];
  /** A file or folder that becomes a ZIP. */
  readonly isPacked?: boolean;
  /** Only shapes and no values. */
  readonly isBare?: boolean;
  /** Entries without a shape are left out. */
  readonly needsShapes?: boolean;
  /** Only values and no shapes. */
  readonly isTable?: boolean;
};

export type Sort = "points" | "lines" | "areas";
const sorts = ["points", "lines", "areas"] as const;

/** The shapes are degrees already: so that GDAL neither says so in the old way, nor cuts them at the date line. */
const inDegrees = ["-a_srs", "OGC:CRS84"];

/** A column of places in a table may be called by any of these. */
const columns = [
  ...["-oo", "X_POSSIBLE_NAMES=x,lon,lng,long,longitude,easting", "-oo", "Y_POSSIBLE_NAMES=y,lat,latitude,northing"],
  ...["-oo", "GEOM_POSSIBLE_NAMES=wkt,geom,geometry,the_geom", "-oo", "KEEP_GEOM_COLUMNS=NO"],
  ...["-a_srs", "EPSG:4326"],
];

/** Texts stay as they are, and lists are JSON. */
const asWritten = ["-oo", "DATE_AS_STRING=YES", "-oo", "ARRAY_AS_STRING=YES"];

export const readings: Readonly<Record<string, Reading>> = {
  geojson: { driver: "GeoJSON", name: "in.geojson", args: asWritten },
  // By itself GDAL takes a file of one line for the other.
  geojsonl: { driver: "GeoJSONSeq", name: "in.geojsonl", prefix: "GeoJSONSeq:", args: asWritten },
  topojson: { driver: "TopoJSON", name: "in.topojson" },
  esrijson: { driver: "ESRIJSON", name: "in.json" },
  kml: { driver: "LIBKML", name: "in.kml" },
  kmz: { driver: "LIBKML", name: "in.kmz" },
  gpx: { driver: "GPX", name: "in.gpx", runs: [["waypoints", "routes", "tracks"]], env: { GPX_ELE_AS_25D: "YES" } },
  shp: { driver: "ESRI Shapefile", name: "in.zip", prefix: "/vsizip/" },
  gpkg: { driver: "GPKG", name: "in.gpkg" },
  // As text all that it holds: what are numbers is told when the map is arranged.
  gml: { driver: "GML", name: "in.gml", env: { GML_FIELDTYPES: "ALWAYS_STRING" } },
  fgb: { driver: "FlatGeobuf", name: "in.fgb" },
  dgn: { driver: "DGN", name: "in.dgn" },
  gmt: { driver: "OGR_GMT", name: "in.gmt" },
  georss: { driver: "GeoRSS", name: "in.xml" },
  jml: { driver: "JML", name: "in.jml" },
  mapml: { driver: "MapML", name: "in.mapml" },
  gdb: { driver: "OpenFileGDB", name: "in.gdb.zip" },
  // Its layers come interleaved, which writing them to one table at once does not survive.
  osm: { driver: "OSM", name: "in.osm", runs: [["points"], ["lines"], ["multipolygons"]] },
  csv: { driver: "CSV", name: "in.csv", args: columns },
};

/** What GDAL takes of the shapes' coordinates; without the option all that a double holds of degrees. */
export const decimals = 15;

export const writings: Readonly<Record<string, Writing>> = {
  geojson: { driver: "GeoJSON", name: "out.geojson", args: inDegrees },
  geojsonl: { driver: "GeoJSONSeq", name: "out.geojsonl", args: [...inDegrees, "-lco", `COORDINATE_PRECISION=${decimals}`] },
  kml: { driver: "KML", name: "out.kml" },
  // In the other driver's a shape without heights would get the height 0.
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
  // It has no shapes of several parts.
  dxf: { driver: "DXF", name: "out.dxf", args: ["-explodecollections"], isBare: true, needsShapes: true },
  georss: { driver: "GeoRSS", name: "out.xml", args: ["-dsco", "USE_EXTENSIONS=YES", "-dsco", "TITLE=Places"] },
  jml: { driver: "JML", name: "out.jml", args: ["-lco", "CREATE_R_G_B_FIELD=NO"] },
  mapml: { driver: "MapML", name: "out.mapml" },
  mbtiles: { driver: "MBTiles", name: "out.mbtiles", args: ["-dsco", "MAXZOOM=8"] },
  csv: { driver: "CSV", name: "out.csv" },
  xlsx: { driver: "XLSX", name: "out.xlsx", isTable: true },
  pdf: { driver: "PDF", name: "out.pdf" },
};

const crs: OptionDefinition = {
  name: "crs",
  type: "integer",
  min: 1024,
  max: 32_767,
  description: "EPSG code of the result's coordinate system; default: the input's.",
};
const precision: OptionDefinition = {
  name: "precision",
  type: "integer",
  min: 0,
  max: 15,
  unit: "digits",
  description: "Decimals of coordinates; default: all.",
};
const geometry: OptionDefinition = {
  name: "geometry",
  type: "enum",
  values: ["wkt", "xy"],
  default: "wkt",
  description: "Geometry as well-known text, or points as columns X and Y.",
};

/** How a table is read. */
const tableOptions = [encodingOption, delimiter];

const optionsOf: Readonly<Record<string, readonly OptionDefinition[]>> = {
  geojson: [precision],
  csv: [geometry, { ...crs, description: "EPSG code of the result's coordinate system; default: WGS 84 (4326)." }],
  ...Object.fromEntries(["shp", "gpkg", "gml", "fgb", "gdb", "dxf", "dgn"].map((to) => [to, [crs]])),
};

/** Names of values are cut to ten letters, or values, sorts of shapes and layers are lost. */
const reduced = new Set(["shp", "gpx", "dgn", "dxf", "georss", "mapml", "mbtiles", "csv", "pdf"]);

function fidelityOf(to: string): Fidelity {
  if (to === "xlsx") return "extract";
  return reduced.has(to) ? "reduced" : "high";
}

/** What people have: each goes to each at once. The others go by way of GeoPackage or GeoJSON, which keep all that there is. */
const everyday = new Set(["geojson", "kml", "kmz", "gpx", "shp", "gpkg", "csv"]);
const hubs = new Set(["geojson", "gpkg"]);

/** How a table becomes another is the business of engines for data. */
function isOffered(from: string, to: string): boolean {
  if (from === "csv" && to === "xlsx") return false;
  return hubs.has(from) || hubs.has(to) || (everyday.has(from) && everyday.has(to));
}

export const gdalHops: readonly Hop[] = crossHops(Object.keys(readings), Object.keys(writings), (from, to) =>
  isOffered(from, to)
    ? {
        fidelity: fidelityOf(to),
        cost: 250,
        async: false,
        maxInputMb: 50,
        options: [...(from === "csv" ? tableOptions : []), ...(optionsOf[to] ?? [])],
        expects: mapExpectations(from, to, writings[to]),
      }
    : undefined,
);
