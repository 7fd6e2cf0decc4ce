import { readFile } from "node:fs/promises";
import { read, utils, write } from "@e965/xlsx";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";
import { cell, decimal, documentOf, double, integer, message, reference, type Stored, tableOf } from "./numbers-archive.ts";

const convert = converting(dataEngine);
const number = (digits: bigint, exponent: number, more = {}) => cell(2, { 0: decimal(digits, exponent), ...more });
const only = (cells: readonly Buffer[], lists: Readonly<Record<number, Uint8Array>> = {}, more: readonly Stored[] = []) =>
  documentOf([10], [...tableOf(10, "Table 1", cells, lists), ...more]);
const sized = (rows: number, columns: number) =>
  documentOf(
    [10],
    [
      [10, 6000, message({ 2: reference(11) })],
      [11, 6001, message({ 4: message({}), 6: rows, 7: columns })],
    ],
  );
const line = async (document: Buffer) => (await convert(document, "numbers", "csv")).text.trimEnd();

describe("documents of Numbers", () => {
  it("keep every digit of decimals, and name those with more than a double holds", async () => {
    const { text, messages } = await convert(only([number(23n, -2), number(15n, 3), number(12345678901234567890n, -5)]), "numbers", "csv");
    expect(text.trimEnd()).toBe("0.23,15000,123456789012345.67");
    expect(messages.get("NUMBERS_ROUNDED")).toBe("Numbers were rounded to 17 digits: C1.");
  });

  it("keep dates of any century, durations, truth and errors", async () => {
    const seconds = Date.UTC(1815, 5, 18, 11, 30) / 1000 - Date.UTC(2001, 0, 1) / 1000;
    const cells = [
      cell(5, { 2: double(seconds) }),
      cell(5, { 2: double(0) }),
      cell(7, { 1: double(90.5) }),
      cell(6, { 1: double(1) }),
      cell(8, {}),
    ];
    expect(await line(only(cells))).toBe("1815-06-18T11:30:00,2001-01-01,PT1M30.5S,TRUE,#VALUE!");
  });

  it("keep texts of divided lists, rich text, and name links and comments", async () => {
    const lists = { 4: reference(20), 17: reference(22), 19: reference(25) };
    const { text, messages } = await convert(
      only([cell(3, { 3: integer(7) }), cell(9, { 4: integer(1), 19: integer(1) })], lists, [
        [20, 6005, message({ 1: 1, 4: reference(21) })],
        [21, 6006, message({ 1: 1, 3: message({ 1: 7, 3: "Ünïcødé" }) })],
        [22, 6005, message({ 1: 8, 3: message({ 1: 1, 9: reference(23) }) })],
        [23, 6218, message({ 1: reference(24) })],
        [24, 2001, message({ 3: "linked", 11: message({ 1: message({ 1: 0, 2: reference(27) }) }) })],
        [25, 6005, message({ 1: 10, 3: message({ 1: 1, 10: reference(26) }) })],
        [26, 3056, message({ 1: "a comment" })],
        [27, 2032, message({ 2: "https://example.org/" })],
      ]),
      "numbers",
      "csv",
    );
    expect(text.trimEnd()).toBe("Ünïcødé,linked");
    expect(messages.get("TEXT_LEFT_OUT")).toBe("Comments were left out: B1. Link addresses were left out: B1.");
  });

  it("become workbooks with a sheet per table, also of empty and grouped ones, and name what stands beside them", async () => {
    const percent: Stored = [30, 6005, message({ 1: 2, 3: message({ 1: 1, 6: message({ 1: 258, 2: 1 }) }) })];
    const long: Stored[] = tableOf(50, "A name of a table that no sheet may have", [
      cell(5, { 2: double(-4e9) }),
      cell(5, { 2: double(86_400) }),
    ]);
    const document = documentOf(
      [10, 14, 40, 60],
      [...tableOf(10, "Rates", [number(125n, -3, { 13: integer(1) })], { 22: reference(30) }), percent, ...tableOf(14, "Empty", [])]
        .concat([[40, 3008, message({ 2: reference(50) })], ...long])
        .concat([[60, 5021, message({})]]),
    );
    const { bytes, messages } = await convert(document, "numbers", "xlsx");
    const book = read(bytes, { cellNF: true, cellDates: true, UTC: true });
    expect(book.SheetNames).toEqual(["Sheet - Rates", "Sheet - Empty", "Sheet - A name of a table that "]);
    expect(book.Sheets["Sheet - Rates"]?.A1).toMatchObject({ v: 0.125, z: "0.0%" });
    const dates = book.Sheets["Sheet - A name of a table that "];
    expect([dates?.A1?.v, dates?.B1?.v]).toEqual(["1874-03-31T16:53:20", new Date("2001-01-02")]);
    expect(messages.get("DRAWINGS_LEFT_OUT")).toBe("Charts, pictures and text beside the tables were left out.");
    expect(messages.get("TYPES_AS_TEXT")).toContain("A name of a table that no sheet may have A1");
    expect([...messages.keys()].toSorted()).toEqual(["DRAWINGS_LEFT_OUT", "NAMES_CHANGED", "STYLING_DROPPED", "TYPES_AS_TEXT"]);
  });

  it("keep a text that says that a number was rounded, without a note", async () => {
    const book = utils.book_new(utils.aoa_to_sheet([["rounded", 1]]));
    for (const bookType of ["xlsx", "ods"] as const)
      expect((await convert(write(book, { type: "buffer", bookType }), bookType, "csv")).notes).toEqual([]);
  });

  it("become JSON with all tables", async () => {
    const { text } = await convert(await readFile("test/corpus/typical/spreadsheet/typical.numbers"), "numbers", "json");
    expect(JSON.parse(text).First[0]).toEqual({ Quokka: "zebracell", Count: 42, When: "2028-03-10" });
  });

  it.each([
    ["cut off", () => only([number(1n, 0)]).fill(0x41, 80, 120), "INVALID_INPUT"],
    ["with a reference that leads nowhere", () => documentOf([10], tableOf(10, "T", [number(1n, 0)]).slice(0, 2)), "CONVERSION_FAILED"],
    ["without tables", () => documentOf([], []), "CONVERSION_FAILED"],
    [
      "with a segment of texts that is not there",
      () => only([cell(3, { 3: integer(7) })], { 4: reference(20) }, [[20, 6005, message({ 1: 1, 4: reference(21) })]]),
      "CONVERSION_FAILED",
    ],
    ["with more rows than a sheet, of no columns", () => sized(2_000_000_000, 0), "INVALID_INPUT"],
    ["with more cells than can be read", () => sized(1_000_000, 16_384), "INPUT_TOO_COMPLEX"],
    ["with cells that are cut off", () => only([cell(2, { 0: Buffer.alloc(3) })]), "INVALID_INPUT"],
  ])("fail clearly if they are %s", async (_case, document, code) => {
    await expect(convert(document(), "numbers", "csv")).rejects.toMatchObject({ code });
  });

  it("show nothing for texts that Numbers removed", async () => {
    expect(await line(only([cell(3, { 3: integer(7) }), number(1n, 0)]))).toBe(",1");
  });

  it("last saved before 2017 are left to the office, since their newer cells may be out of date", async () => {
    const newer = { 6: cell(6, { 1: double(1) }), 7: Buffer.alloc(2) };
    const savedIn = (older: Buffer) => {
      const tile: Stored = [12, 6002, message({ 5: message({ 1: 0, 2: 1, 3: older, ...newer }), 7: 0 })];
      return documentOf([10], [...tableOf(10, "T", [newer[6]]).slice(0, 2), tile]);
    };
    await expect(convert(savedIn(Buffer.alloc(16)), "numbers", "csv")).rejects.toMatchObject({ kind: "unexplained" });
    expect(await line(savedIn(Buffer.alloc(4)))).toBe("TRUE");
  });

  it("of 2009 are left to the office", async () => {
    const older = await readFile("test/corpus/typical/spreadsheet/older.numbers");
    await expect(convert(older, "numbers", "csv")).rejects.toMatchObject({ kind: "unexplained" });
  });
});
