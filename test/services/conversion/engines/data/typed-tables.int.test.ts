/** Parquet, Avro and SQLite: each value is preserved, or a note names its column. */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const convert = converting(dataEngine);
const backFrom = async (json: string, format: string) => {
  const { bytes, messages } = await convert(json, "json", format);
  const back = await convert(bytes, format, "json", { indent: 0 });
  return { text: back.text.trim(), messages };
};

/** Columns of numbers of any precision and size, with both signs, with and without a decimal point. */
const numbers =
  '[{"i":9007199254740993,"u":18446744073709551615,"d":0.12345678901234567891,"m":9007199254740993,"e":1e-7,"b":-123456789012345678901234567890,"f":0.1,"t":true},' +
  '{"i":-1,"u":0,"d":-1,"m":1.5,"e":2,"b":1,"f":3,"t":null}]';

describe.each(["parquet", "avro"])("%s", (format) => {
  it("keeps every digit of numbers", async () => {
    const { text, messages } = await backFrom(numbers, format);
    expect(text).toBe(numbers);
    expect([...messages]).toEqual([]);
  });

  it("notes the columns that become text", async () => {
    const { text, messages } = await backFrom('[{"a":1,"long":1e400,"c":1,"g":1e60},{"a":"x","long":2,"c":true,"g":1.5}]', format);
    expect(text).toBe('[{"a":"1","long":"1e400","c":"1","g":1e+60},{"a":"x","long":"2","c":"true","g":1.5}]');
    expect(messages.get("TYPES_AS_TEXT")).toBe("Columns of unsupported or mixed types became text: a, long, c.");
  });

  it("keeps dates, times and timestamps of other typed tables", async () => {
    const source = await readFile("test/corpus/values/types.parquet");
    const avro = await convert(source, "parquet", "avro");
    const there = format === "avro" ? avro : await convert(avro.bytes, "avro", format);
    const [wanted] = JSON.parse((await convert(source, "parquet", "json")).text);
    const [found] = JSON.parse((await convert(there.bytes, format, "json")).text);
    const flat = { ...wanted, l: JSON.stringify(wanted.l), st_a: wanted.st.a, st_t: wanted.st.t, m_k: wanted.m.k };
    for (const name of ["d38", "d9", "dt", "tm", "tns", "tsz", "b", "ub", "st_a", "st_t", "m_k"])
      expect(found[name], name).toEqual(flat[name]);
    if (format === "avro") expect(there.messages.get("TYPES_AS_TEXT")).toMatch(/: ll\[0\]\[0\]\.$/);
  });

  it("keeps dates and times of workbooks", async () => {
    const there = await convert(await readFile("test/corpus/values/types.xlsx"), "xlsx", format);
    const [row] = JSON.parse((await convert(there.bytes, format, "json")).text);
    expect(row).toMatchObject({ dt: "2021-03-04T05:06:07.891", t: "01:30:00", old: "1900-01-15", txt: "007", pct: 0.5 });
  });
});

describe("parquet", () => {
  it("declares the types of its columns", async () => {
    const { bytes } = await convert(numbers, "json", "parquet");
    const { parquetMetadata } = await import("hyparquet");
    const { schema } = parquetMetadata(new Uint8Array(bytes).buffer);
    expect(
      schema.slice(1).map(({ name, type, converted_type, precision, scale }) => [name, type, converted_type, precision, scale]),
    ).toEqual([
      ["i", "INT64", undefined, undefined, undefined],
      ["u", "INT64", "UINT_64", undefined, undefined],
      ["d", "FIXED_LEN_BYTE_ARRAY", "DECIMAL", 21, 20],
      ["m", "INT64", "DECIMAL", 17, 1],
      ["e", "DOUBLE", undefined, undefined, undefined],
      ["b", "FIXED_LEN_BYTE_ARRAY", "DECIMAL", 30, 0],
      ["f", "DOUBLE", undefined, undefined, undefined],
      ["t", "BOOLEAN", undefined, undefined, undefined],
    ]);
  });
});

describe("sqlite", () => {
  it("keeps numbers and booleans, and notes columns that become text", async () => {
    const { bytes, messages } = await convert(numbers, "json", "sqlite");
    const script =
      "import sqlite3,sys;b=sqlite3.connect(':memory:');b.deserialize(sys.stdin.buffer.read());print(b.execute('SELECT * FROM data').fetchall())";
    expect(execFileSync("/usr/bin/python3", ["-c", script], { input: bytes }).toString().trim()).toBe(
      "[(9007199254740993, '18446744073709551615', '0.12345678901234567891', '9007199254740993', 1e-07, '-123456789012345678901234567890', 0.1, 1), " +
        "(-1, '0', '-1', '1.5', 2.0, '1', 3.0, None)]",
    );
    expect(messages.get("TYPES_AS_TEXT")).toMatch(/: u, d, m and others\.$/);
    expect(JSON.parse((await convert(bytes, "sqlite", "json")).text)[0].t).toBe(true);
  });

  it("keeps NaN and infinity", async () => {
    const { bytes, notes } = await convert("- a: .nan\n  b: .inf\n- a: 1.5\n  b: 1\n", "yaml", "sqlite");
    expect((await convert(bytes, "sqlite", "yaml")).text).toBe('- a: NaN\n  b: .inf\n- a: "1.5"\n  b: 1\n');
    expect(notes).toEqual(["TYPES_AS_TEXT"]);
  });
});
