import type { SchemaElement } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, it } from "vitest";
import { compressors, parseParquet } from "#services/conversion/engines/inside/records/columns.ts";
import { parquetReaderOf } from "#services/conversion/engines/inside/records/parquet-types.ts";
import { valueFrom } from "#services/conversion/engines/inside/records/values.ts";

const leaf = (element: Omit<SchemaElement, "name">) => ({ element: { name: "key", ...element }, children: [] });
const mapBy = (element: Omit<SchemaElement, "name">) => ({
  element: { name: "m", converted_type: "MAP" } as const,
  children: [
    {
      element: { name: "key_value" },
      children: [leaf(element), { element: { name: "value", type: "INT32" as const }, children: [] }],
    },
  ],
});

it.each([
  ["days", { type: "INT32", converted_type: "DATE" }, 18262, "2020-01-01"],
  ["moments", { type: "INT64", converted_type: "TIMESTAMP_MICROS" }, 1577836800000001n, "2020-01-01T00:00:00.000001Z"],
  ["decimals", { type: "INT32", converted_type: "DECIMAL", scale: 2 }, 150, "1.5"],
  ["integers", { type: "INT64" }, -9223372036854775808n, "-9223372036854775808"],
  ["texts", { type: "BYTE_ARRAY", converted_type: "UTF8" }, "a", "a"],
  ["bytes", { type: "BYTE_ARRAY" }, Uint8Array.of(1, 2), "AQI="],
] as const)("keys of maps that are %s keep what they mean", (_what, element, stored, wanted) => {
  expect(valueFrom(parquetReaderOf(mapBy(element))({ key_value: [{ key: stored, value: 7 }] }))).toEqual(new Map([[wanted, 7]]));
});

it("a map keeps the values of a key that it has twice", async () => {
  const schema: SchemaElement[] = [
    { name: "root", num_children: 1 },
    { name: "m", repetition_type: "OPTIONAL", converted_type: "MAP", num_children: 1 },
    { name: "key_value", repetition_type: "REPEATED", num_children: 2 },
    { name: "key", type: "BYTE_ARRAY", repetition_type: "REQUIRED", converted_type: "UTF8" },
    { name: "value", type: "INT32", repetition_type: "OPTIONAL" },
  ];
  const pairs = [
    ["b", 1],
    ["2", 2],
    ["b", 3],
  ].map(([key, value]) => ({ key, value }));
  const bytes = parquetWriteBuffer({ schema, columnData: [{ name: "m", data: [pairs, null, []] }] });
  const notes = new Map<string, string>();
  const rows = await parseParquet(new Uint8Array(bytes), notes);
  const map = new Map([
    ["b", 1],
    ["2", 2],
    ["b_2", 3],
  ]);
  expect([...(rows as Map<string, unknown>[])].map((row) => row.get("m"))).toEqual([map, null, new Map()]);
  expect([...notes.keys()]).toEqual(["NAMES_CHANGED"]);
});

it.each([
  [{ id: { authority: "EPSG", code: 5070 } }, ["METADATA_DROPPED", "Coordinate systems were left out: shape (EPSG:5070)."]],
  [{ id: { authority: "OGC", code: "CRS84" } }, undefined],
  [undefined, undefined],
])("a coordinate system other than degrees is named: %j", async (crs, note) => {
  const point = Buffer.from("0101000000000000000000f03f0000000000000040", "hex");
  const geo = { version: "1.0.0", primary_column: "shape", columns: { shape: { encoding: "WKB", geometry_types: [], crs } } };
  const bytes = parquetWriteBuffer({
    columnData: [{ name: "shape", data: [Uint8Array.from(point)], type: "BYTE_ARRAY" }],
    kvMetadata: [{ key: "geo", value: JSON.stringify(geo) }],
  });
  const notes = new Map<string, string>();
  const [row] = (await parseParquet(new Uint8Array(bytes), notes)) as Map<string, unknown>[];
  expect(row?.get("shape")).toEqual(
    new Map<string, unknown>([
      ["type", "Point"],
      ["coordinates", [1, 2]],
    ]),
  );
  expect([...notes][0]).toEqual(note);
});

