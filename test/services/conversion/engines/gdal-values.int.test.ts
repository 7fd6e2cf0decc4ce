/** Values of maps: each is the same in the result, or a note names it, or the conversion fails. */
import { execFile } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gdalEngine } from "#services/conversion/engines/gdal.ts";
import { type Bench, type Converted, openBench } from "#test/contract/engine.ts";

const run = promisify(execFile);

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(gdalEngine);
});
afterAll(() => bench[Symbol.asyncDispose]());

async function convert(text: string | Uint8Array, from: string, to: string, options = {}): Promise<Converted> {
  const path = join(bench.folder, `values.${from}`);
  await writeFile(path, text);
  return await bench.convert(path, from, to, options);
}

const textOf = async (result: Promise<Converted>) => await readFile((await result).path, "utf8");
const featuresOf = async (result: Promise<Converted>) => JSON.parse(await textOf(result)).features;

const map = (...features: readonly (readonly [properties: object, geometry: object | null, more?: object])[]) =>
  JSON.stringify({
    type: "FeatureCollection",
    features: features.map(([properties, geometry, more]) => ({ type: "Feature", ...more, properties, geometry })),
  });
const point = (...coordinates: readonly number[]) => ({ type: "Point", coordinates });
const line = (...coordinates: readonly (readonly number[])[]) => ({ type: "LineString", coordinates });

/** What GDAL itself finds in a result, as GeoJSON with all digits. */
async function read(result: Promise<Converted> | Converted, format: string, layer?: string) {
  const named = join(bench.folder, `read.${format}`);
  await copyFile((await result).path, named);
  const source = format.endsWith("zip") || format === "kmz" ? `/vsizip/${named}` : named;
  const args = [
    "-f",
    "GeoJSON",
    "/vsistdout/",
    source,
    ...(layer === undefined ? [] : [layer]),
    "-lco",
    "COORDINATE_PRECISION=15",
    "-lco",
    "SIGNIFICANT_FIGURES=20",
  ];
  return JSON.parse((await run("ogr2ogr", args)).stdout).features;
}

describe("tracks", () => {
  const gpx = (body: string) =>
    `<?xml version="1.0"?><gpx version="1.1" creator="mill" xmlns="http://www.topografix.com/GPX/1/1" xmlns:x="http://x">${body}</gpx>`;
  const trackPoint = (lat: number, lon: number, more: string) => `<trkpt lat="${lat}" lon="${lon}">${more}</trkpt>`;
  const full = gpx(
    `<!-- <trkpt> --><wpt lat="47" lon="8"><ele>12.5</ele><time>2026-03-01T10:00:00.123456Z</time><name>Quokka</name>` +
      `<extensions><x:Way><x:Depth>4.5</x:Depth></x:Way></extensions></wpt><wpt lat="1" lon="2"><name>flat</name></wpt>` +
      `<trk><name>T</name><trkseg>` +
      trackPoint(47.123456789, 8, "<ele>400.25</ele><time>2026-03-01T10:00:00+02:00</time><extensions><x:hr>120</x:hr></extensions>") +
      trackPoint(48, 9.5, "<ele>-3</ele>") +
      `</trkseg><trkseg>${trackPoint(48, 9.625, "<ele>3</ele><time>2026-03-01T11:00:00.5Z</time>")}</trkseg></trk>`,
  );
  const points = { times: [["2026-03-01T10:00:00+02:00", null], ["2026-03-01T11:00:00.5Z"]], hr: [["120", null], [null]] };
  const shape = [
    [
      [8, 47.123456789, 400.25],
      [9.5, 48, -3],
    ],
    [[9.625, 48, 3]],
  ];

  it("keep heights, times and what else their points have", async () => {
    const [place, , track] = await featuresOf(convert(full, "gpx", "geojson"));
    expect(track).toMatchObject({ properties: { name: "T", coordinateProperties: points }, geometry: { coordinates: shape } });
    expect(place.properties).toMatchObject({ time: "2026-03-01T10:00:00.123456Z", Depth: "4.5", ele: 12.5 });
    expect(place.geometry.coordinates).toEqual([8, 47, 12.5]);
  });

  it("keep them in GeoPackage, and in GeoJSON made of that", async () => {
    const made = await convert(full, "gpx", "gpkg");
    expect((await read(made, "gpkg"))[2]).toMatchObject({ properties: { coordinateProperties: points } });
    const [, , track] = await featuresOf(bench.convert(made.path, "gpkg", "geojson"));
    expect(track).toMatchObject({ properties: { coordinateProperties: points }, geometry: { coordinates: shape } });
  });

  it("have heights beside them where some points have none", async () => {
    const some = gpx(`<trk><trkseg>${trackPoint(1, 2, "<ele>5</ele>")}${trackPoint(3, 4, "")}</trkseg></trk>`);
    const [track] = await featuresOf(convert(some, "gpx", "geojson"));
    expect(track.properties.coordinateProperties).toEqual({ ele: [[5, null]] });
    expect(track.geometry.coordinates).toEqual([
      [
        [2, 1],
        [4, 3],
      ],
    ]);
  });

  it("keep heights in shapefiles, in layers of their own, and name the times that these cannot hold", async () => {
    const many = Array.from({ length: 20 }, (_, at) => trackPoint(47, at, `<ele>${at}</ele><time>2026-03-01T10:00:${at + 10}Z</time>`));
    const made = await convert(gpx(`<wpt lat="1" lon="2"/><trk><trkseg>${many.join("")}</trkseg></trk>`), "gpx", "shp");
    expect(made.notes.get("METADATA_DROPPED")).toContain("coordinateProperties");
    expect((await read(made, "shp.zip", "lines"))[0].geometry.coordinates[7]).toEqual([7, 47, 7]);
    expect((await read(made, "shp.zip", "points"))[0].geometry.coordinates).toEqual([2, 1]);
  });

  it("get their times and heights back in GPX", async () => {
    const made = await convert(full, "gpx", "geojson");
    const again = await textOf(bench.convert(made.path, "geojson", "gpx"));
    for (const [height, time] of [
      ["400.25", "2026-03-01T10:00:00+02:00"],
      ["3.0", "2026-03-01T11:00:00.5Z"],
    ]) {
      expect(again).toMatch(new RegExp(`<ele>${height}</ele>\\s*<time>${time?.replace("+", "\\+")}</time>`));
    }
    expect(again.match(/<time>/g)).toHaveLength(3);
    expect(again).toContain("<ele>12.5</ele>");
    const [, , track] = await featuresOf(convert(again, "gpx", "geojson"));
    expect(track).toMatchObject({ properties: { coordinateProperties: points }, geometry: { coordinates: shape } });
  });
});

