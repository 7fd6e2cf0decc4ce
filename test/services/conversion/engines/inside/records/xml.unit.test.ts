import { XMLParser } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);

describe("XML", () => {
  it.each([
    ["references with leading zeros", "<a>&#00000252;&#x0000000041;</a>", { a: "üA" }, []],
    [
      "references to nothing",
      "<a>&#0;&#xD800;&#99999999999999999999;</a>",
      { a: "&#0;&#xD800;&#99999999999999999999;" },
      ["INPUT_DAMAGED"],
    ],
    ["names of pages", "<a>&nbsp;&constructor;<![CDATA[&nbsp;]]></a>", { a: "&nbsp;&constructor;&nbsp;" }, ["INPUT_DAMAGED"]],
    ["line ends of attributes", "<a b='1\r\n2\t3&#10;4\n5'/>", { a: { "@b": "1 2 3\n4 5" } }, []],
    ["elements of one name among others", "<a><b>1</b><c/><b>2</b></a>", { a: { b: ["1", "2"], c: "" } }, ["STRUCTURE_FLATTENED"]],
    [
      "names that objects have of their own",
      "<a><toString>1</toString><constructor constructor='x'/><__proto__>2</__proto__></a>",
      { a: { toString: "1", constructor: { "@constructor": "x" }, ["__proto__"]: "2" } },
      [],
    ],
    ["elements of one name side by side", "<a><c/><b>1</b><b>2</b></a>", { a: { b: ["1", "2"], c: "" } }, []],
  ])("gives %s", async (_name, text, wanted, codes) => {
    const made = await convert(text, "xml", "json");
    expect([JSON.parse(made.text), made.codes]).toEqual([wanted, codes]);
  });

  it("tells of both, groups and joined text", async () => {
    const { notes } = await convert("<a><b/>x<c/><b/><c/></a>", "xml", "json");
    expect(notes.get("STRUCTURE_FLATTENED")).toMatch(/^Elements .* first “b”.* Text between elements was joined/);
  });

  it.each([
    ['{"a":[],"b":1}', "<a/><b>1</b>", ["EMPTY_VALUES_DROPPED"]],
    ['{"a":0.00000000125,"b":-1.5e-7}', "<a>0.00000000125</a><b>-0.00000015</b>", []],
    ['{"\u2c00":1,"größe":2,"名":3}', "<_>1</_><größe>2</größe><名>3</名>", ["NAMES_CHANGED"]],
    ['{"a":null,"b":1}', "<a/><b>1</b>", ["EMPTY_VALUES_DROPPED"]],
    ['{"a":{},"b":1}', "<a/><b>1</b>", ["EMPTY_VALUES_DROPPED"]],
    ['{"a":[1],"b":[[2]]}', "<a>1</a><b><item>2</item></b>", ["STRUCTURE_FLATTENED"]],
    ['{"a":"","b":[1,2]}', "<a/><b>1</b><b>2</b>", []],
    ['{"db:a":1,"db_a":{"@x:y":2}}', '<db_a_2>1</db_a_2><db_a x_y="2"/>', ["NAMES_CHANGED"]],
    [
      '{"x:a":{"@xmlns:x":"urn:x","@xml:lang":"en","x:b":[1,2],"@x:c":3},"b":1}',
      '<x:a xmlns:x="urn:x" xml:lang="en" x:c="3"><x:b>1</x:b><x:b>2</x:b></x:a><b>1</b>',
      [],
    ],
  ])("made of %s says what it cannot tell apart", async (text, wanted, codes) => {
    const made = await convert(text, "json", "xml", { indent: 0 });
    expect([made.text.replace(/^.*<root>|<\/root>\s*$/g, ""), made.codes]).toEqual([wanted, codes]);
  });

  it.each(["ſ", "ŉ", "ǆ", "ﬀ", "ș", "゛", "\u{1d4b3}"])(
    "has no letter in names that older readers refuse, such as those of “%s”",
    async (name) => {
      const made = await convert(JSON.stringify({ [name]: 1, b: 2 }), "json", "xml", { indent: 0 });
      expect(made.text).toMatch(/<root><_>1</);
      expect(made.codes).toEqual(["NAMES_CHANGED"]);
      expect((await convert(JSON.stringify({ a: { [`@${name}`]: 1 } }), "json", "xml", { indent: 0 })).codes).toEqual(["NAMES_CHANGED"]);
    },
  );

  it("keeps tabs and line ends of attributes, which readers make blanks of", async () => {
    const made = await convert('{"a":{"@b":"1\\t2\\n3\\r4"}}', "json", "xml", { indent: 0 });
    expect(made.text).toContain('b="1&#9;2&#10;3&#13;4"');
    expect(new XMLParser({ ignoreAttributes: false, htmlEntities: true }).parse(made.text)).toMatchObject({ a: { "@_b": "1\t2\n3\r4" } });
  });
});
