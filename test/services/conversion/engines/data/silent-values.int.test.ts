/** Values that used to change silently. Each test is named after the finding. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const run = promisify(execFile);
const convert = converting(dataEngine);

const jsonOf = async (content: string | Buffer, from: string, options = {}) =>
  JSON.parse((await convert(content, from, "json", options)).text);

describe("settings", () => {
  it("keep what follows # and ; in an INI value", async () => {
    const text = "password=abc#123\ncolour=#ff0000\npath=C:\\new\\;x\n; a comment\n[s]\nk = v ; w\n";
    expect(await jsonOf(text, "ini")).toEqual({ password: "abc#123", colour: "#ff0000", path: "C:\\new\\;x", s: { k: "v ; w" } });
  });

  it("are written to INI as another program reads them", async () => {
    const settings = { s: { password: "abc#123", colour: "#ff0000", path: "C:\\new;y", plain: "x" } };
    const { path } = await convert(JSON.stringify(settings), "json", "ini");
    const script =
      "import configparser,json,sys;p=configparser.RawConfigParser();p.read(sys.argv[1]);print(json.dumps({s:dict(p[s]) for s in p.sections()}))";
    expect(JSON.parse((await run("/usr/bin/python3", ["-c", script, path])).stdout)).toEqual(settings);
  });

  it("of a property list keep integers beyond the precision of a double", async () => {
    const list = (body: string) => `<?xml version="1.0"?><plist version="1.0"><dict>${body}</dict></plist>`;
    const { text } = await convert(
      list("<key>a</key><integer>9007199254740993</integer><key>b</key><integer>-9223372036854775808</integer>"),
      "plist",
      "json",
    );
    expect(text).toMatch(/9007199254740993[^0-9]/);
    expect(text).toContain("-9223372036854775808");
  });
});

describe("texts", () => {
  it("that YAML 1.1 reads as booleans and numbers are quoted", async () => {
    const { text } = await convert("a,b,c\nNO,1:30,on\n", "csv", "yaml", { types: "text" });
    expect(text).toBe('- a: "NO"\n  b: "1:30"\n  c: "on"\n');
  });

  it("have character references decoded in XML, but not in CDATA", async () => {
    const text = '<r a="M&#252;ller &quot;&#x41;"><n>M&#252;ller &amp;#65;</n><c><![CDATA[a &amp; &#65;]]></c></r>';
    expect(await jsonOf(text, "xml")).toEqual({ r: { "@a": 'Müller "A', n: "Müller &#65;", c: "a &amp; &#65;" } });
  });

  it("between XML elements are joined with a note", async () => {
    const { notes, text } = await convert("<p>one <b>two</b> three</p>", "xml", "json");
    expect([JSON.parse(text), notes]).toEqual([{ p: { b: "two", "#text": "one  three" } }, ["STRUCTURE_FLATTENED"]]);
  });

  it("in a separator line for Excel are not taken for a header", async () => {
    expect(await jsonOf("sep=;\r\na;b\r\n1;2\r\n", "csv")).toEqual([{ a: 1, b: 2 }]);
  });
});

describe("names", () => {
  it("that contain dots do not overwrite nested values", async () => {
    const { text, notes } = await convert('[{"h":{"i":1},"h.i":9}]', "json", "csv");
    expect(text).toBe("h.i,h.i_2\r\n1,9\r\n");
    expect(notes).toContain("NAMES_CHANGED");
  });
});

describe("values from JSON and its binary relatives", () => {
  it("keep the number and bytes of MessagePack extensions", async () => {
    expect(await jsonOf(Buffer.from("82a161c70301010203a162c0", "hex"), "msgpack")).toEqual({ a: { type: 1, data: "AQID" }, b: null });
  });

  it.each(["cbor", "bson", "msgpack", "sqlite", "parquet", "avro", "csv", "tsv", "toml", "ini"])(
    "lose unpaired surrogates in %s with a note",
    async (to) => {
      const data = to === "toml" || to === "ini" ? '{"a":"x\\ud83d","n":1}' : '[{"a":"x\\ud83d","n":1}]';
      const made = await convert(data, "json", to);
      expect(made.notes).toContain("CHARACTERS_REPLACED");
      expect(made.text).toContain("x\ufffd");
    },
  );

  it("keep unpaired surrogates if the format can escape them", async () => {
    const made = await convert('[{"a":"x\\ud83d"}]', "json", "yaml");
    expect([made.text, made.notes]).toEqual(['- a: "x\\ud83d"\n', []]);
  });

  it("become text if a BSON decimal is NaN", async () => {
    const nan = Buffer.from("180000001361000000000000000000000000000000007c00", "hex");
    expect(await jsonOf(nan, "bson")).toEqual({ a: "NaN" });
  });
});

describe("columns", () => {
  const facts = {
    d38: "12345678901234567.89",
    d9: "-0.05",
    dt: '"1890-02-03"',
    tm: '"12:34:56.789012"',
    tns: '"2024-01-02T03:04:05.678901234"',
    tsz: '"2024-01-02T03:04:05.678901Z"',
    b: '"/wBhYg=="',
    ub: "18446744073709551615",
  };

  it("of Parquet keep every digit of decimals, times and large numbers", async () => {
    const { text } = await convert(await readFile("test/corpus/values/types.parquet"), "parquet", "json", { indent: 0 });
    for (const [name, value] of Object.entries(facts)) expect(text).toContain(`"${name}":${value}`);
    expect(text).toContain('"l":[1.1,2.2],"st":{"a":1.5,"t":"2020-01-01"},"m":{"k":3.3}');
  });

  it("of Parquet keep timestamps in Avro", async () => {
    const { path } = await convert(await readFile("test/corpus/values/types.parquet"), "parquet", "avro");
    expect((await jsonOf(await readFile(path), "avro"))[0]).toMatchObject({ tsz: "2024-01-02T03:04:05.678901Z" });
  });

  it("of Avro are read by their logical types", async () => {
    const [row] = await jsonOf(await readFile("test/corpus/values/logical.avro"), "avro");
    expect(row).toEqual({
      d: 4991.16,
      dt: "2021-03-28",
      tm: "12:34:56.789",
      ts: "2024-01-02T03:04:05.678901Z",
      lt: "2024-01-02T03:04:05.678",
      du: "P1M2DT1S",
      u: "550e8400-e29b-41d4-a716-446655440000",
      fd: [-0.123],
    });
  });
});

/** A workbook with one sheet of these rows, in XML. */
function bookOf(rows: string): Buffer {
  const sheet = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`;
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const members = {
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${relations}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    "xl/worksheets/sheet1.xml": sheet,
  };
  return zipFile(Object.entries(members).map(([name, text]) => ({ name, content: Buffer.from(text) })));
}

describe("the only column of a CSV", () => {
  it("keeps blank lines between values", async () => {
    expect(await jsonOf("name\nA\n\n\nB\n\n", "csv")).toEqual(["A", "", "", "B"].map((name) => ({ name })));
    expect(await jsonOf("n\r\n1\r\n\r\n2\r\n", "csv")).toEqual([1, null, 2].map((n) => ({ n })));
    expect((await convert("name\nA\n\nB\n", "csv", "tsv")).text).toBe('name\r\nA\r\n""\r\nB\r\n');
  });
});

describe("cells of an OpenDocument", () => {
  const names = ["office", "table", "text"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const sheetOf = (row: string) =>
    `<?xml version="1.0"?><office:document ${names} xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table table:name="S"><table:table-row>${row}</table:table-row></table:table></office:spreadsheet></office:body></office:document>`;
  const cell = (inner: string, name = "table-cell") => `<table:${name} office:value-type="string">${inner}</table:${name}>`;

  it.each([
    ["whitespace other than spaces", "<text:p>\u00a0a\u3000</text:p>", "\u00a0a\u3000"],
    ["what looks like an OOXML escape", "<text:p>_x0041_</text:p>", "_x0041_"],
    ["an empty first line", "<text:p/><text:p>a</text:p>", "\na"],
    ["an empty line between", "<text:p>a</text:p><text:p></text:p><text:p>b</text:p>", "a\n\nb"],
    ["spaces, tabs and line breaks", '<text:p> a  <text:s text:c="2"/>b<text:tab/>c<text:line-break/>d </text:p>', "a   b\tc\nd"],
    ["styled spans", '<text:p>a <text:span>"b" &amp; &gt;</text:span> c</text:p>', 'a "b" & > c'],
    ["text next to a comment", "<office:annotation><text:p>not this</text:p></office:annotation><text:p>this</text:p>", "this"],
  ])("keep %s", async (_, inner, text) => {
    expect(await jsonOf(sheetOf(cell(inner)), "fods", { header: false })).toEqual([{ column1: text }]);
  });

  it("keep values covered by a merged cell", async () => {
    const row = `${cell("<text:p>a</text:p>")}${cell("<text:p>b</text:p>", "covered-table-cell")}<table:covered-table-cell/>${cell("<text:p>c</text:p>")}`;
    expect(await jsonOf(sheetOf(row), "fods", { header: false })).toEqual([{ column1: "a", column2: "b", column3: null, column4: "c" }]);
  });
});

describe("workbooks", () => {
  const facts = {
    d: "2021-03-04",
    dt: "2021-03-04T05:06:07.891",
    t: "01:30:00",
    dur: "PT1H30M",
    long: "PT36H5M",
    pct: 0.5,
    err: "#N/A",
    f: 3,
    i: 9007199254740992,
    txt: "007",
    old: "1900-01-15",
  };

  it("keep dates, times, durations, errors and numbers of the first visible sheet", async () => {
    const book = await readFile("test/corpus/values/types.xlsx");
    expect((await jsonOf(book, "xlsx"))[0]).toEqual(facts);
    const { text, notes } = await convert(book, "xlsx", "csv");
    expect(text.split("\r\n", 2)[1]).toBe(Object.values(facts).join(","));
    expect(notes).toEqual(["SHEETS_LEFT_OUT"]);
  });

  it("keep times to the millisecond", async () => {
    const rows = await jsonOf(await readFile("test/corpus/values/types.xlsx"), "xlsx");
    const times = rows.slice(1).map(({ d }: { d: string }) => Date.parse(`${d}Z`));
    const wanted = times.map((_: number, index: number) => Date.UTC(2021, 0, 1) + (index + 3) * 12_345_678);
    expect(times.length).toBeGreaterThan(30);
    expect(times).toEqual(wanted);
  });

  it("with uncomputed formulas are rejected instead of becoming an empty table", async () => {
    const book = bookOf('<row r="1"><c r="A1"><f>1+1</f></c></row>');
    await expect(convert(book, "xlsx", "json")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });

  it("from CSV keep text that looks like a number, and long numbers", async () => {
    const { path } = await convert("a;b;c\n007;1.10;12345678901234567890\n", "csv", "xlsx");
    const { text } = await convert(await readFile(path), "xlsx", "csv");
    expect(text).toBe("a,b,c\r\n007,1.10,12345678901234567890\r\n");
  });

  it("keep CRLF line breaks that are escaped", async () => {
    const inline = (text: string, ref: string) => `<c r="${ref}" t="inlineStr"><is><t>${text}</t></is></c>`;
    const texts = ["1_x000D_\n2", "1&#13;&#10;2", "1_x000D_2", "1\r\n2", "1\n2"];
    const row = texts.map((text, place) => inline(text, `${"ABCDE".charAt(place)}1`)).join("");
    const [line] = await jsonOf(bookOf(`<row r="1">${row}</row>`), "xlsx", { header: false });
    expect(Object.values(line)).toEqual(["1\r\n2", "1\r\n2", "1\r2", "1\n2", "1\n2"]);
    const computed = bookOf('<row r="1"><c r="A1" t="str"><f>B1</f><v>1_x000D_\n2</v></c></row>');
    expect(await jsonOf(computed, "xlsx", { header: false })).toEqual([{ column1: "1\r\n2" }]);
  });

  it("from CSV get LF line breaks in cells, with a note", async () => {
    const { path, notes } = await convert('a,b\r\n"1\r\n2",x\r\n', "csv", "xlsx");
    expect(notes).toEqual(["CHARACTERS_REPLACED"]);
    expect(await jsonOf(await readFile(path), "xlsx")).toEqual([{ a: "1\n2", b: "x" }]);
  });

  it("note timestamps that lost their UTC mark, and values that became text", async () => {
    const made = await convert(await readFile("test/corpus/values/types.parquet"), "parquet", "xlsx");
    expect(made.messages.get("TYPES_AS_TEXT")).toMatch(/: d38, dt, tm and others\.$/);
    const there = await convert(Buffer.from("81a161d6ff5a4af6a5", "hex"), "msgpack", "xlsx");
    expect([there.notes, await jsonOf(await readFile(there.path), "xlsx")]).toEqual([["METADATA_DROPPED"], [{ a: "2018-01-02T03:04:05" }]]);
  });

  it("with one distant cell are rejected as too complex instead of filling memory", async () => {
    const rows = Array.from({ length: 1500 }, (_, row) => `<row r="${row + 1}"><c r="A${row + 1}"><v>1</v></c></row>`);
    const book = bookOf(`${rows.join("")}<row r="1501"><c r="XFD1501"><v>1</v></c></row>`);
    await expect(convert(book, "xlsx", "csv")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  });

  it("reject too many rows, naming a format that holds more, and too long cells", async () => {
    const long = `a\n${"1\n".repeat(70_000)}`;
    await expect(convert(long, "csv", "xls")).rejects.toMatchObject({
      code: "INPUT_TOO_COMPLEX",
      message: expect.stringContaining("xlsx"),
    });
    await expect(convert(`a\n${"x".repeat(40_000)}\n`, "csv", "xlsx")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  });
});
