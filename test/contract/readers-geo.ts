/** Reads maps with independent programs: the number of shapes, and their bounds. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";

const run = promisify(execFile);

export type GeoReading = {
  readonly shapes: number;
  /** West, south, east, north, in the file's units. */
  readonly bounds: readonly [number, number, number, number];
};

/** The only contents of some formats. */
export type GeoPart = "places" | "tracks";

type Point = readonly [number, number];

/** Shapes of one kind; for places, the points of tracks if there are no others. Undefined if the reader does not see single shapes. */
export async function partOf(path: string, format: string, part: GeoPart): Promise<GeoReading | undefined> {
  const shapes = (await readingsOf(path, format)).all;
  if (shapes === undefined) return undefined;
  const [places, tracks] = [shapes.filter((points) => points.length === 1), shapes.filter((points) => points.length > 1)];
  const corners = tracks.flatMap((points) => points.map((point) => [point]));
  const wanted = part === "places" ? [places, corners] : [tracks, [places.flat()]];
  return withoutAll(readingOf(wanted.find((each) => each.length > 0) ?? []));
}

/** @throws Error for a format without a reader here, or a file that it rejects. */
export async function placesOf(path: string, format: string): Promise<GeoReading> {
  return withoutAll(await readingsOf(path, format));
}

type FullReading = GeoReading & { readonly all?: readonly (readonly Point[])[] };

function withoutAll({ shapes, bounds }: FullReading): GeoReading {
  return { shapes, bounds };
}

async function readingsOf(path: string, format: string): Promise<FullReading> {
  const text = async () => await readFile(path, "utf8");
  switch (format) {
    case "geojson":
    case "topojson":
      return readingOf(featuresIn(JSON.parse(await text())));
    case "geojsonl":
      return readingOf(
        (await text())
          .trim()
          .split("\n")
          .flatMap((line) => featuresIn(JSON.parse(line))),
      );
    case "fgb":
      return inFlatGeobuf(await readFile(path));
    case "kml":
      return inKml(await text());
    case "kmz":
      return inKml((await run("unzip", ["-p", path, "*.kml"])).stdout);
    case "gpx":
      return readingOf(
        shapesIn(await text(), /<(wpt|trk|rte)\b[\s\S]*?<\/\1>/g).map((each) => pairsOf(each, /lat="([^"]+)" lon="([^"]+)"/g, true)),
      );
    case "gml":
      return readingOf(shapesIn(await text(), /<ogr:geom(etryProperty)?>[\s\S]*?<\/ogr:geom(etryProperty)?>/g).map(gmlPoints));
    case "georss":
      return readingOf(shapesIn(await text(), /<georss:\w+>[^<]+</g).map((each) => pairsIn(each, />([^<]+)</g, true)));
    case "jml":
      return readingOf(
        shapesIn(await text(), /<feature>[\s\S]*?<\/feature>/g).map((each) =>
          [...each.matchAll(/<gml:coordinates>([^<]+)</g)].flatMap(([, list = ""]) => commaPairs(list)),
        ),
      );
    case "mapml":
      return readingOf(
        shapesIn(await text(), /<(?:map-)?geometry\b[\s\S]*?<\/(?:map-)?geometry>/g).map((each) =>
          pairsIn(each, /coordinates>([^<]+)</g, false),
        ),
      );
    case "csv":
      return readingOf(
        shapesIn(await text(), /\b(?:MULTI)?(?:POINT|LINESTRING|POLYGON)(?: Z)? ?\(+[^A-Z"]+/g).map((each) =>
          pairsOf(each, /(-?[\d.]+) (-?[\d.]+)(?: -?[\d.]+)?/g, false),
        ),
      );
    case "dxf":
      return inDxf(await text());
    case "gpkg":
      return inGeoPackage(path);
    case "shp":
      return await inShapefiles(path);
    default:
      throw new Error(`no reader of ${format}`);
  }
}

function readingOf(shapes: readonly (readonly Point[])[]): FullReading {
  const points = shapes.flat();
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  if (points.length === 0 || [...xs, ...ys].some(Number.isNaN)) throw new Error("no coordinates");
  return { shapes: shapes.length, bounds: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)], all: shapes };
}

const shapesIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([found]) => found);

function pairsOf(text: string, pattern: RegExp, latitudeFirst: boolean): Point[] {
  return [...text.matchAll(pattern)].map(([, a, b]) => (latitudeFirst ? [Number(b), Number(a)] : [Number(a), Number(b)]));
}

function pairsIn(text: string, lists: RegExp, latitudeFirst: boolean): Point[] {
  return [...text.matchAll(lists)].flatMap(([, list = ""]) => pairsOf(list, /(-?[\d.]+)[ ,]+(-?[\d.]+)/g, latitudeFirst));
}

/** Optionally followed by a height. */
function commaPairs(list: string): Point[] {
  return pairsOf(list, /(-?[\d.]+),(-?[\d.]+)(?:,-?[\d.]+)?/g, false);
}

/** Latitude first; heights if the list declares them or, for a single place, if it has a third number. */
function gmlPoints(shape: string): Point[] {
  return [...shape.matchAll(/<gml:pos(List)?\b([^>]*)>([^<]+)</g)].flatMap(([, isList, attributes = "", text = ""]) => {
    const numbers = text.trim().split(/\s+/).map(Number);
    const size = isList === undefined ? numbers.length : Number(/srsDimension="(\d)"/.exec(attributes)?.[1] ?? 2);
    return Array.from({ length: numbers.length / size }, (_, at): Point => [numbers[at * size + 1] ?? NaN, numbers[at * size] ?? NaN]);
  });
}

