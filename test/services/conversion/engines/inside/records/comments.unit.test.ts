import { expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);

it.each([
  ["yaml", "a: '# no'\nb: # yes\n  c: 1\n", "yes"],
  ["yaml", "# yes\n\na: 1\n", "yes"],
  ["yaml", "a: 1#no\nb: '# no'\nc: |\n  # no\n", undefined],
  ["json5", "{a: 'it\\'s // no', /* yes */ b: 1}", "/* yes */"],
  ["json5", `{"a": "http://no", b: '"/*'}`, undefined],
  ["toml", 'a = """x\n# no \\""""\nb = 1 # yes\n', "# yes"],
  ["toml", `a = '# no'\nb = "\\"# no"\nc = '''\n# no'''\n`, undefined],
  // A long string that ends with a quotation mark of its own; the scanner once went on from it, and never ended.
  ["toml", `a = """x""""\nb = 'c\\'`, undefined],
  ["toml", `a = '''x''''\nb = 1 # yes`, "# yes"],
  ["xml", "<?xml version='1.0'?><a><![CDATA[<!-- no -->]]><!-- yes --></a>", "<!-- yes -->"],
  ["xml", "<?xml version='1.0'?><a>&lt;!-- no --></a>", undefined],
  ["ini", "; yes\n[a]\nb=1 ; no\n", "; yes"],
  ["properties", "a=1\\\n  # no\n! yes\n", "! yes"],
])("notes the first comment of %s: %s", async (from, text, comment) => {
  const { notes } = await convert(text, from, "json");
  expect(notes.get("METADATA_DROPPED")).toBe(comment === undefined ? undefined : `Comments were left out, first “${comment}”.`);
});