describe("attributes", () => {
  const values = {
    "a long name 1": 1,
    "a long name 2": 2,
    beyond: 9007199254740993n,
    sum: 0.1 + 0.2,
    tiny: 1e-20,
    huge: 1e300,
    yes: true,
    day: "2026-03-01",
    moment: "2026-03-01T10:00:00.123456+02:00",
    list: ["a", 1],
    tree: { x: 1.5 },
    text: 'Ünï<&>"',
    marked: "<b>x</b>",
    zeros: "007",
    fid: 3,
    geom: "g",
  };
  const source = map([{}, point(8, 47)]).replace(
    "{}",
    JSON.stringify(values, (_, value) => (typeof value === "bigint" ? `#${value}` : value)).replace(/"#(\d+)"/, "$1"),
  );

  it.each(["gpkg", "fgb"])("stay what they are in %s", async (to) => {
    const made = await convert(source, "geojson", to);
    expect(made.notes.size).toBe(0);
    const { beyond, sum, ...others } = values;
    const [{ properties }] = await read(made, to);
    expect(properties).toMatchObject(to === "fgb" ? { ...others, list: expect.anything(), tree: expect.anything() } : others);
    expect(properties.sum).toBe(sum);
    const [described] = [(await run("ogrinfo", ["-al", "-q", join(bench.folder, `read.${to}`)])).stdout];
    expect(described).toContain(`beyond (Integer64) = ${beyond}`);
  });

  it.each(["kml", "kmz", "gpx", "gml", "csv", "jml", "mapml", "georss"])("are exact texts in %s", async (to) => {
    const made = await convert(source, "geojson", to);
    const text = to === "kmz" ? (await run("unzip", ["-p", made.path])).stdout : await readFile(made.path, "utf8");
    const exact = ["9007199254740993", "0.30000000000000004", "1e-20", "1e+300", "true", values.moment, values.day, "007"];
    for (const value of exact) expect(text).toContain(value);
    expect(text).toMatch(/<|&lt;b(>|&gt;)x/);
    expect(text).not.toContain("<b>x</b></description>");
  });

  it("become text in shapefiles where these have no such type, and names are told", async () => {
    const made = await convert(source, "geojson", "shp");
    const [{ properties }] = await read(made, "shp.zip");
    expect(properties).toMatchObject({
      "a long nam": 1,
      "a long n_1": 2,
      tiny: "1e-20",
      huge: "1e+300",
      yes: "true",
      moment: values.moment,
    });
    expect(made.notes.get("NAMES_CHANGED")).toBe("Names of columns were changed: a long name 1 → a long nam, a long name 2 → a long n_1.");
    expect(made.notes.get("TYPES_AS_TEXT")).toContain("tiny, huge, yes");
    expect(made.notes.get("NUMBERS_ROUNDED")).toContain("sum");
  });

  it("of more than 254 bytes are refused for shapefiles, with a format that holds them", async () => {
    await expect(convert(map([{ text: "ü".repeat(127) }, point(1, 2)]), "geojson", "shp")).resolves.toBeDefined();
    await expect(convert(map([{ text: "ü".repeat(128) }, point(1, 2)]), "geojson", "shp")).rejects.toMatchObject({
      code: "INPUT_TOO_COMPLEX",
      message: expect.stringMatching(/254 bytes.*GPKG/),
    });
  });

  it("beyond 64 bits are refused", async () => {
    const large = map([{ n: 0 }, point(1, 2)]).replace('"n":0', '"n":12345678901234567890');
    for (const to of ["kml", "geojsonl"]) {
      await expect(convert(large, "geojson", to)).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
    }
  });

  it("have all digits in GeoJSON", async () => {
    for (const from of ["geojsonl", "gpkg"]) {
      const made = await convert(source, "geojson", from);
      const [{ properties }] = await featuresOf(bench.convert(made.path, from, "geojson"));
      expect(properties.sum).toBe(values.sum);
    }
  });

  it("are null or missing as they were, from GeoJSON to a sequence of it", async () => {
    const text = await textOf(convert(map([{ a: 1, b: null }, point(1, 2), { id: 7 }], [{ c: [1] }, null]), "geojson", "geojsonl"));
    const [first, second] = text
      .trim()
      .split("\n")
      .map((each) => JSON.parse(each));
    expect([first.id, first.properties, second.properties, second.geometry]).toEqual([7, { a: 1, b: null }, { c: [1] }, null]);
  });

  it("keep ids, and tell members and types that no column holds", async () => {
    const made = await convert(
      map([{ mixed: 1 }, point(1, 2), { id: 9, extra: 1 }], [{ mixed: "x" }, point(3, 4), { id: 4 }]),
      "geojson",
      "csv",
    );
    expect(await readFile(made.path, "utf8")).toMatch(/^WKT,id,mixed\n"POINT \(1 2\)","9","1"\n/);
    expect(made.notes.get("METADATA_DROPPED")).toContain("extra");
    expect(made.notes.get("TYPES_AS_TEXT")).toContain("mixed");
  });

  it("of a text table are numbers where all of them are written so", async () => {
    const [first] = await featuresOf(convert("lat,lon,code,n,f,empty\n47,8,007,5,1.5,\n48,9,010,6,2,x\n", "csv", "geojson"));
    expect(first.properties).toEqual({ code: "007", n: 5, f: 1.5, empty: "" });
  });

  it("have characters that XML lacks replaced, which is told", async () => {
    const made = await convert(map([{ text: "a\u0001b\r\nc" }, point(1, 2)]), "geojson", "kml");
    expect(made.notes.get("CHARACTERS_REPLACED")).toContain("text");
    expect(await readFile(made.path, "utf8")).toContain("a\uFFFDb\nc");
  });
});

