import type { SchemaElement } from "hyparquet";
import { expect, it } from "vitest";
import { parquetReaderOf } from "#services/conversion/engines/inside/records/parquet-types.ts";

const leaf = (element: Omit<SchemaElement, "name">) => ({ element: { name: "key", ...element }, children: [] });
const mapBy = (element: Omit<SchemaElement, "name">) => ({
  element: { name: "m", converted_type: "MAP" } as const,
  children: [{ element: { name: "key_value" }, children: [leaf(element), leaf({ type: "INT32" })] }],
});

it.each([
  ["days", { type: "INT32", converted_type: "DATE" }, "18262", "2020-01-01"],
  ["moments", { type: "INT64", converted_type: "TIMESTAMP_MICROS" }, "1577836800000001", "2020-01-01T00:00:00.000001Z"],
  ["decimals", { type: "INT32", converted_type: "DECIMAL", scale: 2 }, "150", "1.5"],
  ["integers", { type: "INT64" }, "-9223372036854775808", "-9223372036854775808"],
  ["texts", { type: "BYTE_ARRAY", converted_type: "UTF8" }, "a", "a"],
] as const)("keys of maps that are %s keep what they mean", (_what, element, stored, wanted) => {
  expect(parquetReaderOf(mapBy(element))({ [stored]: 7 })).toEqual(new Map([[wanted, 7]]));
});

it("keys of maps that are bytes are refused", () => {
  expect(() => parquetReaderOf(mapBy({ type: "BYTE_ARRAY" }))).toThrow(expect.objectContaining({ code: "CONVERSION_FAILED" }));
});
