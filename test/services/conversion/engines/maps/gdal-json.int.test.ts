/** Properties and ids of GeoJSON, as a file or as lines. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { map, openMaps, point } from "./maps.ts";

const { convert, read } = openMaps();

describe("with feature ids", () => {
  const featureOf = (id: string | number) =>
    JSON.stringify({ type: "Feature", id, properties: { a: 1 }, geometry: { type: "Point", coordinates: [8, 47] } });
  const collectionOf = (...ids: (string | number)[]) => `{"type":"FeatureCollection","features":[${ids.map(featureOf).join(",")}]}`;

  it("write ids of several types as text, with a note", async () => {
    const made = await convert(collectionOf(7, "q"), "geojson", "csv");
    const rows = (await readFile(made.path, "utf8")).replaceAll('"', "").trim().split("\n").slice(1);
    expect(rows.map((row) => row.split(",")[1])).toEqual(["7", "q"]);
    expect([...made.notes.keys()]).toEqual(["TYPES_AS_TEXT"]);
  });

  it.each([
    ["numbers", [1, 7], []],
    ["several types", [1, "q"], ["TYPES_AS_TEXT"]],
    ["text", ["p", "q"], []],
  ])("keep ids from GeoJSON lines: %s", async (_, ids, codes) => {
    const made = await convert(ids.map(featureOf).join("\n"), "geojsonl", "geojson");
    expect([...made.notes.keys()]).toEqual(codes);
    expect(JSON.parse(await readFile(made.path, "utf8")).features.map(({ id }: { id: unknown }) => id)).toEqual(ids);
  });
});

it.each(["geojson", "geojsonl"])("keep texts that look like lists, or stand beside numbers and lists, in %s", async (from) => {
  const properties = [
    { like: "[1]", mixed: "2024-01-02" },
    { like: "{x}", mixed: 5 },
    { like: "(2:a,b)", mixed: [1] },
  ];
  const features = properties.map((each, at) =>
    JSON.stringify({ type: "Feature", properties: each, geometry: { type: "Point", coordinates: [at, 0] } }),
  );
  const source = from === "geojsonl" ? features.join("\n") : `{"type":"FeatureCollection","features":[${features.join(",")}]}`;
  const made = await convert(source, from, from === "geojson" ? "geojsonl" : "geojson");
  const text = await readFile(made.path, "utf8");
  const found =
    from === "geojson"
      ? text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : JSON.parse(text).features;
  expect(found.map((each: { properties: unknown }) => each.properties)).toEqual([
    { like: " [1]", mixed: "2024-01-02" },
    { like: "{x}", mixed: "5" },
    { like: "(2:a,b)", mixed: " [ 1 ]" },
  ]);
  expect([...made.notes.keys()].toSorted()).toEqual(["CHARACTERS_REPLACED", "TYPES_AS_TEXT"]);
});

it.each(["geojsonl", "gpkg"])("name those that differ only in capitals, of which one gets a number, in %s", async (to) => {
  const { notes } = await convert(map([{ name: "a", Name: "b" }, point(8, 47)]), "geojson", to);
  expect(notes.get("NAMES_CHANGED")).toBe("Names that differ only in capitals got a number: Name → Name2.");
});

it("lose leading spaces in KML, with a note", async () => {
  const made = await convert(map([{ text: " a" }, point(8, 47)]), "geojson", "kml");
  expect([...made.notes]).toEqual([["CHARACTERS_REPLACED", "Spaces around texts were left out: text."]]);
});

it.each(["fgb", "gpkg"])("ids of which some are numbers and some text become one property in %s, as text with a note", async (to) => {
  const source = map([{ n: 1 }, point(8, 47), { id: "a" }], [{ n: 2 }, point(8, 48), { id: 7 }]);
  const made = await convert(source, "geojson", to);
  expect(made.notes.get("TYPES_AS_TEXT")).toBe("Ids of features, of several types, became text.");
  const features = await read(made, to);
  expect(features.map(({ properties }: { properties: object }) => properties)).toEqual(
    expect.arrayContaining([
      { id: "a", n: 1 },
      { id: "7", n: 2 },
    ]),
  );
});
