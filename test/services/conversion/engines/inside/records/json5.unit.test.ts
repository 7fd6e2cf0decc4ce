import JSON5 from "json5";
import { describe, expect, it } from "vitest";
import { parseJson5 } from "#services/conversion/engines/inside/records/json5.ts";
import { Exact, plainOf } from "#services/conversion/engines/inside/records/values.ts";

const read = (text: string) => plainOf(parseJson5(text, new Map()));

describe("JSON5", () => {
  it.each([
    "{a: 1, $b_1: [1, 'two', \"th'ree\", null, true,], ü: {}, null: 2, Infinity: 3,}",
    "\ufeff// one\u2028/* two *//**/[.5, 5., +1.50, -0, 0x1F, -0xa, 1e3, +Infinity, -Infinity, NaN]// end",
    "{'it\\'s': 'a\\\nb\\x41\\u00e9\\0 // \\\\', \\u0061b\u00a0:\u00a0'/* } */'}",
    "{__proto__: {constructor: 1}}",
    "'alone'",
    " -.5 /**/",
  ])("is read as by the library: %s", (text) => {
    expect(read(text)).toEqual(JSON5.parse(text));
  });

  it("keeps the digits that the library rounds away", () => {
    const value = parseJson5("[+0.12345678901234567890, .12345678901234567890, -9223372036854775809, 0xFFFFFFFFFFFFFFFF]", new Map());
    const exact = new Exact("0.12345678901234567890");
    expect(value).toEqual([exact, exact, -9223372036854775809n, 18446744073709551615n]);
  });

  it.each(["{a: 1", "{a: 1} b", "[1,,2]", "{a-b: 1}", ""])("is refused where it is not valid: %s", (text) => {
    expect(() => read(text)).toThrow(/not JSON5/);
  });

  it("of megabytes is read", () => {
    const text = `{a: '${"x".repeat(4e6)}', b: [${"1,".repeat(3e5)}]}`;
    expect(read(text)).toMatchObject({ a: "x".repeat(4e6) });
  });
});
