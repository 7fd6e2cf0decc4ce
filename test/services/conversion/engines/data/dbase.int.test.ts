import { readFile } from "node:fs/promises";
import { read } from "@e965/xlsx";
import { expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";
import { dbaseOf } from "./dbase-table.ts";

const convert = converting(dataEngine);
const table = dbaseOf(
  [
    { name: "NAME", type: "C", width: 6 },
    { name: "N", type: "N", width: 20, decimals: 2 },
    { name: "OK", type: "L", width: 1 },
    { name: "DAY", type: "D", width: 8 },
  ],
  [
    ` 007   ${"12345678901234567.25".padStart(20)}T20240229`,
    ` K\xf6ln  ${"*".repeat(20)}?00000000`,
    `*gone  ${"1".padStart(20)}F20240229`,
    ` -     ${"0.50".padStart(20)}F        `,
  ],
);

it("tables of dBase keep what LibreOffice turns into zeros, FALSE and other days", async () => {
  const codes = ["ENCODING_GUESSED", "ENTRIES_LEFT_OUT", "INPUT_DAMAGED"];
  const csv = await convert(table, "dbf", "csv", { quoteText: true });
  expect(csv.text).toBe(
    ['"NAME","N","OK","DAY"', '"007",12345678901234567.25,TRUE,2024-02-29', '"Köln",,,', '"-",0.5,FALSE,', ""].join("\r\n"),
  );
  expect(csv.notes.toSorted()).toEqual(codes);
  const json = await convert(table, "dbf", "json", { indent: 0 });
  expect(json.text).toBe(
    '[{"NAME":"007","N":12345678901234567.25,"OK":true,"DAY":"2024-02-29"},' +
      '{"NAME":"Köln","N":null,"OK":null,"DAY":null},{"NAME":"-","N":0.5,"OK":false,"DAY":null}]\n',
  );
  expect(json.notes.toSorted()).toEqual([...codes, "TYPES_AS_TEXT"]);
});

it("tables of dBase become every other format, with their types", async () => {
  const sample = await readFile("test/corpus/typical/spreadsheet/typical.dbf");
  const wanted = (await convert(sample, "dbf", "json")).text;
  for (const to of ["yaml", "json5", "ndjson", "msgpack", "cbor", "bson", "parquet", "avro"]) {
    const made = await convert(sample, "dbf", to);
    expect(JSON.parse((await convert(made.bytes, to, "json")).text), to).toEqual(JSON.parse(wanted));
  }
  const sheet = read((await convert(table, "dbf", "xlsx")).bytes, { cellDates: true, UTC: true }).Sheets;
  const [cells = {}] = Object.values(sheet);
  expect([cells.A2?.v, cells.C2?.v, cells.D2?.v, cells.B3?.v, cells.C3?.v]).toEqual([
    "007",
    true,
    new Date("2024-02-29"),
    undefined,
    undefined,
  ]);
  for (const to of ["tsv", "psv", "xls", "xlsb", "sqlite", "xml", "plist", "toml"])
    expect((await convert(table, "dbf", to)).bytes.length).toBeGreaterThan(50);
});
