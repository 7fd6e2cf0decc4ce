import { readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { read, utils } from "@e965/xlsx";
import { beforeAll, describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const convert = converting(dataEngine);
let database: Buffer;
beforeAll(async () => {
  database = await readFile("test/corpus/typical/data/typical.mdb");
});

/** What Access itself shows for the first table. */
const first = [
  { A: "a", B: "b", C: 0, D: 0, E: 0, F: 0, G: "1981-12-12", H: 0, I: false },
  { A: "abcdefg", B: "hijklmnop", C: 2, D: 222, E: 333333333, F: 444.555, G: "1974-09-21", H: 3.5, I: true },
];

describe("Access databases", () => {
  it("become JSON with all tables, even those without rows", async () => {
    const { text, notes } = await convert(database, "mdb", "json");
    const tables = JSON.parse(text);
    expect(Object.keys(tables)).toEqual(["Table1", "Table2", "Table3", "Table4"]);
    expect(tables.Table1).toEqual(first);
    expect(tables.Table3).toEqual([]);
    expect(notes).toEqual(["TYPES_AS_TEXT"]);
  });

  it("become one table in CSV, the first or the requested one, with a note about the others", async () => {
    const { text, messages } = await convert(database, "mdb", "csv");
    expect(text.split("\r\n")[2]).toBe("abcdefg,hijklmnop,2,222,333333333,444.555,1974-09-21,3.5,true");
    expect(messages.get("SHEETS_LEFT_OUT")).toBe("Only table Table1 of 4 was converted.");
    expect((await convert(database, "mdb", "csv", { table: "Table3" })).text).toBe("a,b\r\n");
    await expect(convert(database, "mdb", "csv", { table: "Table9" })).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: "The database has these tables: Table1, Table2, Table3, Table4.",
    });
  });

  it("become workbooks with a sheet per table and typed dates", async () => {
    const { bytes } = await convert(database, "mdb", "xlsx");
    const book = read(bytes, { cellDates: true, UTC: true });
    expect(book.SheetNames).toEqual(["Table1", "Table2", "Table3", "Table4"]);
    expect(book.Sheets.Table1?.G3?.v).toEqual(new Date("1974-09-21"));
    expect(utils.sheet_to_json(book.Sheets.Table3 ?? {}, { header: 1 })).toEqual([["a", "b"]]);
  });

  it("become SQLite with all tables", async () => {
    const { bytes } = await convert(database, "mdb", "sqlite");
    const made = new DatabaseSync(":memory:");
    made.deserialize(bytes);
    expect(made.prepare("SELECT count(*) AS count FROM Table2").get()).toEqual({ count: 0 });
    made.close();
    const tables = JSON.parse((await convert(bytes, "sqlite", "json")).text);
    expect(Object.keys(tables)).toEqual(["Table1", "Table2", "Table3", "Table4"]);
    expect(tables.Table1[1]).toMatchObject({ A: "abcdefg", F: 444.555, G: "1974-09-21", I: true });
  });

  it("keep the names of attached files, with a note that the files are left out", async () => {
    const attached = gunzipSync(await readFile("test/corpus/values/attachments.accdb.gz"));
    const { text, messages } = await convert(attached, "mdb", "json");
    const rows: { Comment: string; Attachments: string | null }[] = JSON.parse(text);
    expect(rows.map(({ Attachments }) => Attachments?.split("; ").length ?? 0)).toEqual([0, 1, 3]);
    expect(messages.get("STRUCTURE_DROPPED")).toBe("Attached files were left out; their names stay.");
  });

  it("are rejected if truncated, at any length", async () => {
    for (const length of [30, 2048, 5000, 20_000, 90_000])
      await expect(convert(database.subarray(0, length), "mdb", "json")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("tables without rows", () => {
  it("keep their column names in formats with tables", async () => {
    expect((await convert("a,b\r\n", "csv", "sqlite")).notes).toEqual([]);
    const made = await convert("a,b\r\n", "csv", "sqlite");
    expect((await convert(made.bytes, "sqlite", "csv")).text).toBe("a,b\r\n");
    const book = read((await convert("a,b\r\n", "csv", "xlsx")).bytes);
    expect(utils.sheet_to_json(book.Sheets[book.SheetNames[0] ?? ""] ?? {}, { header: 1 })).toEqual([["a", "b"]]);
    expect((await convert("a,b\r\n", "csv", "json")).messages.get("EMPTY_VALUES_DROPPED")).toMatch(/no rows/);
  });
});
