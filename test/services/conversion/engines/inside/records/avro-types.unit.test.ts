import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);

/** Avro's integer encoding: zigzag, seven bits per byte. */
function integer(value: number): Buffer {
  const bytes: number[] = [];
  let left = value < 0 ? -value * 2 - 1 : value * 2;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
}
const bytesOf = (bytes: Buffer) => Buffer.concat([integer(bytes.length), bytes]);
const text = (value: string) => bytesOf(Buffer.from(value));

/** A file with one record, built from scratch, because the library refuses to write some of these. */
function file(schema: unknown, data: Buffer, codec = "null"): Buffer {
  const sync = Buffer.alloc(16, 7);
  const head = [text("avro.schema"), text(JSON.stringify(schema)), text("avro.codec"), text(codec)];
  return Buffer.concat([Buffer.from("Obj\x01", "latin1"), integer(2), ...head, integer(0), sync, integer(1), bytesOf(data), sync]);
}
const fileOf = (type: unknown, data: Buffer, more = {}) =>
  file({ type: "record", name: "R", fields: [{ name: "a", type, ...more }] }, data);

const double = Buffer.alloc(8);
double.writeDoubleLE(1.5);
const hundredths = { logicalType: "decimal", precision: 4, scale: 2 };
const longest = Buffer.from("feffffffffffffffff01", "hex");

describe("types of Avro", () => {
  it.each([
    ["a date of text", { type: "string", logicalType: "date" }, text("2021"), "2021"],
    ["a decimal of doubles", { type: "double", ...hundredths }, double, 1.5],
    ["a moment of text", { type: "string", logicalType: "timestamp-millis" }, text("x"), "x"],
    ["a moment of too few bits", { type: "int", logicalType: "timestamp-millis" }, integer(5), 5],
    ["a decimal without digits", { type: "bytes", logicalType: "decimal" }, bytesOf(Buffer.from([1, 2])), "AQI="],
    ["a decimal of more places than digits", { type: "bytes", ...hundredths, scale: 5 }, bytesOf(Buffer.from([1, 2])), "AQI="],
    ["a duration of four bytes", { type: "fixed", name: "F", size: 4, logicalType: "duration" }, Buffer.from([1, 2, 3, 4]), "AQIDBA=="],
    ["one in a union", ["null", { type: "string", logicalType: "date" }], Buffer.concat([integer(1), text("q")]), "q"],
  ])("that do not fit what they stand on are left aside: %s", async (_name, type, data, wanted) => {
    expect(JSON.parse((await convert(fileOf(type, data), "avro", "json")).text)).toEqual([{ a: wanted }]);
  });

  it.each([
    ["a decimal", { type: "bytes", ...hundredths }, bytesOf(Buffer.from([1, 2])), "2.58"],
    ["a date", { type: "int", logicalType: "date" }, integer(18714), '"2021-03-28"'],
    ["a time before midnight", { type: "int", logicalType: "time-millis" }, integer(-5), '"-5e-3 seconds"'],
    [
      "a UUID",
      { type: "fixed", name: "U", size: 16, logicalType: "uuid" },
      Buffer.alloc(16, 0xab),
      '"abababab-abab-abab-abab-abababababab"',
    ],
    ["a long", { type: "long" }, longest, "9223372036854775807"],
    ["a long of a sort that nobody knows", { type: "long", logicalType: "own" }, longest, "9223372036854775807"],
    ["one of several numbers", ["null", "float", "double"], Buffer.concat([integer(2), double]), "1.5"],
  ])("keep what they mean: %s", async (_name, type, data, wanted) => {
    expect((await convert(fileOf(type, data), "avro", "json", { indent: 0 })).text.trim()).toBe(`[{"a":${wanted}}]`);
  });

  it("with a default that does not fit are read, for none is needed", async () => {
    expect((await convert(fileOf("int", integer(1), { default: "x" }), "avro", "json", { indent: 0 })).text.trim()).toBe('[{"a":1}]');
  });

  it.each([
    // A literal, after the length of all data; then a checksum that nobody needs.
    ["snappy", Buffer.concat([Buffer.from([6, 5 << 2, 10]), Buffer.from("hello"), Buffer.alloc(4)])],
    ["zstandard", zstdCompressSync(text("hello"))],
  ])("are read where %s compressed them", async (codec, data) => {
    const schema = { type: "record", name: "R", fields: [{ name: "a", type: "string" }] };
    expect((await convert(file(schema, data, codec), "avro", "json", { indent: 0 })).text.trim()).toBe('[{"a":"hello"}]');
    await expect(convert(file(schema, data.subarray(0, 4), codec), "avro", "json")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(convert(file(schema, data, "bzip2"), "avro", "json")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });

  it("name the columns of a table without rows", async () => {
    const empty = fileOf("int", Buffer.alloc(0));
    empty[empty.length - 18] = 0;
    expect((await convert(empty, "avro", "csv")).text).toBe("a\r\n");
    expect((await convert(empty, "avro", "json")).codes).toEqual(["EMPTY_VALUES_DROPPED"]);
  });

  it("hold a table without rows, which was nothing that could be converted", async () => {
    const { bytes } = await convert("a,b\n", "csv", "avro");
    expect((await convert(bytes, "avro", "csv")).text).toBe("a,b\r\n");
  });

  it("that the library refuses are not called damaged", async () => {
    const schema = { type: "record", name: "R", fields: [{ name: "v-1", type: "int" }] };
    await expect(convert(file(schema, integer(1)), "avro", "json")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
    await expect(convert(fileOf("string", integer(9)), "avro", "json")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});
