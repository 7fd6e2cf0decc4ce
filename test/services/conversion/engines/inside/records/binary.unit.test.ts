import { decode } from "@msgpack/msgpack";
import { Binary, BSONRegExp, Code, DBRef, Decimal128, deserialize, MaxKey, MinKey, ObjectId, serialize, Timestamp, UUID } from "bson";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);

/** 2021-03-04T05:06:07.123456789Z */
const moment = Buffer.from("c70cff075bcd150000000060406abf", "hex");

describe("MessagePack", () => {
  it("holds integers of more than 32 bits as integers", async () => {
    const made = await convert(Buffer.from('{"ms":1709212345678,"below":-2147483649,"real":1.5}'), "json", "msgpack");
    // The bytes of a 64-bit integer and of a 64-bit floating-point number begin with D3 or CF and CB.
    expect(Buffer.from(made.bytes).toString("hex")).toBe(
      "83a26d73cf0000018df4fea54ea562656c6f77d3ffffffff7fffffffa47265616ccb3ff8000000000000",
    );
    expect(made.codes).toEqual([]);
  });

  it.each([
    ["moments to the nanosecond", moment, '"2021-03-04T05:06:07.123456789Z"', ["TYPES_AS_TEXT"]],
    ["names that are numbers", Buffer.from("8201a1610aa162", "hex"), '{"1":"a","10":"b"}', ["NAMES_CHANGED"]],
    ["a name that comes again", Buffer.from("82a16101a16102", "hex"), '{"a":1,"a_2":2}', ["NAMES_CHANGED"]],
    ["names in their order", Buffer.from("82a13902a13103", "hex"), '{"9":2,"1":3}', []],
    ["bytes in what is to be text", Buffer.from("81a16192a2fffea2c3a4", "hex"), '{"a":["//4=","ä"]}', ["TYPES_AS_TEXT"]],
    [
      "names that are lists of large numbers",
      Buffer.from("8191cf002000000000000101", "hex"),
      '{"[\\"9007199254740993\\"]":1}',
      ["NAMES_CHANGED"],
    ],
  ])("gives %s", async (_name, bytes, wanted, codes) => {
    const made = await convert(bytes, "msgpack", "json", { indent: 0 });
    expect([made.text.trim(), made.codes]).toEqual([wanted, codes]);
  });

  it("gets moments to the nanosecond, from before 1970 too", async () => {
    const text = "1969-12-31T23:59:59.999999999Z";
    const cbor = Buffer.concat([Buffer.from([0xc0, 0x78, text.length]), Buffer.from(text)]);
    const there = await convert(cbor, "cbor", "msgpack");
    expect(there.bytes.toString("hex")).toBe("c70cff3b9ac9ffffffffffffffffff");
    expect(decode(there.bytes)).toBeInstanceOf(Date);
  });

  it("with moments finer than BSON holds makes them text there", async () => {
    const made = await convert(Buffer.concat([Buffer.from("81a161", "hex"), moment]), "msgpack", "bson");
    expect([deserialize(made.bytes), made.codes]).toEqual([{ a: "2021-03-04T05:06:07.123456789Z" }, ["TYPES_AS_TEXT"]]);
  });
});

it("MessagePack with a name that its reader refuses is not called damaged", async () => {
  const named = convert(Buffer.from("81a95f5f70726f746f5f5f01", "hex"), "msgpack", "json");
  await expect(named).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
});

describe("BSON", () => {
  const id = "507f1f77bcf86cd799439011";
  it("keeps dates that no calendar reaches", async () => {
    const date = Buffer.from("10000000096400000000000000004000", "hex");
    const { text, codes } = await convert(date, "bson", "json");
    expect([JSON.parse(text), codes]).toEqual([{ d: "4611686018427387904e-3 seconds after 1970" }, ["TYPES_AS_TEXT"]]);
  });

  it.each([
    ["bson", "0800000006750000"],
    ["cbor", "a16175f7"],
  ])("and %s with undefined values say that these become null", async (from, hex) => {
    const made = await convert(Buffer.from(hex, "hex"), from, "json", { indent: 0 });
    expect([made.text.trim(), made.codes]).toEqual(['{"u":null}', ["METADATA_DROPPED"]]);
  });

  it("with two values of one name is not read as one of them", async () => {
    const twice = convert(Buffer.from("13000000106100010000001061000200000000", "hex"), "bson", "json");
    await expect(twice).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });

  it.each([
    [new ObjectId(id), id, ["TYPES_AS_TEXT"]],
    [new DBRef("c", new ObjectId(id)), { $ref: "c", $id: id }, ["TYPES_AS_TEXT"]],
    [new Timestamp({ t: 1, i: 2 }), "1.2", ["TYPES_AS_TEXT"]],
    [new BSONRegExp("a/b", "i"), "/a/b/i", ["TYPES_AS_TEXT"]],
    [new MinKey(), "MinKey", ["TYPES_AS_TEXT"]],
    [new MaxKey(), "MaxKey", ["TYPES_AS_TEXT"]],
    [new UUID("550e8400-e29b-41d4-a716-446655440000"), "550e8400-e29b-41d4-a716-446655440000", ["TYPES_AS_TEXT"]],
    [new Code("f()"), "f()", ["TYPES_AS_TEXT"]],
    [new Code("f()", { x: 1 }), "f()", ["METADATA_DROPPED", "TYPES_AS_TEXT"]],
    [new Binary(Buffer.from([1, 2]), 0x80), "AQI=", ["METADATA_DROPPED", "TYPES_AS_TEXT"]],
    [Decimal128.fromString("1.10"), 1.1, []],
  ])("gives %s as what it means, or says what became of it", async (value, wanted, codes) => {
    const made = await convert(serialize({ a: value }), "bson", "json");
    expect([JSON.parse(made.text), made.codes]).toEqual([{ a: wanted }, codes]);
  });
});
