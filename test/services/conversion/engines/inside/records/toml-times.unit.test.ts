import { expect, it } from "vitest";
import { jsonTextOf } from "#services/conversion/engines/inside/records/json.ts";
import { parseToml } from "#services/conversion/engines/inside/records/settings.ts";
import { simplify } from "#services/conversion/engines/inside/records/values.ts";

it("keeps every place of a time, and texts that look like one", () => {
  const text = `# 00:00:00.123456
a = 1979-05-27T00:32:00.999999-07:00 # "
b = [1979-05-27 00:32:00.1234567, 07:32:00.12345]
c = "07:32:00.123456 \\" 07:32:00.123456"
d = '07:32:00.123456'
e = """
07:32:00.123456 "quoted" it's
"""
f = { g = 1979-05-27t00:32:00.123456789z, h = 07:32:00.123 }
`;
  const value = simplify(parseToml(text, new Map()), { integers: "any" }, new Map());
  expect(JSON.parse(jsonTextOf(value, 0))).toEqual({
    a: "1979-05-27T00:32:00.999999-07:00",
    b: ["1979-05-27T00:32:00.1234567", "07:32:00.12345"],
    c: '07:32:00.123456 " 07:32:00.123456',
    d: "07:32:00.123456",
    e: '07:32:00.123456 "quoted" it\'s\n',
    f: { g: "1979-05-27T00:32:00.123456789Z", h: "07:32:00.123" },
  });
});

it.each(["2100-02-29", "1988-02-30T15:15:15Z", "2024-04-31 10:00:00"])("refuses the day that no calendar has: %s", (day) => {
  expect(() => parseToml(`a = ${day}\n`, new Map())).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
});

it("keeps leap days, and other days in texts", () => {
  const value = parseToml('a = 2024-02-29\nb = "2100-02-30"\n', new Map());
  expect(JSON.parse(jsonTextOf(simplify(value, { integers: "any" }, new Map()), 0))).toEqual({ a: "2024-02-29", b: "2100-02-30" });
});
