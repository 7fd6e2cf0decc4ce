/** Values of maps: each is preserved, or a note names it, or the conversion fails. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { featuresOf, map, openMaps, point, textOf } from "./maps.ts";

const run = promisify(execFile);
const { again, convert, inFolder, read } = openMaps();

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

  it.each(["gpkg", "fgb"])("keep their values and types in %s", async (to) => {
    const made = await convert(source, "geojson", to);
    expect(made.notes.size).toBe(0);
    const { beyond, sum, ...others } = values;
    const [{ properties }] = await read(made, to);
    expect(properties).toMatchObject(to === "fgb" ? { ...others, list: expect.anything(), tree: expect.anything() } : others);
    expect(properties.sum).toBe(sum);
    const [described] = [(await run("ogrinfo", ["-al", "-q", inFolder(`read.${to}`)])).stdout];
    expect(described).toContain(`beyond (Integer64) = ${beyond}`);
  });

  it.each(["kml", "kmz", "gpx", "gml", "csv", "jml", "mapml", "georss"])("are written exactly as text in %s", async (to) => {
    const made = await convert(source, "geojson", to);
    const text = to === "kmz" ? (await run("unzip", ["-p", made.path])).stdout : await readFile(made.path, "utf8");
    const exact = ["9007199254740993", "0.30000000000000004", "1e-20", "1e+300", "true", values.moment, values.day, "007"];
    for (const value of exact) expect(text).toContain(value);
    expect(text).toMatch(/<|&lt;b(>|&gt;)x/);
    expect(text).not.toContain("<b>x</b></description>");
  });

  it("get names in GeoRSS without undeclared namespace prefixes", async () => {
    const made = await convert(map([{ my_col: "1", _007: "x", dc_date: "2024", pop: 5 }, point(8, 47)]), "geojson", "georss");
    expect([...made.notes.keys()]).toEqual(["NAMES_CHANGED"]);
    // Python's parser rejects an undeclared prefix.
    const script = `import sys, xml.etree.ElementTree as e
for item in e.parse(sys.argv[1]).iter("item"):
    print([(each.tag.split("}")[-1], each.text) for each in item if each.text])`;
    const { stdout } = await run("/usr/bin/python3", ["-I", "-c", script, made.path]);
    for (const wanted of ["('my-col', '1')", "('x-007', 'x')", "('dc-date', '2024')", "('pop', '5')"]) expect(stdout).toContain(wanted);
  });

  it.each([
    ["text", "2024-01-02", point(8, 47)],
    ["another height", 100, point(8, 47, 400.5)],
  ])("called ele with %s do not become heights in GPX", async (_what, ele, shape) => {
    const made = await convert(map([{ ele }, shape]), "geojson", "gpx");
    const text = await textOf(Promise.resolve(made));
    expect(text).toContain(`ele_1>${ele}<`);
    expect(text.match(/<ele>[^<]*/)?.[0]).toBe(shape.coordinates.length > 2 ? "<ele>400.5" : undefined);
    expect([...made.notes.keys()]).toEqual(["NAMES_CHANGED"]);
  });

  it("called time are renamed in GPX unless they are times", async () => {
    const made = await convert(map([{ time: "at noon" }, point(8, 47)]), "geojson", "gpx");
    expect(await textOf(Promise.resolve(made))).toContain("time_1>at noon<");
    expect([...made.notes.keys()]).toEqual(["NAMES_CHANGED"]);
    const kept = await convert(map([{ time: "2024-01-02T03:04:05Z" }, point(8, 47)]), "geojson", "gpx");
    expect(await textOf(Promise.resolve(kept))).toContain("<time>2024-01-02T03:04:05Z</time>");
  });

  it("are noted if Shapefile renames them", async () => {
    const made = await convert(map([{ "addr:city": "A" }, point(8, 47)]), "geojson", "shp");
    expect([...made.notes]).toEqual([["NAMES_CHANGED", expect.stringContaining("addr:city → addr_city")]]);
  });

  it("are read from a single line of GeoJSON lines", async () => {
    const made = await convert(
      '{"type":"Feature","properties":{"a":7},"geometry":{"type":"Point","coordinates":[8,47]}}\n',
      "geojsonl",
      "gpkg",
    );
    expect((await read(made, "gpkg"))[0].properties).toMatchObject({ a: 7 });
  });

  it("lose trailing spaces in Shapefile, with a note", async () => {
    const made = await convert(map([{ text: "a " }, point(8, 47)]), "geojson", "shp");
    expect([...made.notes]).toEqual([["CHARACTERS_REPLACED", expect.stringContaining("Spaces around texts were left out: text")]]);
  });

  it.each(["gpx", "shp", "kml", "gpkg", "csv"])("may have any name in %s, even those of a database's own columns", async (to) => {
    const named = { id: "one", key: "two", value: "three", type: "four", path: "five", json: "six", root: "seven", rowid: "eight" };
    const shapes = [
      point(8, 47),
      {
        type: "MultiPoint",
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ];
    const made = await convert(map(...shapes.map((shape) => [named, shape] as const)), "geojson", to);
    const [{ properties }] = await featuresOf(again(made, to, "geojson"));
    expect(properties).toMatchObject(to === "kml" ? { ...named, id: expect.anything() } : named);
  });

  it("survive KMZ", async () => {
    const [{ properties }] = await featuresOf(again(await convert(source, "geojson", "kmz"), "kmz", "geojson"));
    expect(properties).toMatchObject({ "a long name 1": 1, beyond: "9007199254740993", moment: values.moment, zeros: "007" });
  });

  it("become text in Shapefile if it lacks their type, and renamed columns are noted", async () => {
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
    expect(made.notes.get("NAMES_CHANGED")).toBe("Column names were changed: a long name 1 → a long nam, a long name 2 → a long n_1.");
    expect(made.notes.get("TYPES_AS_TEXT")).toContain("tiny, huge, yes");
    expect(made.notes.get("NUMBERS_ROUNDED")).toContain("sum");
  });

  it("of more than 254 bytes are refused for Shapefile, which suggests GeoPackage", async () => {
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

  it("keep all digits in GeoJSON", async () => {
    for (const from of ["geojsonl", "gpkg"]) {
      const made = await convert(source, "geojson", from);
      const [{ properties }] = await featuresOf(again(made, from, "geojson"));
      expect(properties.sum).toBe(values.sum);
    }
  });

  it("stay null or missing from GeoJSON to GeoJSON lines", async () => {
    const text = await textOf(convert(map([{ a: 1, b: null }, point(1, 2), { id: 7 }], [{ c: [1] }, null]), "geojson", "geojsonl"));
    const [first, second] = text
      .trim()
      .split("\n")
      .map((each) => JSON.parse(each));
    expect([first.id, first.properties, second.properties, second.geometry]).toEqual([7, { a: 1, b: null }, { c: [1] }, null]);
  });

  it("keep ids, and note members and types that no column holds", async () => {
    const made = await convert(
      map([{ mixed: 1 }, point(1, 2), { id: 9, extra: 1 }], [{ mixed: "x" }, point(3, 4), { id: 4 }]),
      "geojson",
      "csv",
    );
    expect(await readFile(made.path, "utf8")).toMatch(/^WKT,id,mixed\n"POINT \(1 2\)","9","1"\n/);
    expect(made.notes.get("METADATA_DROPPED")).toContain("extra");
    expect(made.notes.get("TYPES_AS_TEXT")).toContain("mixed");
  });

  it("of CSV become numbers only if all are written as numbers", async () => {
    const [first] = await featuresOf(convert("lat,lon,code,n,f,empty\n47,8,007,5,1.5,\n48,9,010,6,2,x\n", "csv", "geojson"));
    expect(first.properties).toEqual({ code: "007", n: 5, f: 1.5, empty: "" });
  });

  it("in an encoding other than UTF-8 are guessed with a note", async () => {
    const made = await convert(Buffer.from("lat,lon,name\n47,8,M\xfcller\n", "latin1"), "csv", "geojson");
    expect(made.notes.get("ENCODING_GUESSED")).toContain("windows-1252");
    expect(await readFile(made.path, "utf8")).toContain("Müller");
  });

  it("of GML become numbers only if all are written as numbers", async () => {
    const member = (code: string) =>
      `<gml:featureMember><o:a><o:g><gml:Point><gml:coordinates>8,47</gml:coordinates></gml:Point></o:g><o:code>${code}</o:code><o:n>5</o:n></o:a></gml:featureMember>`;
    const source = `<?xml version="1.0"?><o:c xmlns:o="http://o" xmlns:gml="http://www.opengis.net/gml">${member("007")}${member("12345678901234567890")}</o:c>`;
    const features = await featuresOf(convert(source, "gml", "geojson"));
    expect(features.map(({ properties }: { properties: object }) => properties)).toMatchObject([
      { code: "007", n: 5 },
      { code: "12345678901234567890", n: 5 },
    ]);
  });

  it("that are lists stay lists, even from TopoJSON, where GDAL changes them", async () => {
    const places = [{ type: "Point", coordinates: [1, 2], properties: { numbers: [1, 2.5], texts: ["a", "b"] } }];
    const topology = { type: "Topology", objects: { a: { type: "GeometryCollection", geometries: places } }, arcs: [] };
    const [{ properties }] = await featuresOf(convert(JSON.stringify(topology), "topojson", "geojson"));
    expect(properties).toMatchObject({ numbers: [1, 2.5], texts: ["a", "b"] });
  });

  it("of several types in TopoJSON become text, and its places without a shape are counted", async () => {
    const point = { type: "Point", coordinates: [1, 2] };
    const geometries = [
      { ...point, id: 1, properties: { a: 1, b: true } },
      { ...point, properties: { a: "x", b: false } },
      { type: null, properties: { a: 3 } },
    ];
    const topology = { type: "Topology", objects: { o: { type: "GeometryCollection", geometries } }, arcs: [] };
    const { notes } = await convert(JSON.stringify(topology), "topojson", "geojson");
    expect(notes.get("TYPES_AS_TEXT")).toBe("Properties whose values are of several types became text: a. Ids of features became text.");
    expect(notes.get("ENTRIES_LEFT_OUT")).toBe("1 entries without a shape were left out.");
  });

  it("of collections and ids of single objects in TopoJSON are named", async () => {
    const point = { type: "Point", coordinates: [1, 2] };
    const many = { type: "GeometryCollection", geometries: [{ ...point, id: "A" }], properties: { source: "x" } };
    const topology = { type: "Topology", objects: { many, lone: { ...point, id: "B" }, same: { ...point, id: "same" } }, arcs: [] };
    const { notes } = await convert(JSON.stringify(topology), "topojson", "geojson");
    expect(notes.get("METADATA_DROPPED")).toBe(
      "Ids of single objects were replaced by their names: lone. Ids and properties of collections were left out: many.",
    );
  });

  it("have characters that are invalid in XML replaced, with a note", async () => {
    const made = await convert(map([{ text: "a\u0001b\r\nc" }, point(1, 2)]), "geojson", "kml");
    expect(made.notes.get("CHARACTERS_REPLACED")).toContain("text");
    expect(await readFile(made.path, "utf8")).toContain("a\uFFFDb\nc");
  });
});

describe("layers", () => {
  async function geoPackage(...layers: readonly (readonly [name: string, map: string, ...args: string[]])[]): Promise<Buffer> {
    const path = inFolder(`layers-${layers.map(([name]) => name).join("-")}.gpkg`);
    for (const [name, content, ...args] of layers) {
      const source = inFolder("layer.geojson");
      await writeFile(source, content);
      await run("ogr2ogr", ["-f", "GPKG", path, source, "-nln", name, "-append", ...args]);
    }
    return await readFile(path);
  }

  it("of one map keep their names, and values of several types become text", async () => {
    const source = await geoPackage(["roads", map([{ n: 1 }, point(1, 2)])], ["houses", map([{ n: "A1" }, point(3, 4)])]);
    const features = await featuresOf(convert(source, "gpkg", "geojson"));
    expect(features.map(({ properties }: { properties: object }) => properties)).toEqual([
      { layer: "roads", n: "1" },
      { layer: "houses", n: "A1" },
    ]);
  });

  it("in several coordinate systems keep their positions", async () => {
    const source = await geoPackage(["a", map([{}, point(8, 47)])], ["b", map([{}, point(8, 47)]), "-t_srs", "EPSG:3857"]);
    for (const to of ["fgb", "geojson"]) {
      for (const { geometry } of await read(convert(source, "gpkg", to), to)) {
        expect(geometry.coordinates).toEqual([expect.closeTo(8, 9), expect.closeTo(47, 9)]);
      }
    }
  });

  it("in metres become degrees in CSV, which declares no coordinate system", async () => {
    const source = await geoPackage(["a", map([{}, point(8, 47)]), "-t_srs", "EPSG:25832"]);
    const made = convert(source, "gpkg", "csv");
    const [, lon, lat] = /POINT \((\S+) (\S+)\)/.exec(await textOf(made)) ?? [];
    expect((await made).notes.get("METADATA_DROPPED")).toBe("Places in other coordinate systems became degrees (WGS 84).");
    expect([Number(lon), Number(lat)]).toEqual([expect.closeTo(8, 9), expect.closeTo(47, 9)]);
  });
});

it("keep addresses of GPX 1.0, which later versions write as links", async () => {
  const gpx =
    '<gpx version="1.0" creator="x" xmlns="http://www.topografix.com/GPX/1/0"><wpt lat="1" lon="2"><name>a</name><url>http://example.org/a</url><urlname>A</urlname></wpt></gpx>';
  const [{ properties }] = await featuresOf(convert(gpx, "gpx", "geojson"));
  expect(properties).toEqual({ name: "a", url: "http://example.org/a", urlname: "A" });
});
