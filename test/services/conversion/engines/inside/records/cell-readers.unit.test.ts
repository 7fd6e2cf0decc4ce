/** Numbers and dates of text tables, according to their marks. */
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);
const rowsOf = async (text: string, options = {}) => {
  const { text: json, notes } = await convert(text, "csv", "json", { delimiter: "semicolon", ...options });
  return { rows: JSON.parse(json), note: notes.get("DIALECT_GUESSED"), codes: [...notes.keys()] };
};

describe("decimal marks", () => {
  it("are commas where the whole table says so, with a note that names the columns", async () => {
    const { rows, note } = await rowsOf("a;b;n\n0,5;12,345;7\n-3,25;1,5;8\n");
    expect(rows).toEqual([
      { a: 0.5, b: 12.345, n: 7 },
      { a: -3.25, b: 1.5, n: 8 },
    ]);
    expect(note).toBe("Commas were read as decimal marks in a, b.");
  });

  it("that may be marks between thousands, too, decide nothing", async () => {
    expect(await rowsOf("a;b\n12,345;1.000\n")).toEqual({ rows: [{ a: "12,345", b: "1.000" }], note: undefined, codes: [] });
  });

  it("leave text what would not be written the same again, and points between thousands beside commas", async () => {
    const { rows, note } = await rowsOf("a;b;c\n0,50;1.234;0,5\n");
    expect(rows).toEqual([{ a: "0,50", b: "1.234", c: 0.5 }]);
    expect(note).toContain(" in c.");
  });

  it("of both sorts are points", async () => {
    expect((await rowsOf("a;b\n0,5;1.5\n")).rows).toEqual([{ a: "0,5", b: 1.5 }]);
  });

  it("are what the option says, with zeros at the end and marks between thousands", async () => {
    const german = await rowsOf("a;b;c;id\n1.234,50;-1 234 567,0;0,10;007\n", { decimal: "comma" });
    expect([german.rows, german.codes]).toEqual([[{ a: 1234.5, b: -1234567, c: 0.1, id: "007" }], []]);
    const english = await rowsOf("a;b;c;d\n1,234.50;12'345;1.10;1,5\n", { decimal: "point" });
    expect(english.rows).toEqual([{ a: 1234.5, b: 12345, c: 1.1, d: "1,5" }]);
    expect((await rowsOf("a\n9.007.199.254.740.993\n", { decimal: "comma" })).codes).toEqual([]);
  });

  it("are not looked for where cells stay text", async () => {
    expect(await rowsOf("a\n0,5\n", { types: "text" })).toEqual({ rows: [{ a: "0,5" }], note: undefined, codes: [] });
  });
});

describe("dates", () => {
  it("stay what they are without an order", async () => {
    expect((await rowsOf("d\n04/03/2021\n")).rows).toEqual([{ d: "04/03/2021" }]);
  });

  it.each([
    ["dmy", "4.3.2021", "2021-03-04"],
    ["mdy", "04/03/2021", "2021-04-03"],
    ["ymd", "2021/3/4", "2021-03-04"],
    ["dmy", "04-03-2021 05:06", "2021-03-04T05:06:00"],
  ])("are read as %s: %s", async (dateOrder, given, iso) => {
    expect((await rowsOf(`d\n${given}\n`, { dateOrder })).rows).toEqual([{ d: iso }]);
  });

  it("that no calendar has leave their column text", async () => {
    expect((await rowsOf("d\n04/03/2021\n30/02/2021\n", { dateOrder: "dmy" })).rows).toEqual([{ d: "04/03/2021" }, { d: "30/02/2021" }]);
  });

  it("are dates in tables with types", async () => {
    const { bytes } = await convert("d\n31.12.1899\n", "csv", "parquet", { dateOrder: "dmy" });
    const { parquetMetadata } = await import("hyparquet");
    expect(parquetMetadata(new Uint8Array(bytes).buffer).schema[1]).toMatchObject({ name: "d", converted_type: "DATE" });
  });
});