describe("layers", () => {
  async function geoPackage(...layers: readonly (readonly [name: string, map: string, ...args: string[]])[]): Promise<Buffer> {
    const path = join(bench.folder, `layers-${Math.random()}.gpkg`);
    for (const [name, content, ...args] of layers) {
      const source = join(bench.folder, "layer.geojson");
      await writeFile(source, content);
      await run("ogr2ogr", ["-f", "GPKG", path, source, "-nln", name, "-append", ...args]);
    }
    return await readFile(path);
  }

  it("of one map keep their names, and values of several types stay apart", async () => {
    const source = await geoPackage(["roads", map([{ n: 1 }, point(1, 2)])], ["houses", map([{ n: "A1" }, point(3, 4)])]);
    const features = await featuresOf(convert(source, "gpkg", "geojson"));
    expect(features.map(({ properties }: { properties: object }) => properties)).toEqual([
      { layer: "roads", n: "1" },
      { layer: "houses", n: "A1" },
    ]);
  });

  it("of several coordinate systems are where they were", async () => {
    const source = await geoPackage(["a", map([{}, point(8, 47)])], ["b", map([{}, point(8, 47)]), "-t_srs", "EPSG:3857"]);
    for (const to of ["fgb", "geojson"]) {
      for (const { geometry } of await read(convert(source, "gpkg", to), to)) {
        expect(geometry.coordinates).toEqual([expect.closeTo(8, 9), expect.closeTo(47, 9)]);
      }
    }
  });

  it("in metres are degrees in a text table, as that names no coordinate system", async () => {
    const source = await geoPackage(["a", map([{}, point(8, 47)]), "-t_srs", "EPSG:25832"]);
    const [, lon, lat] = /POINT \((\S+) (\S+)\)/.exec(await textOf(convert(source, "gpkg", "csv"))) ?? [];
    expect([Number(lon), Number(lat)]).toEqual([expect.closeTo(8, 9), expect.closeTo(47, 9)]);
  });
});

