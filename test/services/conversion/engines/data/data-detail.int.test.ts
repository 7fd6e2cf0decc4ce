import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const run = promisify(execFile);
const convert = converting(dataEngine);

const textOf = async (...given: Parameters<typeof convert>) => (await convert(...given)).text.trim();

describe("exactness", () => {
  it("round-trips JSON through every lossless format, digit for digit", async () => {
    const hard =
      '{"z":1,"10":[],"2":{},"__proto__":{"x":null},"constructor":"","big":12345678901234567890,"tiny":0.12345678901234567891,"exp":1e400,' +
      '"text":"\\u0001 é 日本 😀 \\"\\\\ \\n yes no 007 1.50 0x1F ~ null 2020-01-01","list":[[],[[1]],true,false,null,-0.5]}';
    const wanted = await textOf(hard, "json", "json5", { indent: 0 });
    for (const to of ["yaml", "json5", "ndjson"]) {
      const there = await convert(hard, "json", to);
      expect(there.notes).toEqual([]);
      if (to === "json5") continue;
      const back = await convert(there.text, to, "json", { indent: 0 });
      expect(back.text.trim(), to).toBe(to === "ndjson" ? `[${wanted}]` : wanted);
    }
    expect(JSON.parse(wanted)).toEqual(JSON.parse(hard));
    expect(wanted).toContain("12345678901234567890");
    expect(wanted).toContain("0.12345678901234567891");
    expect(wanted.indexOf('"z"')).toBeLessThan(wanted.indexOf('"10"'));
  });

  it.each(["msgpack", "cbor", "bson", "yaml"])("round-trips numbers, strings and nesting through %s", async (format) => {
    const text = '{"a":[1,-1,2147483648,9007199254740991,9007199254740993,1.5,"é😀",true,null,{"b":[]}],"c":""}';
    const there = await convert(text, "json", format);
    expect(await textOf(await readFile(there.path), format, "json", { indent: 0 })).toBe(text);
  });

  it("round-trips rows through typed tables", async () => {
    const rows = '[{"id":9007199254740993,"ratio":0.1,"ok":true,"name":"Ü"},{"id":2,"ratio":-2.5,"ok":false,"name":null}]';
    for (const format of ["parquet", "avro"]) {
      const there = await convert(rows, "json", format);
      expect(await textOf(await readFile(there.path), format, "json", { indent: 0 }), format).toBe(rows);
    }
    const base = await convert(rows, "json", "sqlite", { table: "my table" });
    const query = "import sqlite3,sys;print(sqlite3.connect(sys.argv[1]).execute('SELECT * FROM \"my table\"').fetchall())";
    const { stdout } = await run("/usr/bin/python3", ["-c", query, base.path]);
    expect(stdout.trim()).toBe("[(9007199254740993, 0.1, 1, 'Ü'), (2, -2.5, 0, None)]");
  });

  it("rounds or rewrites values that a format does not support, with a note", async () => {
    const rounded = await convert("[0.12345678901234567891]", "json", "cbor");
    expect(rounded.notes).toEqual(["NUMBERS_ROUNDED"]);
    expect((await convert('{"n":12345678901234567890123}', "json", "bson")).notes).toEqual(["TYPES_AS_TEXT"]);
    const dates = await convert("day = 2020-01-02\nat = 2020-01-02T03:04:05Z\n", "toml", "json", { indent: 0 });
    expect(dates.text.trim()).toBe('{"day":"2020-01-02","at":"2020-01-02T03:04:05Z"}');
    expect(dates.notes).toEqual(["TYPES_AS_TEXT"]);
    expect((await convert('{"a":null,"b":1}', "json", "toml")).notes).toEqual(["EMPTY_VALUES_DROPPED"]);
    await expect(convert('{"a":[null]}', "json", "toml")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
    await expect(convert("[1]", "json", "bson")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
    await expect(convert('{"a":[{"b":1}]}', "json", "ini")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });
});

describe("tables", () => {
  it("writes an empty document as TOML, and rejects it for INI and properties", async () => {
    const toml = await convert("{}", "json", "toml");
    expect(await readFile(toml.path, "utf8")).toBe("# empty\n");
    expect(JSON.parse(await readFile((await convert("# empty\n", "toml", "json")).path, "utf8"))).toEqual({});
    await expect(convert("{}", "json", "ini")).rejects.toMatchObject({ message: "The data has no settings." });
    await expect(convert("{}", "json", "properties")).rejects.toMatchObject({ message: "The data has no properties." });
  });

  it("converts a column to numbers only if it contains nothing else", async () => {
    const csv = 'zip,price,count,flag,mixed,formula\n01234,1.50,1,true,1,=1+2\n98765,2.25,-7,false,x,"=HYPERLINK(""http://x"")"\n';
    expect(JSON.parse(await textOf(csv, "csv", "json"))).toEqual([
      { zip: "01234", price: "1.50", count: 1, flag: true, mixed: "1", formula: "=1+2" },
      { zip: "98765", price: "2.25", count: -7, flag: false, mixed: "x", formula: '=HYPERLINK("http://x")' },
    ]);
    expect(JSON.parse(await textOf(csv, "csv", "json", { types: "text" }))[0]).toMatchObject({ count: "1", flag: "true" });
    expect(await textOf(await textOf(csv, "csv", "json"), "json", "csv")).toBe(csv.trim().replaceAll("\n", "\r\n"));
    const book = await convert(await textOf(csv, "csv", "json"), "json", "xlsx");
    const { stdout } = await run("unzip", ["-p", book.path, "xl/worksheets/sheet1.xml"]);
    expect(stdout).not.toContain("<f");
  });

  it("flattens nested values, and unwraps a single list", async () => {
    const nested = await convert('{"shop":{"orders":[{"id":1,"to":{"name":"Ä"},"tags":["a","b"]},{"id":2,"extra":true}]}}', "json", "csv");
    expect(nested.text).toBe('id,to.name,tags,extra\r\n1,Ä,"[""a"",""b""]",\r\n2,,,true\r\n');
    expect(nested.notes).toEqual(["STRUCTURE_FLATTENED"]);
    expect(await textOf('<r><row a="1"><b>x</b></row><row a="2"><b>y</b></row></r>', "xml", "csv")).toBe("@a,b\r\n1,x\r\n2,y");
  });

  it("applies its options", async () => {
    expect(await textOf("a;b\n1;2\n", "csv", "tsv", { delimiter: "semicolon" })).toBe("a\tb\r\n1\t2");
    expect(await textOf("a,b\n1,2\n", "csv", "json", { header: false, indent: 0 })).toBe(
      '[{"column1":"a","column2":"b"},{"column1":"1","column2":"2"}]',
    );
    expect(await textOf('[{"a":1,"b":2}]', "json", "csv", { header: false, outputDelimiter: "semicolon" })).toBe("1;2");
    expect((await readFile((await convert('[{"a":1}]', "json", "csv", { bom: true })).path)).subarray(0, 3).toString("hex")).toBe("efbbbf");
    expect(await textOf('{"a":["é"]}', "json5", "json", { indent: 4, charset: "ascii" })).toBe(
      '{\n    "a": [\n        "\\u00e9"\n    ]\n}',
    );
    expect(await textOf("[1,2]", "json", "xml", { root: "numbers", item: "n", indent: 0 })).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><numbers><n>1</n><n>2</n></numbers>',
    );
    expect(await textOf('{"a":{"b":1}}', "json", "yaml", { indent: 4 })).toBe("a:\n    b: 1");
    expect((await convert('{"a":1}', "json", "plist", { form: "binary" })).text.startsWith("bplist00")).toBe(true);
    const long = JSON.stringify(Array.from({ length: 300 }, (_, at) => ({ word: `${"the same again ".repeat(9)}${at}` })));
    const [packed, plain] = await Promise.all([
      convert(long, "json", "parquet"),
      convert(long, "json", "parquet", { compression: "none" }),
    ]);
    expect((await readFile(packed.path)).length).toBeLessThan((await readFile(plain.path)).length);
    const base = await convert('[{"a":1}]', "json", "sqlite", { table: "one" });
    await run("/usr/bin/python3", [
      "-c",
      "import sqlite3,sys;b=sqlite3.connect(sys.argv[1]);b.execute('CREATE TABLE two(b)');b.execute('INSERT INTO two VALUES (2)');b.commit()",
      base.path,
    ]);
    const bytes = await readFile(base.path);
    expect(await textOf(bytes, "sqlite", "ndjson", { table: "two" })).toBe('{"b":2}');
    expect((await convert(bytes, "sqlite", "ndjson")).notes).toEqual(["SHEETS_LEFT_OUT"]);
    await expect(convert(bytes, "sqlite", "ndjson", { table: "three" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("reads text in many encodings", async () => {
    expect(await textOf(Buffer.from("\ufeffname\nMüller\n", "utf16le"), "csv", "ndjson")).toBe('{"name":"Müller"}');
    expect(await textOf(Buffer.from("name\nM\xfcller\n", "latin1"), "csv", "ndjson", { encoding: "windows-1252" })).toBe(
      '{"name":"Müller"}',
    );
    const guessed = await convert(
      Buffer.from("имя,город\nОльга Иванова,Санкт-Петербург\nПётр,Новосибирск\n".split("").map(toWindows1251)),
      "csv",
      "ndjson",
    );
    expect(guessed.text).toContain('"Санкт-Петербург"');
    expect(guessed.notes).toEqual(["ENCODING_GUESSED"]);
    expect(
      await textOf(Buffer.from('<?xml version="1.0" encoding="iso-8859-2"?><a>\xb1</a>', "latin1"), "xml", "json", { indent: 0 }),
    ).toBe('{"a":"ą"}');
    await expect(convert(Buffer.from("a\n\xff\n", "latin1"), "csv", "json", { encoding: "utf-8" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
  });
});

function toWindows1251(letter: string): number {
  const code = letter.charCodeAt(0);
  if (code >= 0x410 && code <= 0x44f) return code - 0x350;
  return code === 0x451 ? 0xb8 : code === 0x401 ? 0xa8 : code;
}

describe("hostile files", () => {
  const laughs = `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghi"
    .split("")
    .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghi"[at]}`).join(",")}]`)
    .join("\n")}\n`;
  const entities = '<!DOCTYPE a [<!ENTITY b "xxxxxxxxxx"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>';
  const deep = (open: string, close: string, levels = 100_000) => open.repeat(levels) + close.repeat(levels);

  it.each([
    ["exponential aliases", "yaml", laughs, "INPUT_TOO_COMPLEX"],
    ["entities", "xml", entities, "INPUT_TOO_COMPLEX"],
    ["deep JSON", "json", deep("[", "]"), "INPUT_TOO_COMPLEX"],
    ["deep JSON5", "json5", deep("[", "]", 5000), "INPUT_TOO_COMPLEX"],
    ["deep YAML", "yaml", deep("[", "]"), "INPUT_TOO_COMPLEX"],
    ["deep XML", "xml", deep("<a>", "</a>"), "INPUT_TOO_COMPLEX"],
    ["deep TOML", "toml", `a = ${deep("[", "]", 5000)}`, "INPUT_TOO_COMPLEX"],
    ["deep property lists", "plist", `<plist>${deep("<array>", "</array>", 5000)}</plist>`, "INPUT_TOO_COMPLEX"],
    ["deep MessagePack", "msgpack", Buffer.alloc(100_000, 0x91), "INVALID_INPUT"],
    ["deep CBOR", "cbor", Buffer.alloc(100_000, 0x81), "INPUT_TOO_COMPLEX"],
    ["an array header with four billion items", "msgpack", Buffer.from("ddffffffff", "hex"), "INVALID_INPUT"],
    ["a string header with as many bytes", "cbor", Buffer.from("5b00000000ffffffff", "hex"), "INVALID_INPUT"],
    ["a truncated document", "bson", Buffer.from("ff0000000861", "hex"), "INVALID_INPUT"],
    ["a truncated table", "parquet", Buffer.from("PAR1PAR1"), "INVALID_INPUT"],
    ["a truncated file", "avro", Buffer.from("Obj\x01\x04"), "INVALID_INPUT"],
    ["a truncated database", "sqlite", Buffer.from("SQLite format 3\0".padEnd(200, "\0")), "INVALID_INPUT"],
    ["a truncated workbook", "xlsx", Buffer.from("PK\x03\x04".padEnd(200, "\0")), "INVALID_INPUT"],
    ["broken JSON", "json", '{"a":1,}', "INVALID_INPUT"],
    ["broken YAML", "yaml", "a: [1", "INVALID_INPUT"],
    ["broken TOML", "toml", "a = = 1", "INVALID_INPUT"],
    ["broken XML", "xml", "<a><b></a>", "INVALID_INPUT"],
    ["an unclosed quote", "csv", 'a,b\n"x,1\n', "INVALID_INPUT"],
    ["binary data", "json", Buffer.from([0x7b, 0, 1, 2, 0x7d]), "INVALID_INPUT"],
  ])("rejects %s", async (_what, from, content, code) => {
    await expect(convert(content, from, from === "json" ? "yaml" : "json")).rejects.toMatchObject({ code });
  });

  it("does not act on names such as __proto__", async () => {
    const tricky = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"x":1}},"toString":"t"}';
    for (const to of ["yaml", "json5", "msgpack", "cbor", "bson", "plist", "toml"]) {
      const there = await convert(tricky, "json", to);
      const back = await textOf(await readFile(there.path), to, "json").catch((error: { code: string }) => error.code);
      // A reader may reject the name, but must not act on it or lose the others.
      if (back !== "INVALID_INPUT" && back !== "CONVERSION_FAILED") expect(JSON.parse(back).toString, to).toBe("t");
    }
    expect(await textOf("__proto__,a\n1,2\n", "csv", "json", { indent: 0 })).toBe('[{"__proto__":1,"a":2}]');
    expect(await textOf("[__proto__]\nx=1\n", "ini", "json", { indent: 0 })).toBe('{"__proto__":{"x":"1"}}');
  });
});
