/** Values in dBase tables, read byte by byte. */
import { readFile } from "node:fs/promises";
import { utils, write } from "@e965/xlsx";
import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { useBench } from "#test/contract/engine.ts";

const office = useBench(libreofficeEngine);

async function tableOf(rows: readonly (readonly unknown[])[] | string) {
  const isText = typeof rows === "string";
  const sheet = () => write({ SheetNames: ["S"], Sheets: { S: utils.aoa_to_sheet(rows as unknown[][]) } }, { type: "buffer" });
  const [content, from] = isText ? [Buffer.from(rows), "csv"] : [sheet() as Buffer, "xlsx"];
  const made = await office.convert(await office.given(content, from), from, "dbf");
  const bytes = await readFile(made.path);
  const fields: string[] = [];
  for (let at = 32; bytes[at] !== 0x0d; at += 32) {
    const name = bytes.toString("latin1", at, at + 11).replace(/\0+$/, "");
    fields.push(`${name} ${bytes.toString("latin1", at + 11, at + 12)}${bytes[at + 16]}.${bytes[at + 17]}`);
  }
  const [count, start, size] = [bytes.readUInt32LE(4), bytes.readUInt16LE(8), bytes.readUInt16LE(10)];
  const records = Array.from({ length: count }, (_, place) => bytes.subarray(start + place * size, start + (place + 1) * size));
  return { fields, texts: records.map((record) => record.toString("latin1")), records, page: bytes[29], notes: made.notes };
}

it("keep empty cells of numbers and dates empty, for which the office writes 0", async () => {
  const day = { t: "n", v: 45_351, z: "yyyy-mm-dd" };
  const { fields, texts, notes } = await tableOf([
    ["NUM", "TEXT", "DAY"],
    [1.5, "a", day],
    [null, "b", null],
    [0, "c", day],
  ]);
  expect(fields).toEqual(["NUM N3.1", "TEXT C1.0", "DAY D8.0"]);
  expect(texts).toEqual([" 1.5a20240229", "    b        ", " 0.0c20240229"]);
  expect([...notes.keys()]).toEqual([]);
});

it("write columns of numbers and text, and numbers that no field holds, as text, with a note", async () => {
  const { fields, texts, notes } = await tableOf([
    ["MIXED", "SMALL", "WIDE"],
    [1.5, 1e-300, 1e22],
    ["n/a", 2, -99.99],
  ]);
  expect(fields).toEqual(["MIXED C3.0", "SMALL C6.0", "WIDE C6.0"]);
  expect(texts).toEqual([" 1.51e-3001e+22 ", " n/a2     -99.99"]);
  expect(notes.get("TYPES_AS_TEXT")).toContain("columns of several types");
});

it("give numbers the width and decimals of the longest", async () => {
  const { fields, texts } = await tableOf([["A"], [1234.5], [-99.99], [-20_000]]);
  expect(fields).toEqual(["A N9.2"]);
  expect(texts).toEqual(["   1234.50", "   -99.99".padStart(10), " -20000.00"]);
});

it.each([
  [0x03, "windows-1252", "Müller;5 €"],
  [0xc8, "windows-1250", "Łódź;Žižkov"],
  [0xc9, "windows-1251", "Иван;Москва"],
  [0xcb, "windows-1253", "Αθήνα;Πάτρα"],
  [0x13, "shift_jis", "山田;東京ひらがな"],
  [0x00, "utf-8", "Иван;Αθήνα"],
])("name the code page of the texts by byte %s, %s", async (page, label, line) => {
  const made = await tableOf(`A;B\n${line}\n`);
  expect(made.page).toBe(page);
  const text = new TextDecoder(label).decode(made.records[0]);
  expect(text.replaceAll(" ", "")).toBe(line.replaceAll(/[; ]/g, ""));
  expect(made.notes.has("METADATA_DROPPED")).toBe(page === 0);
});

it("name columns without or with the same name, and note spaces at the end of texts", async () => {
  const { fields, notes } = await tableOf('A;A;;"long column name"\n1;2;3;"x "\n');
  expect(fields).toEqual(["A N1.0", "A2 N1.0", "N3 N1.0", "LONG_COLUM C2.0"]);
  expect(notes.get("NAMES_CHANGED")).toContain("A, column 3, long column name");
  expect(notes.get("CHARACTERS_REPLACED")).toContain("LONG_COLUM");
});

it("take no values of a table without names for names", async () => {
  const { fields, texts, notes } = await tableOf("2020,35,a\n2021,40,b\n");
  expect(fields).toEqual(["N1 N4.0", "N2 N2.0", "N3 C1.0"]);
  expect(texts).toEqual([" 202035a", " 202140b"]);
  expect(notes.get("NAMES_CHANGED")).toContain("column 1, column 2, column 3");
});

it("refuse text of a formula that is longer than a field", async () => {
  const sheet = { "!ref": "A1:A2", A1: { t: "s", v: "LONG" }, A2: { t: "s", v: "x".repeat(300), f: 'REPT("x",300)' } };
  const content = write({ SheetNames: ["S"], Sheets: { S: sheet } }, { type: "buffer" }) as Buffer;
  await expect(office.convert(await office.given(content, "xlsx"), "xlsx", "dbf")).rejects.toThrow("254 bytes in a cell");
});
