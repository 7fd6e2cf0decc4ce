import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { read, utils, write } from "@e965/xlsx";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const convert = converting(dataEngine);

function bookOf(sheets: Readonly<Record<string, unknown[][]>>): Buffer {
  const book = utils.book_new();
  for (const [name, lines] of Object.entries(sheets)) utils.book_append_sheet(book, utils.aoa_to_sheet(lines), name);
  return write(book, { type: "buffer", bookType: "xlsx" });
}
const prices = [
  ["name", "price"],
  ["a|b *c*", 1.5],
];
const book = bookOf({ Prices: prices, Old: [["x"], [1]], Empty: [] });

describe("workbooks with several sheets", () => {
  it("become JSON with all sheets, or an array if there is only one or one is chosen", async () => {
    const all = await convert(book, "xlsx", "json");
    expect(JSON.parse(all.text)).toEqual({ Prices: [{ name: "a|b *c*", price: 1.5 }], Old: [{ x: 1 }], Empty: [] });
    expect(all.notes).toEqual([]);
    expect(JSON.parse((await convert(book, "xlsx", "json", { sheet: "Prices" })).text)).toEqual([{ name: "a|b *c*", price: 1.5 }]);
    expect(JSON.parse((await convert(bookOf({ Prices: prices }), "xlsx", "json")).text)).toEqual([{ name: "a|b *c*", price: 1.5 }]);
  });

  it("lose the only row of a sheet in JSON, with a note", async () => {
    const { text, notes } = await convert(bookOf({ Prices: prices, Title: [["Prices of May"]] }), "xlsx", "json");
    expect(JSON.parse(text).Title).toEqual([]);
    expect(notes).toEqual(["EMPTY_VALUES_DROPPED"]);
  });

  it("become Markdown with a heading and a table per sheet", async () => {
    const all = await convert(book, "xlsx", "md");
    expect(all.text).toBe(
      "## Prices\n\n| name | price |\n| --- | --- |\n| a\\|b \\*c\\* | 1.5 |\n\n## Old\n\n| x |\n| --- |\n| 1 |\n\n## Empty\n\n",
    );
    expect(all.notes).toEqual([]);
    expect((await convert(book, "xlsx", "md", { sheet: "2" })).text).toBe("| x |\n| --- |\n| 1 |\n");
  });
});

describe("databases with several tables", () => {
  let folder: string;
  let database: Buffer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "filemill-tables-"));
    const made = new DatabaseSync(join(folder, "two.sqlite"));
    made.exec("CREATE TABLE album (id INTEGER, title TEXT); INSERT INTO album VALUES (1, 'One'), (2, 'Two')");
    made.exec('CREATE TABLE "a/b" (n REAL); INSERT INTO "a/b" VALUES (0.5)');
    made.close();
    database = await readFile(join(folder, "two.sqlite"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("become JSON with all tables, and workbooks with a sheet per table", async () => {
    const json = await convert(database, "sqlite", "json");
    expect(JSON.parse(json.text)).toEqual({
      album: [
        { id: 1, title: "One" },
        { id: 2, title: "Two" },
      ],
      "a/b": [{ n: 0.5 }],
    });
    expect(json.messages).toEqual(new Map());
    const made = await convert(database, "sqlite", "xlsx");
    const { Sheets, SheetNames } = read(made.bytes);
    expect(SheetNames).toEqual(["album", "a_b"]);
    expect(SheetNames.map((name) => utils.sheet_to_json(Sheets[name] ?? {}))).toEqual([
      [
        { id: 1, title: "One" },
        { id: 2, title: "Two" },
      ],
      [{ n: 0.5 }],
    ]);
    expect(made.notes).toEqual(["NAMES_CHANGED"]);
  });

  it("become one table if one is chosen", async () => {
    expect(JSON.parse((await convert(database, "sqlite", "json", { table: "a/b" })).text)).toEqual([{ n: 0.5 }]);
  });
});
