import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { gdalEngine } from "#services/conversion/engines/maps/gdal.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { placesOf } from "#test/contract/readers-geo.ts";

const run = promisify(execFile);
const feature = (name: string, type: string, coordinates: unknown) => ({
  type: "Feature",
  properties: { name, n: 1 },
  geometry: { type, coordinates },
});
const map = {
  type: "FeatureCollection",
  features: [
    feature("Quokka Ünïcødé", "Point", [8.5, 47.25]),
    feature("Zebra", "LineString", [
      [8, 47],
      [9, 47.5],
      [9.5, 48],
    ]),
    feature("Field", "Polygon", [
      [
        [8, 47],
        [9, 47],
        [9, 47.75],
        [8, 47.75],
        [8, 47],
      ],
    ]),
  ],
};
const written: Readonly<Record<string, string>> = {
  geojson: JSON.stringify(map),
  topojson: JSON.stringify({
    type: "Topology",
    objects: {
      places: { type: "GeometryCollection", geometries: [{ type: "LineString", arcs: [0], properties: { name: "Quokka Ünïcødé" } }] },
    },
    arcs: [
      [
        [8, 47],
        [9, 47.5],
        [9.5, 48],
      ],
    ],
  }),
  esrijson: JSON.stringify({
    geometryType: "esriGeometryPolyline",
    spatialReference: { wkid: 4326 },
    fields: [{ name: "name", type: "esriFieldTypeString" }],
    features: [
      {
        attributes: { name: "Quokka Ünïcødé" },
        geometry: {
          paths: [
            [
              [8, 47],
              [9.5, 48],
            ],
          ],
        },
      },
    ],
  }),
  csv: "name,lat,lon\nQuokka Ünïcødé,47,8\nZebra,48,9.5\n",
  osm:
    '<osm version="0.6"><node id="1" lat="47" lon="8" version="1"/><node id="2" lat="48" lon="9.5" version="1"/>' +
    '<way id="3" version="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="path"/><tag k="name" v="Quokka Ünïcødé"/></way></osm>',
  gmt: "# @VGMT1.0 @GLINESTRING @Nname @Tstring\n# FEATURE_DATA\n>\n# @DQuokka\n8 47\n9.5 48\n",
  kml: '<?xml version="1.0" encoding="UTF-8"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><name>Quokka Ünïcødé</name><LineString><coordinates>8,47 9.5,48</coordinates></LineString></Placemark><NetworkLink><Link><href>http://127.0.0.1:1/x.kml</href></Link></NetworkLink></Document></kml>',
  gpx: '<?xml version="1.0"?><gpx version="1.1" creator="mill" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="47" lon="8"><name>Quokka Ünïcødé</name></wpt><trk><name>T</name><trkseg><trkpt lat="47" lon="8"/><trkpt lat="48" lon="9.5"/></trkseg></trk></gpx>',
  georss:
    '<rss version="2.0" xmlns:georss="http://www.georss.org/georss"><channel><title>t</title><link>l</link><description>d</description><item><title>Quokka Ünïcødé</title><georss:line>47 8 48 9.5</georss:line></item></channel></rss>',
};

const bench = useBench(gdalEngine);

async function sample(format: string, folder: string): Promise<string> {
  const path = join(folder, `sample.${format}`);
  const text = written[format];
  if (text === undefined) return (await bench.convert(await sample("geojson", folder), "geojson", format)).path;
  await writeFile(path, text);
  return path;
}

/** For formats that no other program here reads, by GDAL itself: west, south, east, north. */
async function extentOf(path: string, format: string): Promise<readonly number[]> {
  const extent = /Extent: \((\S+), (\S+)\) - \((\S+), (\S+)\)/.exec(
    (await run("ogrinfo", ["-so", "-al", "-ro", path])).stdout.replace(/^[\s\S]*?(?=Extent)/, ""),
  );
  if (extent === null) throw new Error(`no extent in ${format}`);
  return extent.slice(1).map(Number);
}

