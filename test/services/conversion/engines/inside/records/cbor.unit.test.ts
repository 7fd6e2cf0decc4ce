import { decode } from "cbor2";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { parseCbor } from "#services/conversion/engines/inside/records/cbor.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);

describe("CBOR", () => {
  it.each([1000, 5000, 100_000])("that is nested %i deep is too complex, not damaged", (depth) => {
    const bytes = Buffer.concat([Buffer.alloc(depth, 0x81), Buffer.from([1])]);
    expect(() => parseCbor(bytes, new Map())).toThrow(expect.objectContaining({ code: "INPUT_TOO_COMPLEX" }));
  });

  it("that is nested less deep than the bound is read", () => {
    expect(() => parseCbor(Buffer.concat([Buffer.alloc(190, 0x81), Buffer.from([1])]), new Map())).not.toThrow();
  });

  it("that ends in the middle is damaged", () => {
    expect(() => parseCbor(Buffer.from([0x82, 1]), new Map())).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });
});

it("simple values of CBOR that nothing else has become text", async () => {
  const { text, codes } = await convert(Buffer.from("82f8ffe0", "hex"), "cbor", "json", { indent: 0 });
  expect([text.trim(), codes]).toEqual(['["simple(255)","simple(0)"]', ["TYPES_AS_TEXT"]]);
});

it.each(["82d81c8101d81d00", "d90100826461626364d81900"])("values that refer to others are refused: %s", async (hex) => {
  await expect(convert(Buffer.from(hex, "hex"), "cbor", "json")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
});

describe("tags of CBOR", () => {
  it("are each named if they have no equivalent", async () => {
    const { notes } = await convert(Buffer.from("83d81e820103d9126701d81e820203", "hex"), "cbor", "json");
    expect([...notes]).toEqual([
      [
        "METADATA_DROPPED",
        "Tag 30, which has no equivalent here, was removed from its value. Tag 4711, which has no equivalent here, was removed from its value.",
      ],
    ]);
  });

  it.each([
    ["a decimal fraction", "c48221193039", "123.45", []],
    ["one of many digits", "c48221c249010000000000000001", "184467440737095516.17", []],
    ["one beyond all doubles", "c4821a7fffffff01", "1e2147483647", []],
    ["a bigfloat", "c5822003", "1.5", []],
    ["an address", "d82076687474703a2f2f7777772e6578616d706c652e636f6d", '"http://www.example.com"', []],
    ["a pattern", "d82362612a", '"a*"', ["METADATA_DROPPED"]],
    ["a UUID", "d825508c8a8d48c00011eda8dc6b5cd3e4b2d1", '"8c8a8d48-c000-11ed-a8dc-6b5cd3e4b2d1"', ["TYPES_AS_TEXT"]],
    ["a day", "d903ec6a323032312d30332d3034", '"2021-03-04"', ["TYPES_AS_TEXT"]],
    ["a day by number", "d8641913b7", '"1983-10-27"', ["TYPES_AS_TEXT"]],
    [
      "a moment of microseconds",
      "c0781b323032312d30332d30345430353a30363a30372e3132333435365a",
      '"2021-03-04T05:06:07.123456Z"',
      ["TYPES_AS_TEXT"],
    ],
    ["numbers of two bytes", "d84144000100ff", "[1,255]", []],
    ["a set", "d9010283010203", "[1,2,3]", []],
    ["a rational that no decimal equals", "d81e820103", "[1,3]", ["METADATA_DROPPED"]],
    ["a rational that a decimal equals", "d81e82221828", "-0.075", []],
    ["a rational over zero", "d81e820100", "[1,0]", ["METADATA_DROPPED"]],
    ["a tag that nobody knows", "d903e86161", '"a"', ["METADATA_DROPPED"]],
    ["names of numbers", "a201020304", '{"1":2,"3":4}', ["NAMES_CHANGED"]],
    ["names that are lists and maps", "a2a16161010281011803", '{"{\\"a\\":1}":2,"[1]":3}', ["NAMES_CHANGED"]],
    ["a name that comes again", "a2616101616102", '{"a":1,"a_2":2}', ["NAMES_CHANGED"]],
  ])("say what they mean: %s", async (_name, hex, wanted, codes) => {
    const made = await convert(Buffer.from(hex, "hex"), "cbor", "json", { indent: 0 });
    expect([made.text.trim(), made.codes]).toEqual([wanted, codes]);
  });

  it("keep moments to the digit when they are written", async () => {
    const stamp = "2021-03-04T05:06:07.123456789Z";
    const packed = Buffer.concat([Buffer.from("c70cff075bcd15", "hex"), Buffer.from("0000000060406abf", "hex")]);
    const made = await convert(packed, "msgpack", "cbor");
    expect(made.codes).toEqual([]);
    expect(decode(made.bytes, { ignoreGlobalTags: true })).toMatchObject({ tag: 0, contents: stamp });
  });
});
