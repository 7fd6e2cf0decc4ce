import { existsSync, writeFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { leavesOf } from "./foreign-data.ts";

const records = '[{"name":"Ünïcødé 日本","code":"007","count":12},{"name":"=1+2","code":"a,\\"b\\"","count":-3}]';
const values = ["name", "code", "count", "Ünïcødé 日本", "007", "12", "=1+2", 'a,"b"', "-3"];
const settingsText = '{"title":"Ünïcødé","server":{"host":"localhost","port":8080}}';
const settingValues = ["Ünïcødé", "localhost", "8080"];
const isSetting = new Set(["ini", "properties"]);
const needsSettings = ({ from, to }: { from: string; to: string }) => isSetting.has(from) || isSetting.has(to);

const maker = useBench(dataEngine);
const office = useBench(libreofficeEngine);

/** Formats that no engine of this test writes. Their own tests check their values. */
const samples: Readonly<Record<string, string>> = {
  mdb: "test/corpus/typical/data/typical.mdb",
  dbf: "test/corpus/typical/spreadsheet/typical.dbf",
  numbers: "test/corpus/typical/spreadsheet/typical.numbers",
  slk: "test/corpus/typical/spreadsheet/typical.slk",
};

/** Workbooks come from LibreOffice; the rest from this engine, as there is no other writer here: its output is checked as a target. */
async function sample(format: string, folder: string, text: string): Promise<string> {
  const path = join(folder, `sample-${text.length}.${format}`);
  const ready = samples[format];
  if (ready !== undefined) return ready;
  if (format === "json") {
    writeFileSync(path, text);
    return path;
  }
  if (existsSync(path)) return path;
  const byOffice = /^(xls[mxt]?|xltx|xlt|ods|ots|fods)$/.test(format);
  const made = byOffice
    ? await office.convert(await sample("xlsb", folder, text).then((book) => bookOf(book)), "xlsx", format === "xlsx" ? "xlsm" : format)
    : await maker.convert(await sample("json", folder, text), "json", format);
  await copyFile(made.path, path);
  return path;
}

/** The only workbook given to LibreOffice. */
async function bookOf(besides: string): Promise<string> {
  const json = join(dirname(besides), "book.json");
  writeFileSync(json, records);
  return (await maker.convert(json, "json", "xlsx")).path;
}

testEngine(dataEngine, {
  sample: (format, folder, hop) => sample(format, folder, needsSettings(hop) ? settingsText : records),
  async check(hop, _reading, path) {
    const { to, from } = hop;
    if (samples[from] !== undefined) return;
    const expected = needsSettings(hop) ? settingValues : values;
    // Formats without another reader here are converted back to JSON and read from that.
    const found = (await leavesOf(path, to)) ?? (await leavesOf((await maker.convert(path, to, "json")).path, "json")) ?? [];
    expect(found).toEqual(expect.arrayContaining(expected));
  },
});
