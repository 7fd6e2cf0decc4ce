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
