import { describe, expect, it } from "vitest";
import { parseDbase } from "#services/conversion/engines/inside/records/dbase.ts";
import { Exact, Stamp } from "#services/conversion/engines/inside/records/values.ts";
import { dbaseOf, dbaseTable } from "#test/services/conversion/engines/data/dbase-table.ts";

function read(table: Buffer) {
  const notes = new Map<string, string | undefined>();
  return { ...parseDbase(table, notes), notes };
}

/** One row with one value, as text or as little-endian numbers. */
function cellOf(type: string, content: string | Buffer, version = 3) {
  const field = { name: "A", type, width: content.length };
  const { rows, notes } = read(
    dbaseOf([field], [Buffer.concat([Buffer.from(" "), Buffer.from(content as string, "latin1")])], { version }),
  );
  return { cell: rows[0]?.[0], notes: [...notes.keys()] };
}

const day = (text: string) => new Stamp(text, false);
const hex = (digits: string) => Buffer.from(digits, "hex");

describe("values of dBase", () => {
  it.each([
    ["C", " a b  ", " a b"],
    ["C", "      ", null],
    ["N", "   -1.50", -1.5],
    ["N", "     .5", 0.5],
    ["N", "   007.", 7],
    ["N", "  1,25", 1.25],
    ["N", "        ", null],
    ["N", "\0\0\0\0", null],
    ["N", "12345678901234567890", 12345678901234567890n],
    ["N", "00.12345678901234567890", new Exact("0.12345678901234567890")],
    ["F", "1.234560000000e+005", 123456],
    ["L", "T", true],
    ["L", "n", false],
    ["L", "?", null],
    ["L", " ", null],
    ["D", "20240229", day("2024-02-29")],
    ["D", "00000000", null],
    ["D", "        ", null],
    ["M", "          ", null],
    ["M", "0000000000", null],
  ])("%s %j are %s", (type, text, cell) => {
    expect(cellOf(type, text)).toEqual({ cell, notes: [] });
  });

  it.each([
    ["I", hex("feffffff"), -2],
    ["B", hex("000000000000f83f"), 1.5],
    ["Y", hex("c7cfffffffffffff"), -1.2345],
    ["Y", hex("ffffffffffffff7f"), new Exact("922337203685477.5807")],
    ["T", hex("5968250088130000"), day("2000-01-01T00:00:05")],
    ["T", Buffer.from("        "), null],
    ["T", Buffer.alloc(8), null],
    ["M", Buffer.alloc(4), null],
  ])("of FoxPro: %s %j are %s", (type, bytes, cell) => {
    expect(cellOf(type, bytes, 0x30)).toEqual({ cell, notes: [] });
  });

  it.each([
    ["N", "****"],
    ["N", "1.2.3"],
    ["F", "abc"],
    ["L", "x"],
    ["D", "20230229"],
    ["D", "2023"],
  ])("are empty and noted where the table does not state them: %s %j", (type, text) => {
    expect(cellOf(type, text)).toEqual({ cell: null, notes: ["INPUT_DAMAGED"] });
  });

  it("are noted as left out if they are memos", () => {
    expect(cellOf("M", "         8")).toEqual({ cell: null, notes: ["TEXT_LEFT_OUT"] });
    expect(cellOf("M", hex("30000000"), 0x30)).toEqual({ cell: null, notes: ["TEXT_LEFT_OUT"] });
    expect(cellOf("B", "0000000012")).toEqual({ cell: null, notes: ["TEXT_LEFT_OUT"] });
  });

  it("of FoxPro may be null, and shorter than their place", () => {
    const fields = [
      { name: "ID", type: "I", width: 4, flags: 2 },
      { name: "WORD", type: "V", width: 5, flags: 2 },
      { name: "_NullFlags", type: "0", width: 1, flags: 5 },
    ];
    const row = (flags: number, word: string) => Buffer.from(` \x07\0\0\0${word}${String.fromCharCode(flags)}`, "latin1");
    const { columns, rows } = read(dbaseOf(fields, [row(1, "abcde"), row(2, "ab \0\x03"), row(4, "abcde")], { version: 0x32 }));
    expect(columns).toEqual(["ID", "WORD"]);
    expect(rows).toEqual([
      [null, "abcde"],
      [7, "ab "],
      [7, null],
    ]);
  });
});

describe("tables of dBase", () => {
  const word = [{ name: "WORD", type: "C", width: 3 }];

  it("name the first value that they do not state, and how many rows are deleted or missing", () => {
    const fields = [...word, { name: "N", type: "N", width: 2 }];
    const { rows, notes } = read(dbaseOf(fields, [" one 1", "*two 2", " six**", " ten**"], { count: 6 }));
    expect(rows).toEqual([
      ["one", 1],
      ["six", null],
      ["ten", null],
    ]);
    expect(notes.get("ENTRIES_LEFT_OUT")).toBe("Rows marked as deleted were left out: 1.");
    expect(notes.get("INPUT_DAMAGED")).toBe(
      "The table ends after 4 of 6 rows. Values that the table does not state, such as asterisks for a number too wide, " +
        "became empty: N in row 2, N in row 3.",
    );
  });

  it.each([
    [0x01, "8144", "üD", []],
    [0x02, "9b", "ø", []],
    [0x24, "84", "ã", []],
    [0x26, "8fe0", "Пр", []],
    [0xc9, "cff0", "Пр", []],
    [0x4d, "d6d0", "中", []],
    [0, "c3bc", "ü", []],
    [0, "4bf66c6e", "Köln", ["ENCODING_GUESSED"]],
    [0x7d, "ff", "\ufffd", ["CHARACTERS_REPLACED"]],
  ])("are read in their code page: %i %s", (codePage, letters, text, codes) => {
    const { rows, notes } = read(dbaseTable(codePage, "WORD", [hex(letters)]));
    expect([rows, [...notes.keys()]]).toEqual([[[text]], codes]);
  });

  it("may have texts of more than 255 bytes, and columns of one name", () => {
    const wide = "x".repeat(300);
    const { columns, rows, notes } = read(dbaseOf([{ name: "A", type: "C", width: 300 }, ...word, ...word], [` ${wide}abcdef`]));
    expect([columns, rows]).toEqual([["A", "WORD", "WORD_2"], [[wide, "abc", "def"]]]);
    expect([...notes.keys()]).toEqual(["NAMES_CHANGED"]);
  });

  it("are refused if they are no tables, or of a kind that is not read", () => {
    const table = dbaseOf(word, [" one"]);
    for (const length of [0, 10, 32, 40]) expect(() => read(table.subarray(0, length))).toThrow(/not a dBase table/);
    expect(() => read(Buffer.alloc(200, 0xff))).toThrow(/not a dBase table/);
    expect(() => read(dbaseOf(word, [" one"], { version: 2 }))).toThrow(/dBase II and 7/);
    expect(() => read(dbaseOf([{ name: "A", type: "+", width: 4 }], ["     "]))).toThrow(/type \+/);
  });
});
