/** Objects of OpenStreetMap, and what is noted about those that are not shapes. */
import { expect, it } from "vitest";
import { featuresOf, openMaps } from "./maps.ts";

const { convert } = openMaps();
const nodes = [1, 2, 3, 4].map((id) => `<node id="${id}" lat="47.${id}" lon="8.${id % 3}"/>`).join("");
const way = (id: number, refs: readonly number[], tags: string) =>
  `<way id="${id}">${refs.map((ref) => `<nd ref="${ref}"/>`).join("")}${tags}</way>`;
const osm = (...objects: readonly string[]) => `<?xml version="1.0"?><osm version="0.6">${nodes}${objects.join("")}</osm>`;
const path = way(10, [1, 2, 3], '<tag k="highway" v="path"/>');
const house = way(11, [2, 3, 4, 2], '<tag k="building" v="yes"/>');

it("keep routes and other relations, and get no values that are not in the file", async () => {
  const route = '<relation id="20"><member type="way" ref="10" role=""/><tag k="type" v="route"/><tag k="ref" v="7"/></relation>';
  const stops = '<relation id="21"><member type="node" ref="1" role=""/><tag k="type" v="site"/></relation>';
  const made = convert(osm(path, house, route, stops), "osm", "geojson");
  const features = await featuresOf(made);
  expect(
    features.map(({ properties, geometry }: { properties: Record<string, string>; geometry: { type: string } }) => [
      properties["osm_id"] ?? properties["osm_way_id"],
      geometry.type,
    ]),
  ).toEqual([
    ["10", "LineString"],
    ["20", "MultiLineString"],
    ["11", "MultiPolygon"],
    ["21", "GeometryCollection"],
  ]);
  expect(Object.keys(features[0].properties)).not.toContain("z_order");
  expect([...(await made).notes.keys()]).toEqual([]);
});

it("name what makes no shape of its own, and the edits and roles that are left out", async () => {
  const forest =
    '<relation id="20"><member type="way" ref="11" role="outer"/><tag k="type" v="multipolygon"/><tag k="landuse" v="forest"/></relation>';
  const edited = '<node id="9" lat="1" lon="2" version="3" user="Ada"><tag k="name" v="Well"/></node>';
  const { notes } = await convert(osm(edited, house, forest), "osm", "gpkg");
  expect(notes.get("ENTRIES_LEFT_OUT")).toBe("Objects with tags that make no shape of their own were left out: way 11.");
  expect(notes.get("METADATA_DROPPED")).toBe("Versions, editors and times of edits and roles of members were left out.");
});

it("take no angle bracket in a name, and no comment, for the end or the beginning of an object", async () => {
  const users = [5, 6].map((id) => `<node id="${id}" lat="1" lon="2" user="a>b"/>`).join("");
  const comment = `<!--${"<way id='1'>".repeat(1000)}-->`;
  const well = '<node id="9" lat="1" lon="2"><tag k="name" v="Well"/></node>';
  const { notes } = await convert(osm(users, well, comment), "osm", "geojson");
  expect([...notes.keys()]).toEqual(["METADATA_DROPPED"]);
});
