/** Values found by the generated tests: each is preserved in the result or announced by a note. */
import { runInNewContext } from "node:vm";
import * as workbooks from "@e965/xlsx";
import { serialize } from "bson";
import { decode as decodeCbor } from "cborg";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);

describe("negative zero", () => {
  it.each([
    ["json", "-0.0"],
    ["json5", "-0.0"],
    ["ndjson", "-0.0"],
    ["toml", "-0.0"],
    ["csv", "-0"],
    ["xml", "-0"],
    ["plist", "<real>-0.0</real>"],
  ])("is kept in %s", async (to, written) => {
    const { text, codes } = await convert("- a: -0.0\n  b: 1.5\n", "yaml", to);
    expect(text).toContain(written);
    expect(codes).toEqual([]);
  });

  it("is noted if a format has no such number", async () => {
    expect((await convert('{"a":-0.0}', "json", "msgpack")).codes).toEqual(["NUMBERS_ROUNDED"]);
    for (const to of ["sqlite", "xlsx"]) expect((await convert('[{"a":-0.0},{"a":1.5}]', "json", to)).codes, to).toEqual(["TYPES_AS_TEXT"]);
  });
});

describe("YAML", () => {
  it("contains the bytes of a value, not adjacent memory", async () => {
    const columnData = [{ name: "b", data: [new Uint8Array([0]), new Uint8Array([0xff, 1])], type: "BYTE_ARRAY" as const }];
    const source = new Uint8Array(parquetWriteBuffer({ columnData }));
    expect((await convert(source, "parquet", "yaml")).text.replace(/\s+/g, " ")).toMatch(/AA== .*\/wE= $/);
  });

  it("escapes characters that are not printable, even in names", async () => {
    const { text } = await convert('{"\\ufeffn":"\\uffff","c":"\\u0080\\u007f\\u2028"}', "json", "yaml");
    expect(text).toBe('"\\ufeffn": "\\uffff"\nc: "\\u0080\\u007f\\L"\n');
  });
});

describe("YAML for readers of 1.1", () => {
  it("quotes texts with a tab, and keeps block scalars", async () => {
    const { text } = await convert('{"a\\tb":"c\\td","e":"f:\\n\\tg\\n"}', "json", "yaml");
    expect(text).toBe('"a\\tb": "c\\td"\ne: |\n  f:\n  \tg\n');
  });

  it("keeps escapes when rewritten", async () => {
    const source = '? "\\N"\n: {}\na: "\\uffff"\n';
    expect((await convert(source, "yaml", "yaml")).text).toBe('"\\N": {}\na: "\\uffff"\n');
  });
});

describe("BSON", () => {
  it("keeps the order of values, even if names are numbers", async () => {
    const inner = new Map<string, unknown>([
      ["c", 3],
      ["2", 4],
    ]);
    const source = serialize(
      new Map<string, unknown>([
        ["_", inner],
        ["0", [inner]],
      ]),
    );
    expect((await convert(source, "bson", "json", { indent: 0 })).text.trim()).toBe('{"_":{"c":3,"2":4},"0":[{"c":3,"2":4}]}');
  });
});

describe("CBOR", () => {
  it("keeps the bytes of YAML as bytes", async () => {
    const { bytes } = await convert("a: !!binary AAEC\n", "yaml", "cbor");
    expect(decodeCbor(bytes)).toEqual({ a: new Uint8Array([0, 1, 2]) });
  });

  it("keeps milliseconds, even far from 1970", async () => {
    const { bytes } = await convert("a = 1582-10-10T05:06:07.891Z\nb = 2024-01-02T03:04:05.678Z\n", "toml", "cbor");
    const tags = { 0: (decode: () => unknown) => decode(), 1: (decode: () => unknown) => decode() };
    expect(decodeCbor(bytes, { tags })).toEqual({ a: "1582-10-10T05:06:07.891Z", b: 1704164645.678 });
  });
});

describe("names that become identical", () => {
  it("are numbered in XML, where elements of the same name form a list", async () => {
    const { text, codes } = await convert('{"a b":1,"a_b":2,"a?b":3}', "json", "xml", { indent: 0 });
    expect(text).toContain("<root><a_b_2>1</a_b_2><a_b>2</a_b><a_b_3>3</a_b_3></root>");
    expect(codes).toEqual(["NAMES_CHANGED"]);
  });

  it("do not affect names that stay unchanged", async () => {
    const { text } = await convert('{"":{"007":1},"_":"own","@a b":1,"@a_b":2}', "json", "xml", { indent: 0 });
    expect(text).toContain("<_>own</_>");
    expect((await convert('{"\\u0001":"changed","\\ufffd":"own"}', "json", "plist")).text).toMatch(/<key>\ufffd<\/key>\s*<string>own</);
  });

  it("are numbered in property lists", async () => {
    const { text, codes } = await convert('{"\\u0001":"one","\\u0002":"two"}', "json", "plist");
    expect(text).toMatch(/one.*two/s);
    expect(codes).toEqual(["CHARACTERS_REPLACED"]);
  });
});

describe("small numbers", () => {
  it("are written as text without an exponent, and stay text with too many zeros", async () => {
    const mixed = await convert("a\n0.0000001\n12345678901234567890.5\n", "csv", "sqlite");
    expect([mixed.bytes.includes("0.0000001"), mixed.bytes.includes("1e-7")]).toEqual([true, false]);
    expect((await convert('{"a":1e-7,"b":-1.5e-9}', "json", "properties")).text).toBe("a=0.0000001\nb=-0.0000000015\n");
    const long = `0.${"0".repeat(38)}1`;
    expect(JSON.parse((await convert(`a\n${long}\n`, "csv", "json")).text)).toEqual([{ a: long }]);
  });
});

