/** Values of KML that GDAL reads wrongly or not at all. */
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { featuresOf, openMaps } from "./maps.ts";

const { convert } = openMaps();
const at = "<Point><coordinates>1,2</coordinates></Point>";
const kml = (body: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>${body}</Document></kml>`;
const placemark = (inside: string) => `<Placemark><name>Own</name>${inside}</Placemark>`;
const schema = '<Schema id="s" name="s"><SimpleField name="i" type="int"/></Schema>';
const data = (name: string, value: string) => `<Data name="${name}"><value>${value}</value></Data>`;
const extended = (...parts: readonly string[]) => `<ExtendedData>${parts.join("")}</ExtendedData>`;
const typed = (type: string, value: string) => schema.replace('"int"', `"${type}"`) + placemark(extended(integer(value)) + at);
const integer = (value: string) => `<SchemaData schemaUrl="#s"><SimpleData name="i">${value}</SimpleData></SchemaData>`;

describe("values of KML", () => {
  it.each([
    [
      "the name of a place beside another value called name",
      placemark(extended(data("name", "Other")) + at),
      { Name: "Own", name_2: "Other" },
      ["NAMES_CHANGED"],
    ],
    ["the name of a place repeated as a value", placemark(extended(data("name", "Own")) + at), { Name: "Own" }, []],
    ["integers of more than 32 bits", schema + placemark(extended(integer("12345678901")) + at), { i: "12345678901" }, ["TYPES_AS_TEXT"]],
    ["smaller integers", schema + placemark(extended(integer("-7")) + at), { i: -7 }, []],
    ["booleans, which became 0", typed("bool", "true"), { i: "true" }, ["TYPES_AS_TEXT"]],
    ["texts that are said to be numbers", typed("float", "1,5"), { i: "1,5" }, ["TYPES_AS_TEXT"]],
    ["fractions that are said to be integers", typed("short", "1.5"), { i: "1.5" }, ["TYPES_AS_TEXT"]],
    ["other numbers", typed("double", " -1.5e3 "), { i: -1500 }, []],
    [
      "values that GDAL writes without declaring them",
      schema + placemark(extended('<SchemaData schemaUrl="#s"><SimpleData name="d">2024/01/02</SimpleData></SchemaData>') + at),
      { d: "2024/01/02" },
      [],
    ],
    ["values that a schema does not declare", schema + placemark(extended(integer("5"), data("x", "007")) + at), { i: 5, x: "007" }, []],
    ["the id of a place", `<Placemark id="2012 Jan 15"><name>Own</name>${at}</Placemark>`, { Name: "Own", id: "2012 Jan 15" }, []],
    ["the id of a place with an empty list of values", `<Placemark id="a"><ExtendedData/>${at}</Placemark>`, { id: "a" }, []],
    ["the id of a place that has quotation marks", `<Placemark id='the "old" &amp; one'>${at}</Placemark>`, { id: 'the "old" & one' }, []],
    ["values of a schema that is missing", `<Placemark id="a">${extended(integer("5"))}${at}</Placemark>`, { id: "a", i: "5" }, []],
    [
      "the id of a place beside typed values",
      `${schema}<Placemark id="a">${extended(integer("5"), data("id", "x"))}${at}</Placemark>`,
      { i: 5, id: "x", id_2: "a" },
      [],
    ],
  ])("are kept: %s", async (_name, body, wanted, codes) => {
    const made = convert(kml(body), "kml", "geojson");
    const [{ properties }] = await featuresOf(made);
    expect(properties).toMatchObject(wanted);
    expect([...(await made).notes.keys()]).toEqual(codes);
  });

  it("keep the tracks of KML 2.3, which stand in no namespace of an extension", async () => {
    const track =
      "<MultiTrack><Track><when>2024-01-02T03:04:05Z</when><coord>1 2 3</coord><when>2024-01-02T03:05:05Z</when><coord>4 5 6</coord></Track></MultiTrack>";
    const [{ geometry }] = await featuresOf(convert(kml(placemark(track)), "kml", "geojson"));
    expect(geometry.coordinates.flat()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  it("keep all places of a file without a document, and of one with several", async () => {
    const rootOf = (body: string) => `<kml xmlns="http://www.opengis.net/kml/2.2">${body}</kml>`;
    const single = placemark(at);
    expect(await featuresOf(convert(rootOf(single + single), "kml", "geojson"))).toHaveLength(2);
    expect(await featuresOf(convert(rootOf(`<Folder>${single}</Folder>${single}`), "kml", "geojson"))).toHaveLength(2);
    expect(
      await featuresOf(convert(rootOf(`<Document>${single}</Document><Document>${single}</Document>`), "kml", "geojson")),
    ).toHaveLength(2);
  });

  it("keep a ring outside an area as a line, and an area as one", async () => {
    const ring = "<LinearRing><coordinates>0,0 1,0 1,1 0,0</coordinates></LinearRing>";
    const area = `<Polygon><outerBoundaryIs>\n ${ring}\n</outerBoundaryIs></Polygon>`;
    const features = await featuresOf(convert(kml(placemark(ring) + placemark(area)), "kml", "geojson"));
    expect(features.map(({ geometry }: { geometry: { type: string } }) => geometry.type)).toEqual(["LineString", "Polygon"]);
  });

  it.each([
    ["years", "<TimeStamp><when>2024</when></TimeStamp>", /2024/],
    ["days without a time", "<TimeSpan><begin>2024-05-06</begin></TimeSpan>", /2024-05-06/],
    ["pictures that cover an area", "<GroundOverlay><Icon/></GroundOverlay>", /their areas/],
    [
      "descriptions of folders",
      `</Placemark><Folder><description>All</description>${placemark(at)}</Folder><Placemark>`,
      /descriptions of folders/,
    ],
    ["addresses", "<address>Street 1</address>", /address/],
  ])("that a map cannot hold are noted: %s", async (_name, inside, words) => {
    expect((await convert(kml(placemark(inside + at)), "kml", "geojson")).notes.get("METADATA_DROPPED")).toMatch(words);
  });

  it("are read from every document of an archive, with their types", async () => {
    const linked = "<NetworkLink><Link><href>../files/b.kml</href></Link></NetworkLink>";
    const [first, other] = [schema + placemark(extended(integer("5")) + at) + linked, placemark(extended(data("x", "007")) + at)];
    const files = { "files/b.kml": Buffer.from(kml(other)), "doc.kml": Buffer.from(kml(first)), "empty.kml": Buffer.from(kml("")) };
    const made = convert(zipSync(files), "kmz", "geojson");
    expect(
      (await featuresOf(made)).map(({ properties }: { properties: { i: unknown; x: unknown } }) => [properties.i, properties.x]),
    ).toEqual([
      [5, null],
      [null, "007"],
    ]);
    expect([...(await made).notes]).toEqual([]);
    const outside = await convert(kml(placemark(at) + linked), "kml", "geojson");
    expect(outside.notes.get("EXTERNAL_CONTENT_BLOCKED")).toBe("Maps that the file links to were not fetched: files/b.kml.");
  });

  it("name the files that an archive holds beside the map", async () => {
    const files = { "doc.kml": Buffer.from(kml(placemark(at))), "files/": Buffer.alloc(0), "files/a.jpg": Buffer.from("x") };
    const { notes } = await convert(zipSync(files), "kmz", "geojson");
    expect(notes.get("METADATA_DROPPED")).toBe("Pictures and other files of the archive were left out: files/a.jpg.");
  });

  it("name snippets of groups, but not those of places, which arrive", async () => {
    const short = "<Snippet maxLines='2'>short</Snippet>";
    const kept = convert(kml(placemark(short + at)), "kml", "geojson");
    expect((await featuresOf(kept))[0].properties.snippet).toBe("short");
    expect([...(await kept).notes]).toEqual([]);
    const { notes } = await convert(kml(short + placemark(at)), "kml", "geojson");
    expect(notes.get("METADATA_DROPPED")).toBe("Left out of the map: Snippet.");
  });
});
