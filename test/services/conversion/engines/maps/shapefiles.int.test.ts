/** Values of shapefiles that GDAL reads as something else, or not at all. */
import { zipSync } from "fflate";
import { expect, it } from "vitest";
import { dbaseOf } from "#test/services/conversion/engines/data/dbase-table.ts";
import { featuresOf, openMaps } from "./maps.ts";

const { convert } = openMaps();

/** @see ESRI Shapefile Technical Description: points on the equator. */
function shapesOf(count: number): { readonly shp: Buffer; readonly shx: Buffer } {
  const fileOf = (records: readonly Buffer[]) => {
    const header = Buffer.alloc(100);
    const body = Buffer.concat(records);
    header.writeInt32BE(9994);
    header.writeInt32BE((100 + body.length) / 2, 24);
    header.writeInt32LE(1000, 28);
    header.writeInt32LE(1, 32);
    header.writeDoubleLE(count, 52);
    return Buffer.concat([header, body]);
  };
  const recordOf = (size: number, first: number, second: number) => {
    const record = Buffer.alloc(size);
    record.writeInt32BE(first);
    record.writeInt32BE(second, 4);
    return record;
  };
  const points = Array.from({ length: count }, (_, at) => {
    const point = recordOf(28, at + 1, 10);
    point.writeInt32LE(1, 8);
    point.writeDoubleLE(at, 12);
    return point;
  });
  return { shp: fileOf(points), shx: fileOf(points.map((_, at) => recordOf(8, 50 + 14 * at, 10))) };
}

async function valuesOf(type: string, values: readonly string[]) {
  const width = Math.max(...values.map(({ length }) => length));
  const rows = values.map((value) => ` ${value.padStart(width)}`);
  const { shp, shx } = shapesOf(rows.length);
  const files = { "a.shp": shp, "a.shx": shx, "a.dbf": dbaseOf([{ name: "v", type, width }], rows) };
  const made = convert(Buffer.from(zipSync(files)), "shp", "geojson");
  const features = await featuresOf(made);
  return { values: features.map(({ properties }: { properties: { v: unknown } }) => properties.v ?? null), notes: [...(await made).notes] };
}

it.each([
  ["booleans", "L", ["T", "n", "?", " "], [true, false, null, null], []],
  ["large integers", "N", ["12345678901234567890", "7", "", "0"], ["12345678901234567890", "7", null, "0"], ["TYPES_AS_TEXT", /: v\.$/]],
  ["missing numbers", "N", ["***", "1.5", ""], [null, 1.5, null], []],
  ["texts for numbers", "N", ["abc", "7", ""], [null, 7, null], ["INPUT_DAMAGED", /: v in row 1\.$/]],
  ["missing days", "D", ["00000000", "20240102", ""], [null, "2024-01-02", null], []],
  ["days that do not exist", "D", ["20240102", "20241301"], ["2024-01-02", null], ["INPUT_DAMAGED", /: v in row 2\.$/]],
])("%s are kept or noted", async (_what, type, values, wanted, [code, words]: readonly (string | RegExp)[]) => {
  const made = await valuesOf(type, values);
  expect(made.values).toEqual(wanted);
  expect(made.notes).toEqual(code === undefined ? [] : [[code, expect.stringMatching(words ?? "")]]);
});

it.each([
  ["of a code page that .cpg calls ANSI 1250", "ANSI 1250", "Hn\xecvo\x9aick\xfd", "Hněvošický", []],
  [
    "in Cyrillic without a .cpg",
    undefined,
    "\xf3\xeb\xe8\xf6\xe0 \xcb\xe5\xed\xe8\xed\xe0",
    "улица Ленина",
    [["ENCODING_GUESSED", expect.stringMatching("windows-1251")]],
  ],
])("texts %s are read in it", async (_what, cpg, name, wanted, notes) => {
  const { shp, shx } = shapesOf(1);
  const table = dbaseOf([{ name: "v", type: "C", width: name.length }], [` ${name}`]);
  const stated = cpg === undefined ? {} : { "a.cpg": Buffer.from(`${cpg}\n`) };
  const made = convert(Buffer.from(zipSync({ "a.shp": shp, "a.shx": shx, "a.dbf": table, ...stated })), "shp", "geojson");
  expect((await featuresOf(made))[0].properties).toEqual({ v: wanted });
  expect([...(await made).notes]).toEqual(notes);
});

it("points whose index is missing are not called absent", async () => {
  const table = dbaseOf([{ name: "v", type: "C", width: 1 }], [" a"]);
  await expect(convert(Buffer.from(zipSync({ "a.shp": shapesOf(1).shp, "a.dbf": table })), "shp", "geojson")).rejects.toThrow(
    /lacks the \.shx file/,
  );
});
