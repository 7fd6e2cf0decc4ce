import { expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import type { Notes } from "#services/conversion/engines/inside/exchange.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { jsonTextOf, parseJson, parseJsonLines } from "#services/conversion/engines/inside/records/json.ts";
import { parseJson5 } from "#services/conversion/engines/inside/records/json5.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

it.each([
  ["JSON", '{"a":1,"b":{"x":1,"x":[2],"x_2":3,"x":4},"a":"2"}', '{"a":1,"b":{"x":1,"x_2":[2],"x_2_2":3,"x_3":4},"a_2":"2"}', parseJson],
  ["JSON lines", '\ufeff{"a":1,"a":2}\n\n{"a":3}\n', '[{"a":1,"a_2":2},{"a":3}]', parseJsonLines],
  [
    "JSON5",
    "{a: 1, b: {x: [], 'x': [2], \\u0078: 3}, // a: 5\n\"a\": '2'}",
    '{"a":1,"b":{"x":[],"x_2":[2],"x_3":3},"a_2":"2"}',
    parseJson5,
  ],
])("keeps values of one name in %s, and names them", (_what, text, wanted, parse) => {
  const notes: Notes = new Map();
  expect(jsonTextOf(parse(text, notes), 0)).toBe(wanted);
  expect(notes.get("NAMES_CHANGED")).toMatch(/^Repeated names were numbered: [ax]/);
});

it.each([
  ["on lines of their own", parseJson, '{"a":1}\n{"a":"}"}\n', '[{"a":1},{"a":"}"}]', true],
  ["on one line", parseJsonLines, '{"a":1}{"a":"\\"{"} [2]', '[{"a":1},{"a":"\\"{"},[2]]', true],
  ["over several lines", parseJsonLines, '{\n"a":1\n}\n', '[{"a":1}]', false],
])("values one after another are a list: %s", (_where, parse, text, wanted, isNoted) => {
  const notes: Notes = new Map();
  expect(jsonTextOf(parse(text, notes), 0)).toBe(wanted);
  expect(notes.has("DIALECT_GUESSED")).toBe(isNoted);
});

it.each([
  [parseJson, '{"a":1} 2', "The file is not JSON: end of file expected in line 1."],
  [parseJson, '{"a":1', "The file is not JSON: close brace expected in line 1."],
  [parseJson, '\n\n{"a":1,}', "The file is not JSON: property name expected in line 3."],
  [parseJsonLines, '{"a":1}\n{"a":', "Line 2 is not JSON."],
  [parseJsonLines, '{"a":1}\n{"a":2}\n{"a":3,}\n', "Line 3 is not JSON."],
])("what is not JSON is told in words: %s %j", (parse, text, message) => {
  expect(() => parse(text, new Map())).toThrow(message);
});

it("says nothing where each name stands once", () => {
  const notes: Notes = new Map();
  parseJson('{"a":{"a":1},"b":[{"a":1},{"a":2}]}', notes);
  expect([...notes]).toEqual([]);
});

it("takes a great many values of one name", () => {
  const text = `{${Array.from({ length: 50_000 }, () => '"a":1').join(",")}}`;
  const value = parseJson(text, new Map());
  expect(value instanceof Map && value.size).toBe(50_000);
});

it("tells of every kind of change under one code, and of the first place of each", async () => {
  const { notes } = await converterOf(dataEngine, convertData)('[{"a":1,"a":2,"c":{"d":3},"c.d":4,"e":[5]}]', "json", "avro");
  expect(notes.get("NAMES_CHANGED")).toMatch(/^Repeated names .*: a\. Two values .* c\.d; .* does not allow were changed: c\.d, c\.d_2\.$/);
  expect(notes.get("STRUCTURE_FLATTENED")).toBe("Nested values became columns, first “c”. Lists within rows became text, first “e”.");
});

it("replaces the character NUL in a CSV, with a note that names the column", async () => {
  const { text, notes } = await converterOf(dataEngine, convertData)('[{"a":"x\\u0000y","b":1,"c\\u0000":2}]', "json", "csv");
  expect(text).toBe("a,b,c\ufffd\r\nx\ufffdy,1,2\r\n");
  expect([...notes]).toEqual([["CHARACTERS_REPLACED", "The character NUL was replaced: c\ufffd, a."]]);
});
