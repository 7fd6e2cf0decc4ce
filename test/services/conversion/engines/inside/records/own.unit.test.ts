/** Text formats rewritten as themselves: values keep their spelling, character by character. */
import { describe, expect, it } from "vitest";
import type { Notes, Options } from "#services/conversion/engines/inside/exchange.ts";
import { rewriteData } from "#services/conversion/engines/inside/records/own.ts";

function rewritten(from: string, text: string | Buffer, options: Options = {}, notes: Notes = new Map()): string {
  return Buffer.from(rewriteData(Buffer.from(text), { work: "data", from, to: from, options }, notes)).toString("latin1");
}

describe("JSON", () => {
  const source = '\uFEFF{"b": 1.50, "a":[ ], "n":12345678901234567890.123, "e":1E+2, "u":"\\u00e9", "b":-0}';
  it("keeps digits, escapes and names that come again", () => {
    expect(rewritten("json", source, { indent: 0 })).toBe('{"b":1.50,"a":[],"n":12345678901234567890.123,"e":1E+2,"u":"\\u00e9","b":-0}\n');
    expect(rewritten("json", '{"a":[1,{"b":2}]}', { lineEnds: "crlf" })).toBe(
      '{\r\n  "a": [\r\n    1,\r\n    {\r\n      "b": 2\r\n    }\r\n  ]\r\n}\r\n',
    );
    expect(rewritten("json", source, { indent: 0, sortKeys: true })).toMatch(/^{"a":\[\],"b":1.50,"b":-0,"e"/);
    expect(rewritten("ndjson", '{"b":1.0, "a":2}\n\n[1 , 2]', { sortKeys: true })).toBe('{"a":2,"b":1.0}\n[1,2]\n');
  });
  it("is refused when it is not JSON, or too deep", () => {
    expect(() => rewritten("json", '{"a":1,}')).toThrow(/not JSON/);
    expect(() => rewritten("json", "[".repeat(100_000))).toThrow();
  });
});

it("YAML keeps its comments, anchors, documents and digits", () => {
  const source = "# top\nb: &x 1.50 # price\na:\n    - 12345678901234567890\n    - *x\nd: 0x1F\nw: 1e3\n---\nc: '007'\n";
  expect(rewritten("yaml", source)).toBe(
    "# top\nb: &x 1.50 # price\na:\n  - 12345678901234567890\n  - *x\nd: 0x1F\nw: 1e3\n---\nc: '007'\n",
  );
  expect(rewritten("yaml", "b: 1\na: 2\n", { sortKeys: true })).toBe("a: 2\nb: 1\n");
  // A quoted number with a tag was written as `!!int .nan`.
  expect(rewritten("yaml", 'a: !!int "0"\nb: !!float "5.0e-324"\nc: !!str 7\nd: !!int 0x1F\n')).toBe(
    'a: 0\nb: !!float "5.0e-324"\nc: !!str "7"\nd: 0x1F\n',
  );
  // So was an infinite one.
  expect(rewritten("yaml", "a: !!float -.inf\nb: !!float '.inf'\nc: !!float .nan\n")).toBe("a: -.inf\nb: .inf\nc: .nan\n");
});

describe("XML", () => {
  it("is indented between elements alone", () => {
    const source = `<?xml version="1.0" encoding="ISO-8859-1"?><!-- c --><a  x='1>2'><b>one <i>two</i></b><c> </c><d/></a>`;
    expect(rewritten("xml", source)).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>\n<!-- c -->\n<a  x='1>2'>\n  <b>one <i>two</i></b>\n  <c> </c>\n  <d/>\n</a>\n`,
    );
    expect(rewritten("xml", "<a>\n  <b>1</b>\n  <p xml:space='preserve'>\n  <q/></p></a>", { indent: 0 })).toBe(
      "<a><b>1</b><p xml:space='preserve'>\n  <q/></p></a>\n",
    );
  });
  it("is taken in linear time, whatever it holds", () => {
    for (const bad of ["<!--".repeat(50_000), `<a ${"'".repeat(99_999)}`, "<![CDATA[".repeat(30_000)])
      expect(() => rewritten("xml", bad)).toThrow();
  });
});

it("tables keep their cells, with other separators, line ends and letters", () => {
  const notes: Notes = new Map();
  const source = 'a;b\r\n"x;1";1,50\r\nÄ€漢;007\r\n';
  expect(
    rewritten("csv", source, { delimiter: "semicolon", outputDelimiter: "tab", lineEnds: "lf", outputEncoding: "windows-1252" }, notes),
  ).toBe("a\tb\nx;1\t1,50\n\xc4\x80?\t007\n");
  expect([...notes.keys()]).toEqual(["CHARACTERS_REPLACED"]);
});