const bounds = [8, 47, 9.5, 48];
/** How many of the three shapes remain in a format that holds only some kinds. */
const shapesOf = (from: string, to: string) => (from in written && from !== "geojson" ? undefined : to === "gpx" ? 2 : 3);

// Every reader and every writer; the proof covers all pairs.
const hops = gdalEngine.hops.filter(({ from, to }) => from === "geojson" || to === "geojson");

testEngine(
  { ...gdalEngine, hops },
  {
    sample,
    async check({ from, to }, reading, path) {
      if (to === "pdf") return expect(reading.pages).toBe(1);
      if (to === "xlsx") return expect(reading.entries).toContain("xl/workbook.xml");
      if (to === "mbtiles") {
        const database = new DatabaseSync(path, { readOnly: true });
        const row = database.prepare("SELECT count(*) AS tiles FROM tiles").get();
        database.close();
        return expect(Number(row?.["tiles"])).toBeGreaterThan(0);
      }
      if (to === "dgn" || to === "gdb") {
        const target = to === "gdb" ? `/vsizip/{${path}}/out.gdb` : path;
        return expect((await extentOf(target, to)).length).toBe(4);
      }
      const places = await placesOf(path, to);
      // Lines that outline areas of another format are also in their place.
      for (const [index, value] of places.bounds.entries()) expect(value, `${from} to ${to}`).toBeCloseTo(bounds[index] ?? 0, 5);
      const shapes = shapesOf(from, to);
      if (shapes !== undefined && !["dgn", "dxf", "mbtiles", "gpx"].includes(from) && to !== "dxf") expect(places.shapes).toBe(shapes);
    },
  },
);

describe("engine gdal, in detail", () => {
  const convert = async (from: string, to: string, options = {}) => bench.convert(await sample(from, bench.folder), from, to, options);

  it("keeps names in every alphabet", async () => {
    for (const to of ["kml", "gml", "csv", "geojsonl", "georss"])
      expect(await readFile((await convert("geojson", to)).path, "utf8"), to).toContain("Quokka Ünïcødé");
    const shapes = (await convert("geojson", "shp")).path;
    expect((await run("unzip", ["-p", shapes, "points.dbf"])).stdout).toContain("Quokka Ünïcødé");
  });

  it("notes what a format cannot hold", async () => {
    expect((await convert("geojson", "gpx")).notes.get("ENTRIES_LEFT_OUT")).toBe(
      "1 of 3 shapes were left out, because the format does not support them.",
    );
    expect((await convert("geojson", "dxf")).notes.has("METADATA_DROPPED")).toBe(true);
    expect((await convert("geojson", "shp")).notes.size).toBe(0);
  });

  it("converts to the requested coordinate system", async () => {
    const { bounds: found } = await placesOf((await convert("geojson", "csv", { crs: 3857 })).path, "csv");
    expect(found[0]).toBeCloseTo(890_555.93, 1);
    await expect(convert("geojson", "csv", { crs: 1999 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("rounds coordinates", async () => {
    expect(await readFile((await convert("geojson", "geojsonl")).path, "utf8")).toContain("47.25");
    expect(await readFile((await convert("kml", "geojson", { precision: 0 })).path, "utf8")).toMatch(/\[ ?8(\.0)?, 47(\.0)? ?\]/);
  });

  it("writes points as columns on request", async () => {
    expect(await readFile((await convert("gpx", "csv", { geometry: "xy" })).path, "utf8")).toMatch(/^X,Y,[^\n]*\n8,47,/);
  });

  it("does not open files that refer to others, whatever their extension", async () => {
    const layer =
      '<OGRVRTDataSource><OGRVRTLayer name="passwd"><SrcDataSource>CSV:/etc/passwd</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>';
    for (const from of ["geojson", "kml", "gml", "csv", "jml"]) {
      const path = join(bench.folder, `virtual.${from}`);
      await writeFile(path, layer);
      await expect(bench.convert(path, from, from === "geojson" ? "kml" : "geojson"), from).rejects.toMatchObject({
        code: "INVALID_INPUT",
      });
    }
  });
});