describe("shapes", () => {
  const collection = { type: "GeometryCollection", geometries: [point(1, 2), line([1, 2], [3, 4])] };

  it("keep heights, or have none, in GPX and shapefiles", async () => {
    const source = map([{ name: "up" }, point(8, 47, 400.5)], [{ name: "flat" }, point(9, 48)], [{}, line([1, 2, 3], [4, 5, 6])]);
    const gpx = await textOf(convert(source, "geojson", "gpx"));
    expect(gpx.match(/<ele>[^<]*<\/ele>/g)).toEqual(["<ele>400.5</ele>", "<ele>3.0</ele>", "<ele>6.0</ele>"]);
    const shp = await convert(source, "geojson", "shp");
    expect((await read(shp, "shp.zip", "points_z"))[0].geometry).toEqual(point(8, 47, 400.5));
    expect((await read(shp, "shp.zip", "points"))[0].geometry).toEqual(point(9, 48));
  });

  it("without heights beside others get one in FlatGeobuf, which is told", async () => {
    const made = await convert(map([{ n: 1 }, point(8, 47, 400.5)], [{ n: 2 }, point(9, 48)], [{ n: 3 }, null]), "geojson", "fgb");
    expect(made.notes.get("EMPTY_VALUES_DROPPED")).toMatch(/^1 shapes without heights/);
    const found = (await read(made, "fgb")).map(({ geometry }: { geometry: { coordinates: number[] } | null }) => geometry?.coordinates);
    expect(found.sort()).toEqual([
      [8, 47, 400.5],
      [9, 48, 0],
    ]);
    expect(made.notes.get("ENTRIES_LEFT_OUT")).toBe("1 entries without a shape were left out.");
  });

  it("that cross the date line, and collections, stay whole", async () => {
    const source = map([{}, line([179, 10], [-179, 12])], [{}, collection], [{}, line([179, 10], [181, 12])]);
    const made = await convert(source, "geojson", "gpkg");
    const features = await featuresOf(bench.convert(made.path, "gpkg", "geojson"));
    expect(features.map(({ geometry }: { geometry: object }) => geometry)).toEqual([
      line([179, 10], [-179, 12]),
      collection,
      line([179, 10], [181, 12]),
    ]);
  });

  it("have all digits in GeoJSON, and outer rings against the clock", async () => {
    const ring = [
      [8.123456789012, 47],
      [8.123456789012, 48],
      [9, 48],
      [8.123456789012, 47],
    ];
    const made = await convert(map([{}, { type: "Polygon", coordinates: [ring] }]), "geojson", "gpkg");
    const [feature] = await featuresOf(bench.convert(made.path, "gpkg", "geojson"));
    expect(feature.geometry.coordinates).toEqual([[...ring].reverse()]);
  });

  it("that GeoRSS cannot hold are told", async () => {
    const area = (...rings: readonly number[]) => ({
      type: "Polygon",
      coordinates: rings.map((size) => [
        [0, 0],
        [size, 0],
        [size, size],
        [0, 0],
      ]),
    });
    const made = await convert(
      map([{}, area(9)], [{}, area(9, 2)], [{}, { type: "MultiPoint", coordinates: [[1, 2]] }]),
      "geojson",
      "georss",
    );
    expect(made.notes.get("ENTRIES_LEFT_OUT")).toBe("1 of 3 shapes were left out, as the format cannot hold them.");
    const text = await readFile(made.path, "utf8");
    expect(text.match(/<georss:(polygon|point)>/g)).toHaveLength(2);
  });

  it("of no known system are not taken for degrees", async () => {
    const source = map([{}, point(8, 47)]);
    const made = await convert(source, "geojson", "shp", { crs: 3857 });
    await run("zip", ["-d", "-q", made.path, "points.prj"]);
    await expect(bench.convert(made.path, "shp", "geojson")).rejects.toMatchObject({
      message: expect.stringContaining("coordinate system"),
    });
    expect((await read(bench.convert(made.path, "shp", "gpkg"), "gpkg"))[0].geometry.coordinates[0]).toBeCloseTo(890_555.926, 2);
  });

  it("lose measures with a note", async () => {
    const made = await convert('WKT,n\n"LINESTRING M (1 2 3,4 5 6)",1\n', "csv", "geojson");
    expect(made.notes.get("METADATA_DROPPED")).toBe("Measures of 1 shapes were left out.");
    expect((await convert('WKT,n\n"LINESTRING M (1 2 3,4 5 6)",1\n', "csv", "gpkg")).notes.size).toBe(0);
  });
});
