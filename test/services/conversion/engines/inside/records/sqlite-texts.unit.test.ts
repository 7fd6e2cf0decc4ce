import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);

async function databaseOf(...statements: readonly string[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-sqlite-"));
  const database = new DatabaseSync(join(folder, "made.db"));
  for (const statement of statements) database.exec(statement);
  database.close();
  const bytes = await readFile(join(folder, "made.db"));
  await rm(folder, { recursive: true });
  return bytes;
}

describe("texts of SQLite", () => {
  const old = "CAST(x'4dfc6c6c6572' AS TEXT)";

  it.each([
    [
      "of an older encoding are decoded, beside others",
      `${old}, 'ä', x'ff', 5`,
      ["Müller", "ä", "/w==", 5],
      ["ENCODING_GUESSED", "TYPES_AS_TEXT"],
    ],
    ["with a replacement character of their own are kept", "'\ufffd', 'ä', NULL, ''", ["\ufffd", "ä", null, ""], []],
  ])("%s", async (_name, values, wanted, codes) => {
    const bytes = await databaseOf("CREATE TABLE t (a, __proto__, c, d)", `INSERT INTO t VALUES (${values})`);
    const made = await convert(bytes, "sqlite", "json");
    const [row] = JSON.parse(made.text);
    expect([Object.values(row), made.codes]).toEqual([wanted, codes]);
  });

  it("are decoded in all of several tables", async () => {
    const bytes = await databaseOf("CREATE TABLE s (a)", "CREATE TABLE t (a)", `INSERT INTO t VALUES (${old})`);
    const made = await convert(bytes, "sqlite", "json");
    expect([JSON.parse(made.text), made.codes]).toEqual([{ s: [], t: [{ a: "Müller" }] }, ["ENCODING_GUESSED"]]);
  });

  it("become base64 in a text table with a note where they are bytes", async () => {
    const bytes = await databaseOf("CREATE TABLE t (a, b)", "INSERT INTO t VALUES (x'ff', 1)");
    const made = await convert(bytes, "sqlite", "csv");
    expect([made.text, made.codes]).toEqual(["a,b\r\n/w==,1\r\n", ["TYPES_AS_TEXT"]]);
  });
});

it("names the views and virtual tables of a database, which are not read", async () => {
  const bytes = await databaseOf("CREATE TABLE t (a)", "INSERT INTO t VALUES (1)", "CREATE VIEW v AS SELECT a FROM t");
  const made = await convert(bytes, "sqlite", "json");
  expect([JSON.parse(made.text), made.notes.get("SHEETS_LEFT_OUT")]).toEqual([[{ a: 1 }], "Views and virtual tables were left out: v."]);
});
