import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { parseYaml } from "#services/conversion/engines/inside/records/yaml.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);

describe("YAML that is nested too deep", () => {
  const depth = 20_000;

  it.each([
    ["keys that are mappings", "? ".repeat(depth)],
    ["lists in lists", "- ".repeat(depth)],
    ["indented mappings", Array.from({ length: 3000 }, (_, level) => `${" ".repeat(level)}a:\n`).join("")],
    ["brackets", "[".repeat(depth)],
  ])("was called damaged when the reader ran out of stack, and is too complex: %s", (_name, text) => {
    expect(() => parseYaml(text, new Map())).toThrow(expect.objectContaining({ code: "INPUT_TOO_COMPLEX" }));
  });

  it("is not what another error is called", () => {
    expect(() => parseYaml('a: "open', new Map())).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });
});

describe("YAML with an error", () => {
  it("is refused with the place of the first error", () => {
    expect(() => parseYaml('a: 1\nb: """"""', new Map())).toThrow(/at line 2, column 6$/);
    expect(() => parseYaml("a:\n  1: x\n  2: y\n  1: z\n", new Map())).toThrow(/must be unique at line 4, column 3$/);
  });
});

describe("values of YAML", () => {
  it.each([
    [
      "a moment with all its digits",
      "!!timestamp 2001-12-14 21:59:43.123456789 -5",
      '"2001-12-14T21:59:43.123456789-05:00"',
      ["TYPES_AS_TEXT"],
    ],
    ["a moment without a zone", "!!timestamp 2001-12-14 1:59:43", '"2001-12-14T01:59:43Z"', ["TYPES_AS_TEXT"]],
    ["a moment of half a zone", "!!timestamp 2001-12-14t23:59:43.10+05:30", '"2001-12-14T23:59:43.1+05:30"', ["TYPES_AS_TEXT"]],
    ["a day that no calendar has", "%YAML 1.1\n---\n2001-02-31\n", '"2001-02-31"', []],
    ["a day", "!!timestamp 2001-12-14", '"2001-12-14"', ["TYPES_AS_TEXT"]],
    ["a day of version 1.1", "%YAML 1.1\n---\n2001-12-14\n", '"2001-12-14"', ["TYPES_AS_TEXT"]],
    ["what only looks like a day", "2001-12-14", '"2001-12-14"', []],
    ["numbers that doubles do not hold", "[1e-400, 1.0000000000000000001, 1.]", "[1e-400,1.0000000000000000001,1]", []],
    ["floats without a point", "[!!float 3, !!float x]", '[3,"x"]', []],
    ["a tag of its own", "!custom 5", '"5"', ["METADATA_DROPPED"]],
    ["names that are lists", "? [1, {a: 2}]\n: x\n", '{"[\\"1\\",{\\"a\\":\\"2\\"}]":"x"}', ["NAMES_CHANGED"]],
    ["names that are the same as text", "1: a\n'1': b\n", '{"1":"a","1_2":"b"}', ["NAMES_CHANGED"]],
    ["numbers with leading zeros, of two versions", "[0644, 0o17, 08]", "[644,15,8]", ["DIALECT_GUESSED"]],
    ["octal numbers of version 1.1", "%YAML 1.1\n---\n0644\n", "420", []],
    ["nothing at all", "# only a comment\n", "null", []],
    ["a set", "!!set {a, b}", '["a","b"]', []],
    ["merged maps", "d: &d {x: 1, y: 1}\ne: {<<: *d, y: 2}\n", '{"d":{"x":1,"y":1},"e":{"x":1,"y":2}}', []],
  ])("are what they mean: %s", async (_name, text, wanted, codes) => {
    const made = await convert(text, "yaml", "json", { indent: 0 });
    expect([made.text.trim(), made.codes]).toEqual([wanted, codes]);
  });
});

it("JSON keeps numbers that look like integers to a double", async () => {
  const text = "[1e-400,1.0000000000000000001,12345678901234567890.5]";
  const { text: yaml } = await convert(text, "json", "yaml");
  expect(yaml).toBe("- 1.0e-400\n- 1.0000000000000000001\n- 12345678901234567890.5\n");
  expect((await convert(yaml, "yaml", "json", { indent: 0 })).text.trim()).toBe(text);
});

it("what is written is the same to readers of YAML 1.1, to whom 1e5 is text and U+0085 ends a line", async () => {
  const values = { z: "=", a: 1e-7, b: 1e21, c: -1.5e300, d: "1e5", e: "x\u0085y", f: "\u2028", "k\u2029": "a\u0085: b" };
  const { text } = await convert(JSON.stringify(values), "json", "yaml");
  expect(text).toBe('z: "="\na: 1.0e-7\nb: 1.0e+21\nc: -1.5e+300\nd: "1e5"\ne: "x\\Ny"\nf: "\\L"\n"k\\P": "a\\N: b"\n');
  expect(JSON.parse((await convert(text, "yaml", "json")).text)).toEqual(values);
});
