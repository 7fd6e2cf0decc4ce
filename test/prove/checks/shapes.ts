/** Models, maps and diagrams: the number of shapes, and their extent. */

import { graphOf } from "#test/contract/readers-diagram.ts";
import { type GeoPart, type GeoReading, partOf, placesOf } from "#test/contract/readers-geo.ts";
import { modelOf } from "#test/contract/readers-model.ts";
import { type Case, type Evidence, shareOf } from "#test/prove/evidence.ts";
import { python } from "#test/prove/readers/program.ts";
import { inkOfPicture } from "./pictures.ts";
import { checkWords } from "./words.ts";

/** A reading, or undefined if only the writer supports the format. */
const maybe = <T>(reading: Promise<T>): Promise<T | undefined> => reading.catch(() => undefined);

/** Scene formats whose readers see shapes before they are placed. */
const unplaced = new Set("dae fbx x3d x 3ds".split(" "));

/** Faces and extent; for a sample that only the engine reads, at least that there are faces. */
export async function checkModel({ sample, input, result }: Case): Promise<Evidence> {
  const found = await modelOf(result.path, result.format);
  if (found.triangles === 0 && result.format !== "step") throw new Error("no faces");
  const whole = (await maybe(modelOf(sample.path, sample.format))) ?? (await maybe(modelOf(input.path, input.format)));
  if (whole === undefined) return { reader: "bytes", figures: { objects: 1 } };
  const wanted = unplaced.has(result.format) ? (whole.unplaced ?? whole) : whole;
  // The up axis differs between formats, so the edges are compared by length.
  const [a, b] = [wanted.size.toSorted((x, y) => x - y), found.size.toSorted((x, y) => x - y)];
  const most = Math.max(...a, 1e-9);
  const extent = Math.max(...a.map((edge, axis) => Math.abs(edge - (b[axis] ?? 0)))) / most;
  const faces =
    result.format === "step"
      ? {}
      : { faces: Math.min(shareOf(found.triangles, wanted.triangles), shareOf(wanted.triangles, found.triangles)) };
  return { reader: "bytes", figures: { extent, ...faces } };
}

/** The bounds of every map in the corpus: west, south, east, north. */
const corners: GeoReading["bounds"] = [8, 47, 9.5, 48];

/** A map on a page: something is drawn; as text, its names are there. */
export function checkMapPage(given: Case): Promise<Evidence> {
  const { result, writer } = given;
  return result.format === "pdf" ? inkOfPicture(result, writer) : checkWords(given);
}

/** What a device format can hold of a map, if not everything. */
const parts: Readonly<Record<string, GeoPart>> = {
  ...{ loc: "places", lmx: "places", gpi: "places", ov2: "places" },
  ...{ igc: "tracks", plt: "tracks", tcx: "tracks", fit: "tracks" },
};

/** That of the sample, if a reader supports it; otherwise that of the last hop's input. */
async function wantedOf({ sample, input, result }: Case): Promise<GeoReading | undefined> {
  const part = parts[result.format];
  if (part === undefined) return maybe(placesOf(sample.path, sample.format));
  return (await maybe(partOf(sample.path, sample.format, part))) ?? (await maybe(partOf(input.path, input.format, part)));
}

const tilesIn =
  "import sys, sqlite3; print(sqlite3.connect(f'file:{sys.argv[1]}?mode=ro', uri=True).execute('SELECT count(*) FROM tiles').fetchone()[0])";

export async function checkPlaces(given: Case): Promise<Evidence> {
  const { result, writer, readAs } = given;
  if (result.format === "mbtiles")
    return { reader: "python", figures: { objects: Number(Number(await python(tilesIn, result.path)) > 0) } };
  const wanted = await wantedOf(given);
  const own = await maybe(placesOf(result.path, result.format));
  const hub = writer === "gpsbabel" ? "gpx" : "geojson";
  const found = own ?? (await maybe(readAs(writer, hub, (file) => placesOf(file.path, hub))));
  if (found === undefined) return checkWords(given);
  const apart = Math.max(...(wanted?.bounds ?? corners).map((edge, index) => Math.abs(edge - (found.bounds[index] ?? 0))));
  return {
    reader: own === undefined ? "self" : "bytes",
    figures: { apart, ...(wanted === undefined ? {} : { shapes: shareOf(found.shapes, wanted.shapes) }) },
  };
}

export async function checkGraph(given: Case): Promise<Evidence> {
  const { sample, result } = given;
  const found = await maybe(graphOf(result.path, result.format));
  const wanted = await maybe(graphOf(sample.path, sample.format));
  if (found === undefined || wanted === undefined) return checkWords(given);
  return { reader: "bytes", figures: { nodes: shareOf(found.nodes, wanted.nodes), edges: shareOf(found.edges, wanted.edges) } };
}