it("units of durations, of which columns hold only the number, are named", async () => {
  const described = { columns: [{ name: "d", field_name: "d", pandas_type: "timedelta", numpy_type: "timedelta64[ns]", metadata: null }] };
  const value = JSON.stringify(described).replaceAll('":', '": ').replaceAll(',"', ', "');
  const columnData = [{ name: "d", data: [1500n], type: "INT64" as const }];
  const notes = new Map<string, string>();
  await parseParquet(new Uint8Array(parquetWriteBuffer({ columnData, kvMetadata: [{ key: "pandas", value }] })), notes);
  expect([...notes]).toEqual([["METADATA_DROPPED", "Units of durations were left out: d (ns)."]]);
});

it("a compressed page of only empty values has no bytes", () => {
  expect(compressors.SNAPPY(new Uint8Array(), 0)).toHaveLength(0);
});

/** Replaces bytes of the stored values. */
async function rowsOf(type: "STRING" | "JSON", data: unknown[], was: string, is: string) {
  const bytes = parquetWriteBuffer({ columnData: [{ name: "c", data, type }], codec: "UNCOMPRESSED", statistics: false });
  const notes = new Map<string, string>();
  const rows = await parseParquet(Buffer.from(Buffer.from(bytes).toString("latin1").replace(was, is), "latin1"), notes);
  return { values: (rows as Map<string, unknown>[]).map((row) => row.get("c")), notes: [...notes] };
}

it("bytes that are not UTF-8 are replaced with a note that shows the text", async () => {
  const { values, notes } = await rowsOf("STRING", ["TRELx", "fine"], "TRELx", "TREL\xc3");
  expect(values).toEqual(["TREL\ufffd", "fine"]);
  expect(notes).toEqual([["CHARACTERS_REPLACED", "Bytes that are no characters in UTF-8 were replaced: TREL\ufffd."]]);
});

it.each([
  ['["12345678901234567890"]', "[ 12345678901234567890 ]", [12345678901234567890n]],
  ['["12345678901234567890"]', '["12345678901234567890  ', '["12345678901234567890  '],
])("JSON keeps its digits, and stays text where it is none: %s → %s", async (was, is, wanted) => {
  expect((await rowsOf("JSON", [["12345678901234567890"]], was, is)).values).toEqual([wanted]);
});

it("an encrypted file is not said to be damaged", async () => {
  await expect(parseParquet(Buffer.from("PARE\0\0\0\0PARE"), new Map())).rejects.toThrow("encrypted");
});

it.each(["", "PA", "PAR1"])("a file that ends after %j is said to be damaged", async (text) => {
  await expect(parseParquet(Buffer.from(text), new Map())).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

it("an empty list of a column that repeats, as older writers make lists, is not missing", () => {
  const repeated = leaf({ type: "INT32", repetition_type: "REPEATED" });
  expect([null, [1]].map(parquetReaderOf(repeated))).toEqual([[], [1]]);
  const group = parquetReaderOf({ element: { name: "group" }, children: [repeated] });
  expect([null, { key: null }].map(group)).toEqual([null, new Map([["key", []]])]);
});

it.each([
  ["variants, whose decimals and times the library changes", { logical_type: { type: "VARIANT" } as const }],
  ["a group without members, which takes the values of others", { num_children: 0 }],
])("%s, is refused", (_what, element) => {
  const columns = { element: { name: "group" }, children: [{ ...leaf({}), element: { name: "v", ...element } }] };
  expect(() => parquetReaderOf(columns)).toThrow(expect.objectContaining({ code: "CONVERSION_FAILED" }));
});

it("a column of which the writer states that it has no members, as DuckDB does, is read", () => {
  expect(parquetReaderOf(leaf({ type: "INT32", num_children: 0 }))(7)).toBe(7);
});

it("a byte order mark that is part of a text stays", async () => {
  expect((await rowsOf("STRING", ["\ufeff", "\ufeffa"], "", "")).values).toEqual(["\ufeff", "\ufeffa"]);
});
