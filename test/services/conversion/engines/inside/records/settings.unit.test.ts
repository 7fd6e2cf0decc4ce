import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);
async function seen(text: string, from: string) {
  const made = await convert(text, from, "json");
  return { value: JSON.parse(made.text), codes: made.codes };
}

describe("INI", () => {
  it.each([
    ["backslashes in quotation marks were escapes", 'path="C:\\temp\\new"\n', { path: "C:\\temp\\new" }],
    ["a comment behind a section hid it", "a.x=1\n[b] ; second\nx=2\n[c]# third\ny=3\n", { "a.x": "1", b: { x: "2" }, c: { y: "3" } }],
    ["of a name that comes again the last was kept", "a=1\na=2\n[s]\nk=1\n[s]\nk=2\n", { a: ["1", "2"], s: { k: ["1", "2"] } }],
    ["a colon was part of the name", "url: http://x=y\nC:\\dir=1\n", { url: "http://x=y", "C:\\dir": "1" }],
    ["null was nothing", "a=null\nb[]=1\n", { a: "null", b: ["1"] }],
    [
      "lines of one value became settings of their own",
      "[a]\nrequires =\n    requests>=2\n    flask ; web\ntext = one\n  two\n",
      { a: { requires: "requests>=2\nflask ; web", text: "one\ntwo" } },
    ],
    [
      "settings that stand further in than others were parts of a value",
      "[core]\n\tbare\n\teditor = vi\nx = 1\n  y = 2\n  [d]\n",
      { core: { bare: true, editor: "vi", x: "1", y: "2" }, d: {} },
    ],
    ["an empty name was left out", '="x"\n', { "": "x" }],
    ["quotation marks within were taken for the ends", 'a="b" and "c"\nd=\'e\'\n', { a: '"b" and "c"', d: "e" }],
  ])("is read as it stands: %s", async (_name, text, value) => {
    expect(await seen(text, "ini")).toEqual({ value, codes: [] });
  });

  it("keeps a section that has the name of a setting, numbered", async () => {
    expect(await seen("a=1\n[a]\nz=1\n", "ini")).toEqual({ value: { a: "1", a_2: { z: "1" } }, codes: ["NAMES_CHANGED"] });
  });

  it("brings texts back", async () => {
    const values = { a: " x ", b: '"q"', c: "'", d: "true;#", e: "", f: "it's \"", g: "C:\\new", l: ["1"], s: { "x y": "[1]" } };
    const there = await convert(JSON.stringify(values), "json", "ini");
    expect(there.codes).toEqual([]);
    expect(await seen(there.text, "ini")).toEqual({ value: values, codes: [] });
  });

  it.each([
    ['{"a":null}', "EMPTY_VALUES_DROPPED"],
    ['{"a":[],"b":1}', "EMPTY_VALUES_DROPPED"],
    ['{"a":"1\\n2"}', "CHARACTERS_REPLACED"],
    ['{"a":" it\'s \\""}', "CHARACTERS_REPLACED"],
    ['{"a=b":1}', "NAMES_CHANGED"],
    ['{"a:b":1}', "NAMES_CHANGED"],
    ['{"a":{"b":{"c":1}}}', "STRUCTURE_FLATTENED"],
  ])("that cannot say %s says so", async (text, code) => {
    expect((await convert(text, "json", "ini")).codes).toEqual([code]);
  });
});

describe("properties", () => {
  it("of one name leave the last, with a note", async () => {
    expect(await seen("a=1\nb=2\na=3\n", "properties")).toEqual({ value: { a: "3", b: "2" }, codes: ["ENTRIES_LEFT_OUT"] });
  });

  it("keep their order, and names that objects have of their own", async () => {
    const { text, codes } = await convert("2=a\n1=b\n__proto__=c\nd\n", "properties", "json", { indent: 0 });
    expect([text.trim(), codes]).toEqual(['{"2":"a","1":"b","__proto__":"c","d":""}', []]);
  });

  it.each([
    ['{"a":{"b":1},"a.b":2}', "a.b=1\na.b_2=2\n", ["NAMES_CHANGED", "STRUCTURE_FLATTENED"]],
    ['{"a":null}', "a=\n", ["EMPTY_VALUES_DROPPED"]],
    ['{"a":[],"b":1}', "b=1\n", ["EMPTY_VALUES_DROPPED", "STRUCTURE_FLATTENED"]],
  ])("made of %s lose nothing in silence", async (text, wanted, codes) => {
    const made = await convert(text, "json", "properties");
    expect([made.text, made.codes]).toEqual([wanted, codes]);
  });
});

describe("numbers that a reader rounds are noted", () => {
  it.each([
    ["toml", "a = 0.12345678901234567891\n", "0.12345678901234567891"],
    ["toml", "a = 1e400\n", "1e400"],
  ])("in %s: %j", async (from, text, shown) => {
    const { notes } = await convert(text, from, "yaml");
    expect(notes.get("NUMBERS_ROUNDED")).toContain(shown);
  });

  it("and others are not", async () => {
    const text = 'a = 0.1\nb = 1_000.5\nc = 1.50\nd = 07:32:00.999000\ne = 9223372036854775807\nf = "x"\n';
    expect((await convert(text, "toml", "json")).notes.has("NUMBERS_ROUNDED")).toBe(false);
  });
});