/** Pairs of lines with a code and a value: 0 starts a shape, 10 and 20 are coordinates. */
function inDxf(text: string): FullReading {
  const lines = text
    .slice(text.indexOf("\nENTITIES\n") + 10)
    .split("\n")
    .map((line) => line.trim());
  const shapes: Point[][] = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const [code, value = ""] = lines.slice(at, at + 2);
    if (code === "0" && value === "ENDSEC") break;
    if (code === "0") shapes.push([]);
    if (code === "10") shapes.at(-1)?.push([Number(value), Number(lines[at + 3])]);
  }
  // The first point of a filled area is its elevation.
  return readingOf(shapes.map((points) => points.filter(([x, y]) => x !== 0 || y !== 0)));
}

function inKml(text: string): FullReading {
  const places = shapesIn(text, /<Placemark\b[\s\S]*?<\/Placemark>/g);
  return readingOf(places.map((each) => [...each.matchAll(/<coordinates>([^<]+)</g)].flatMap(([, list = ""]) => commaPairs(list))));
}

function featuresIn(value: { readonly features?: readonly unknown[] }): Point[][] {
  return (value.features ?? [value]).map((feature) => pointsIn((feature as { readonly geometry: unknown }).geometry));
}

function pointsIn(value: unknown): Point[] {
  if (Array.isArray(value)) return typeof value[0] === "number" ? [[value[0], Number(value[1])]] : value.flatMap(pointsIn);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(pointsIn) : [];
}

/** @see https://flatgeobuf.org: signature and length, then a FlatBuffers table: second field bounds, ninth count. */
function inFlatGeobuf(bytes: Buffer): FullReading {
  if (bytes.toString("latin1", 0, 3) !== "fgb") throw new Error("not a FlatGeobuf");
  const table = 12 + bytes.readUInt32LE(12);
  const fields = table - bytes.readInt32LE(table);
  const fieldAt = (index: number) => table + bytes.readUInt16LE(fields + 4 + index * 2);
  const envelope = fieldAt(1) + bytes.readUInt32LE(fieldAt(1)) + 4;
  const [west = 0, south = 0, east = 0, north = 0] = [0, 8, 16, 24].map((offset) => bytes.readDoubleLE(envelope + offset));
  return { shapes: Number(bytes.readBigUInt64LE(fieldAt(8))), bounds: [west, south, east, north] };
}

/** @see https://www.geopackage.org/spec/#gpb_format: a header whose flags determine its length, then well-known binary. */
function inGeoPackage(path: string): FullReading {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("SELECT table_name AS name, column_name AS column FROM gpkg_geometry_columns").all();
    const shapes = tables.flatMap(({ name, column }) => database.prepare(`SELECT "${column}" AS shape FROM "${name}"`).all());
    return readingOf(
      shapes.map(({ shape }) => {
        const bytes = Buffer.from(shape as Uint8Array);
        const envelope = [0, 32, 48, 48, 64][((bytes[3] ?? 0) >> 1) & 7] ?? 0;
        return binaryPoints(bytes, 8 + envelope).points;
      }),
    );
  } finally {
    database.close();
  }
}

/** Little-endian well-known binary: points, lines, areas and collections of them. */
function binaryPoints(bytes: Buffer, start: number): { readonly points: Point[]; readonly end: number } {
  const code = bytes.readUInt32LE(start + 1);
  // 1000 is added for heights.
  const [type, width] = [code % 1000, code > 1000 ? 24 : 16];
  let at = start + 5;
  const points: Point[] = [];
  const take = (count: number) => {
    for (let index = 0; index < count; index++, at += width) points.push([bytes.readDoubleLE(at), bytes.readDoubleLE(at + 8)]);
  };
  const number = () => {
    at += 4;
    return bytes.readUInt32LE(at - 4);
  };
  if (type === 1) take(1);
  else if (type === 2) take(number());
  else if (type === 3) for (let rings = number(); rings > 0; rings--) take(number());
  else
    for (let parts = number(); parts > 0; parts--) {
      const part = binaryPoints(bytes, at);
      points.push(...part.points);
      at = part.end;
    }
  return { points, end: at };
}

/** @see ESRI Shapefile Technical Description: bounds in the header of each .shp, 8 bytes per record in the .shx. */
async function inShapefiles(path: string): Promise<FullReading> {
  const names = (await run("unzip", ["-Z1", path])).stdout.trim().split("\n");
  const bytesOf = async (name: string) => (await run("unzip", ["-p", path, name], { encoding: "buffer" })).stdout;
  const corners: Point[] = [];
  let shapes = 0;
  for (const name of names.filter((each) => each.endsWith(".shp"))) {
    const header = await bytesOf(name);
    for (const at of [36, 52]) corners.push([header.readDoubleLE(at), header.readDoubleLE(at + 8)]);
    shapes += ((await bytesOf(name.replace(/shp$/, "shx"))).length - 100) / 8;
  }
  return { shapes, bounds: readingOf([corners]).bounds };
}
