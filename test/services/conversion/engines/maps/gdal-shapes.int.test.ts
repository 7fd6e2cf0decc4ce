/** Shapes of maps, and tracks: each is preserved, or a note names it, or the conversion fails. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { featuresOf, line, map, openMaps, point, textOf } from "./maps.ts";

const run = promisify(execFile);
const { again, convert, inFolder, read } = openMaps();

describe("tracks", () => {
  const gpx = (body: string) =>
    `<?xml version="1.0"?><gpx version="1.1" creator="mill" xmlns="http://www.topografix.com/GPX/1/1" xmlns:x="http://x">${body}</gpx>`;
  const trackPoint = (lat: number, lon: number, more: string) => `<trkpt lat="${lat}" lon="${lon}">${more}</trkpt>`;
  const full = gpx(
    `<!-- <trkpt> --><wpt lat="47" lon="8"><ele>12.5</ele><time>2026-03-01T10:00:00.123456Z</time><name>Quokka</name>` +
      `<extensions><x:Way><x:Depth>4.5</x:Depth></x:Way></extensions></wpt><wpt lat="1" lon="2"><name>flat</name><link href="a"/><link href="b"/><link href="c"/></wpt>` +
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

  it("keep heights, times and other values of their points", async () => {
    const [place, linked, track] = await featuresOf(convert(full, "gpx", "geojson"));
    expect(linked.properties).toMatchObject({ link1_href: "a", link2_href: "b", link3_href: "c" });
    expect(track).toMatchObject({ properties: { name: "T", coordinateProperties: points }, geometry: { coordinates: shape } });
    expect(place.properties).toMatchObject({ time: "2026-03-01T10:00:00.123456Z", Depth: "4.5", ele: 12.5 });
    expect(place.geometry.coordinates).toEqual([8, 47, 12.5]);
  });

  it("keep them in GeoPackage, and from there to GeoJSON", async () => {
    const made = await convert(full, "gpx", "gpkg");
    expect((await read(made, "gpkg"))[2]).toMatchObject({ properties: { coordinateProperties: points } });
    const [, , track] = await featuresOf(again(made, "gpkg", "geojson"));
    expect(track).toMatchObject({ properties: { coordinateProperties: points }, geometry: { coordinates: shape } });
  });

  it("store heights as a property if some points have none", async () => {
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

  it("keep heights in a Shapefile layer of their own, and note the loss of times", async () => {
    const many = Array.from({ length: 20 }, (_, at) => trackPoint(47, at, `<ele>${at}</ele><time>2026-03-01T10:00:${at + 10}Z</time>`));
    const made = await convert(gpx(`<wpt lat="1" lon="2"/><trk><trkseg>${many.join("")}</trkseg></trk>`), "gpx", "shp");
    expect(made.notes.get("METADATA_DROPPED")).toContain("coordinateProperties");
    expect((await read(made, "shp.zip", "lines"))[0].geometry.coordinates[7]).toEqual([7, 47, 7]);
    expect((await read(made, "shp.zip", "points"))[0].geometry.coordinates).toEqual([2, 1]);
  });

  it("regain their times and heights in GPX", async () => {
    const made = await convert(full, "gpx", "geojson");
    const text = await textOf(again(made, "geojson", "gpx"));
    for (const [height, time] of [
      ["400.25", "2026-03-01T10:00:00+02:00"],
      ["3.0", "2026-03-01T11:00:00.5Z"],
    ]) {
      expect(text).toMatch(new RegExp(`<ele>${height}</ele>\\s*<time>${time?.replace("+", "\\+")}</time>`));
    }
    expect(text.match(/<time>/g)).toHaveLength(3);
    expect(text).toContain("<ele>12.5</ele>");
    const [, , track] = await featuresOf(convert(text, "gpx", "geojson"));
    expect(track).toMatchObject({ properties: { coordinateProperties: points }, geometry: { coordinates: shape } });
  });
});

describe("shapes", () => {
  const collection = { type: "GeometryCollection", geometries: [point(1, 2), line([1, 2], [3, 4])] };

  it("keep heights in GPX and Shapefile, and get none if they had none", async () => {
    const source = map([{ name: "up" }, point(8, 47, 400.5)], [{ name: "flat" }, point(9, 48)], [{}, line([1, 2, 3], [4, 5, 6])]);
    const gpx = await textOf(convert(source, "geojson", "gpx"));
    expect(gpx.match(/<ele>[^<]*<\/ele>/g)).toEqual(["<ele>400.5</ele>", "<ele>3.0</ele>", "<ele>6.0</ele>"]);
    const shp = await convert(source, "geojson", "shp");
    expect((await read(shp, "shp.zip", "points_z"))[0].geometry).toEqual(point(8, 47, 400.5));
    expect((await read(shp, "shp.zip", "points"))[0].geometry).toEqual(point(9, 48));
  });

  it("without measures beside others get measure 0 in FlatGeobuf, with a note", async () => {
    const there = await convert('WKT,n\n"POINT M (8 47 5)",1\n"POINT (9 48)",2\n', "csv", "gpkg");
    const { notes } = await again(there, "gpkg", "fgb");
    expect(notes.get("EMPTY_VALUES_DROPPED")).toMatch(/^1 shapes without measures got measure 0, /);
  });

  it("without heights beside others get height 0 in FlatGeobuf, with a note", async () => {
    const made = await convert(map([{ n: 1 }, point(8, 47, 400.5)], [{ n: 2 }, point(9, 48)], [{ n: 3 }, null]), "geojson", "fgb");
    expect(made.notes.get("EMPTY_VALUES_DROPPED")).toMatch(/^1 shapes without heights/);
    expect(made.notes.get("METADATA_DROPPED")).toBe("The order of the shapes was left out, because the format sorts them by place.");
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
    const features = await featuresOf(again(made, "gpkg", "geojson"));
    expect(features.map(({ geometry }: { geometry: object }) => geometry)).toEqual([
      line([179, 10], [-179, 12]),
      collection,
      line([179, 10], [181, 12]),
    ]);
  });

  it("keep all digits in GeoJSON, and get counter-clockwise outer rings", async () => {
    const ring = [
      [8.123456789012, 47],
      [8.123456789012, 48],
      [9, 48],
      [8.123456789012, 47],
    ];
    const made = await convert(map([{}, { type: "Polygon", coordinates: [ring] }]), "geojson", "gpkg");
    const [feature] = await featuresOf(again(made, "gpkg", "geojson"));
    expect(feature.geometry.coordinates).toEqual([[...ring].reverse()]);
  });

  it("that GeoRSS cannot hold are left out with a note", async () => {
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
    expect(made.notes.get("ENTRIES_LEFT_OUT")).toBe("1 of 3 shapes were left out, because the format does not support them.");
    const text = await readFile(made.path, "utf8");
    expect(text.match(/<georss:(polygon|point)>/g)).toHaveLength(2);
  });

  it("of an unknown coordinate system are not taken for degrees", async () => {
    const source = map([{}, point(8, 47)]);
    const made = await convert(source, "geojson", "shp", { crs: 3857 });
    await run("zip", ["-d", "-q", made.path, "points.prj"]);
    await expect(again(made, "shp", "geojson")).rejects.toMatchObject({
      message: expect.stringContaining("coordinate system"),
    });
    expect((await read(again(made, "shp", "gpkg"), "gpkg"))[0].geometry.coordinates[0]).toBeCloseTo(890_555.926, 2);
  });

  it("become degrees with a note in GML, which cannot name a system of their own", async () => {
    const [source, own] = [inFolder("plain.geojson"), inFolder("own.gpkg")];
    await writeFile(source, map([{}, point(8, 47)]));
    await run("ogr2ogr", ["-t_srs", "+proj=tmerc +lat_0=46 +lon_0=7 +x_0=1000 +ellps=bessel", own, source]);
    const made = await convert(await readFile(own), "gpkg", "gml");
    expect(made.notes.get("METADATA_DROPPED")).toBe("Places in other coordinate systems became degrees (WGS 84).");
    expect(await readFile(made.path, "utf8")).toContain('srsName="urn:ogc:def:crs:EPSG::4326"');
  });

  it("of one type make a layer of that type, and of several one without mandatory heights, so that Python's readers take both", async () => {
    const layerOf = async (target: string, ...shapes: readonly object[]) => {
      const made = await convert(map(...shapes.map((shape) => [{}, shape] as const)), "geojson", target);
      return (await run("ogrinfo", ["-so", "-al", made.path])).stdout.match(/^Geometry: (.*)$/m)?.[1];
    };
    expect(await layerOf("gpkg", point(8, 47, 5))).toBe("3D Point");
    expect(await layerOf("fgb", line([1, 2], [3, 4]))).toBe("Line String");
    expect(await layerOf("gpkg", point(8, 47, 5), line([1, 2, 3], [3, 4, 5]))).toBe("Unknown (any)");
  });

  it("may be none in a GeoPackage of tiles, which is not called damaged alone", async () => {
    const { path } = await convert(map([{}, point(8, 47)]), "geojson", "gpkg");
    using database = new DatabaseSync(path);
    database.exec("DELETE FROM gpkg_geometry_columns; UPDATE gpkg_contents SET data_type = 'tiles'");
    await expect(convert(await readFile(path), "gpkg", "geojson")).rejects.toMatchObject({ message: expect.stringContaining("tiles") });
  });

  it("are noted if they are not points, or lack heights, when coordinates become columns", async () => {
    const source = map([{ n: 1, m: 1 }, point(8, 47, 5)], [{ n: 2, m: 1 }, point(9, 48)], [{ n: 3, m: 1 }, line([1, 2], [3, 4])]);
    const made = await convert(source, "geojson", "csv", { geometry: "xy" });
    expect(await readFile(made.path, "utf8")).toBe('X,Y,Z,n,m\n8,47,5,"1","1"\n9,48,0,"2","1"\n,,,"3","1"\n');
    expect([...made.notes.keys()].sort()).toEqual(["EMPTY_VALUES_DROPPED", "ENTRIES_LEFT_OUT"]);
  });

  it("that are empty in metres are named, because nothing makes degrees of them", async () => {
    const { path } = await convert('WKT,n\n"POINT (9 47)",1\n"POINT EMPTY",2\n', "csv", "gpkg", { crs: 32632 });
    const database = new DatabaseSync(path);
    for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all())
      database.exec(`DROP TRIGGER "${String(name)}"`);
    // A point whose coordinates are not numbers, as other programs write it.
    const empty = Buffer.from("47500011787f00000101000000000000000000f87f000000000000f87f", "hex");
    database.prepare("UPDATE data SET geom = ? WHERE n = 2").run(empty);
    database.close();
    await expect(convert(await readFile(path), "gpkg", "geojson")).rejects.toMatchObject({
      code: "INPUT_TOO_COMPLEX",
      message: expect.stringContaining("Feature 2 is empty"),
    });
  });

  it("lose measures in GeoJSON with a note", async () => {
    const made = await convert('WKT,n\n"LINESTRING M (1 2 3,4 5 6)",1\n', "csv", "geojson");
    expect(made.notes.get("METADATA_DROPPED")).toBe("Measures of 1 shapes were left out.");
    const kept = await convert('WKT,n\n"LINESTRING M (1 2 3,4 5 6)",1\n', "csv", "gpkg");
    expect(kept.notes.size).toBe(0);
    const back = await again(kept, "gpkg", "csv");
    expect([await readFile(back.path, "utf8"), back.notes.size]).toEqual(['WKT,n\n"LINESTRING M (1 2 3,4 5 6)","1"\n', 0]);
  });
});

describe("curves", () => {
  const arc = 'WKT,n\n"CIRCULARSTRING (0 0,1 1,2 0)",1\n';

  it("become lines with a note where the format has none", async () => {
    const made = convert(arc, "csv", "geojson");
    const [{ geometry }] = await featuresOf(made);
    expect([geometry.type, geometry.coordinates.length > 9]).toEqual(["LineString", true]);
    expect((await made).notes.get("METADATA_DROPPED")).toBe("Curves of 1 shapes became straight lines between points.");
  });

  it("stay curves in others", async () => {
    const made = await convert(arc, "csv", "gpkg");
    expect(made.notes.size).toBe(0);
    expect(await textOf(again(made, "gpkg", "csv"))).toContain("CIRCULARSTRING (0 0,1 1,2 0)");
  });
});

describe("a KML", () => {
  const kml = (body: string) =>
    `<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>${body}</Document></kml>`;
  const place = (body: string) => `<Placemark><name>P</name>${body}</Placemark>`;

  it("gets no default values", async () => {
    const [{ properties }] = await featuresOf(convert(kml(place("<Point><coordinates>8,47,5</coordinates></Point>")), "kml", "geojson"));
    expect(properties).toEqual({ Name: "P" });
  });

  it("loses styles and times of points with a note, also as KMZ", async () => {
    const style = "<Style><LineStyle><width>3</width></LineStyle></Style>";
    const when = "<when>2026-03-01T10:00:00Z</when><when>2026-03-01T10:00:05Z</when>";
    const track = `<gx:Track>${when}<gx:coord>8 47 1</gx:coord><gx:coord>9 48 2</gx:coord></gx:Track>`;
    const source = kml(place(style + track));
    await writeFile(inFolder("doc.kml"), source);
    await run("zip", ["-j", "-q", inFolder("doc.kmz"), inFolder("doc.kml")]);
    for (const made of [await convert(source, "kml", "geojson"), await convert(await readFile(inFolder("doc.kmz")), "kmz", "geojson")]) {
      expect([...made.notes.keys()].sort()).toEqual(["METADATA_DROPPED", "STYLING_DROPPED"]);
    }
  });
});
