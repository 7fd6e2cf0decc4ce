import { expect, it } from "vitest";
import type { Notes } from "#services/conversion/engines/inside/exchange.ts";
import { jsonTextOf, parseJson, parseJsonLines } from "#services/conversion/engines/inside/records/json.ts";
import { parseJson5 } from "#services/conversion/engines/inside/records/json5.ts";

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