describe("workbooks", () => {
  const bookOf = (lines: readonly (readonly unknown[])[], bookType: "xlsx" | "xlsb" | "biff8" = "xlsx") => {
    const book = workbooks.utils.book_new();
    workbooks.utils.book_append_sheet(book, workbooks.utils.aoa_to_sheet(lines as unknown[][]), "S");
    return Buffer.from(workbooks.write(book, { type: "buffer", bookType, compression: false }));
  };

  it("decode character references, and keep texts that look like one", async () => {
    // Of equal length, so that the archive stays intact; its checksums are not verified.
    const source = Buffer.from(
      bookOf([["name"], ["ABCDEFGHI ü JKLMNOPQ"]])
        .toString("latin1")
        .replaceAll("ABCDEFGHI", "&#128512;")
        .replaceAll("JKLMNOPQ", "&amp;lt;"),
      "latin1",
    );
    expect(JSON.parse((await convert(source, "xlsx", "json")).text)).toEqual([{ name: "😀 ü &lt;" }]);
  });

  it("keep text that looks like an OOXML escape", async () => {
    const { bytes } = await convert('[{"_x0041_":"a_x000a_b"}]', "json", "xlsx");
    expect(JSON.parse((await convert(bytes, "xlsx", "json")).text)).toEqual([{ _x0041_: "a_x000a_b" }]);
  });

  it("note empty rows that are left out", async () => {
    const { text, notes } = await convert(bookOf([["a"], [1], [], [2]]), "xlsx", "csv");
    expect(text).toBe("a\r\n1\r\n2\r\n");
    expect(notes.get("ENTRIES_LEFT_OUT")).toContain("row 3");
  });

  it("keep texts of more than 255 characters in XLS, and leave very long ones to another route", async () => {
    const rows = ["x".repeat(255), "ü".repeat(256), "y".repeat(4110)].map((a) => ({ a }));
    const { bytes, codes } = await convert(JSON.stringify([...rows, ...rows]), "json", "xls");
    expect(JSON.parse((await convert(bytes, "xls", "json")).text)).toEqual([...rows, ...rows]);
    expect(codes).toEqual([]);
    const longer = convert(JSON.stringify([{ a: "y".repeat(4111) }]), "json", "xls");
    await expect(longer).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });

  it.each([9_007_199_254_740_991, 0.999_999_999_999_999_9, 2.225073858507202e-308])("keep %d in XLS", async (a) => {
    const { bytes } = await convert(JSON.stringify([{ a }]), "json", "xls");
    const [row] = JSON.parse((await convert(bytes, "xls", "json")).text);
    expect(Number(row.a)).toBe(a);
    expect((await convert(JSON.stringify([{ a }]), "json", "xlsx")).codes).toEqual([]);
  });

  it.each(["xlsx", "biff8", "xlsb"] as const)("keep the leading zeros that a cell's format shows (%s)", async (bookType) => {
    const zip = { t: "n", v: 42, z: "00000" } as const;
    const code = { t: "n", v: 1_234_567, z: "000-00-0000" } as const;
    const source = bookOf(
      [
        ["zip", "code", "sum"],
        [zip, code, { t: "n", v: 0.5, z: "00000" }],
        [{ ...zip, v: 12345 }, null, 7],
      ],
      bookType,
    );
    const from = bookType === "biff8" ? "xls" : bookType;
    expect((await convert(source, from, "csv")).text).toBe("zip,code,sum\r\n00042,001-23-4567,0.5\r\n12345,,7\r\n");
    expect(JSON.parse((await convert(source, from, "json")).text)[1]).toEqual({ zip: "12345", code: null, sum: 7 });
  });

  it("keep NaN and infinity as text", async () => {
    const { bytes, codes } = await convert("- a: .nan\n- a: -.inf\n", "yaml", "xlsx");
    expect(JSON.parse((await convert(bytes, "xlsx", "json")).text)).toEqual([{ a: "NaN" }, { a: "-Infinity" }]);
    expect(codes).toEqual(["TYPES_AS_TEXT"]);
  });

  it("keep the smallest numbers as text in XLS", async () => {
    const { bytes, codes } = await convert('[{"a":5e-324}]', "json", "xls");
    expect(JSON.parse((await convert(bytes, "xls", "json")).text)).toEqual([{ a: "5e-324" }]);
    expect(codes).toEqual(["TYPES_AS_TEXT"]);
  });
});

describe("tables", () => {
  it("note that bytes were read as text, and keep those with control characters as bytes", async () => {
    const of = (data: Uint8Array[]) => new Uint8Array(parquetWriteBuffer({ columnData: [{ name: "b", data, type: "BYTE_ARRAY" }] }));
    const text = await convert(of([Buffer.from("Zürich")]), "parquet", "json");
    expect([JSON.parse(text.text), text.codes]).toEqual([[{ b: "Zürich" }], ["TYPES_AS_TEXT"]]);
    expect(JSON.parse((await convert(of([new Uint8Array([0])]), "parquet", "json")).text)).toEqual([{ b: "AA==" }]);
  });

  it("note lost column names if there are no rows", async () => {
    expect((await convert("a,b\n", "csv", "json")).codes).toEqual(["EMPTY_VALUES_DROPPED"]);
  });
});

it("converts large integers of JSON5 to text, and keeps the name __proto__", async () => {
  const { codes } = await convert('// large\n{"a": 9223372036854775808}', "json5", "msgpack");
  expect(codes).toEqual(["METADATA_DROPPED", "TYPES_AS_TEXT"]);
  expect(runInNewContext(`(${(await convert('{"__proto__":1}', "json", "json5")).text.replace("__proto__", "own")})`)).toEqual({ own: 1 });
});
