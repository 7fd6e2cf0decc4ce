/** Decodes text in formats that do not declare an encoding. */
import { isUtf8 } from "node:buffer";
import type { DatabaseSync } from "node:sqlite";
import type { Notes } from "../exchange.ts";
import { quoted, type Table } from "./columns.ts";

export const unsureFormats: ReadonlySet<string> = new Set(["shp", "csv", "dgn", "gmt"]);

/** Text that is not UTF-8 is assumed to be in the code page that most other programs write. */
const guess = "windows-1252";

export function decodeTexts(database: DatabaseSync, tables: readonly Table[], notes: Notes): void {
  const decoder = new TextDecoder(guess);
  database.function("is_broken", (bytes) => (bytes instanceof Uint8Array && !isUtf8(bytes) ? 1 : 0));
  database.function("decoded", (bytes) => (bytes instanceof Uint8Array ? decoder.decode(bytes) : null));
  const columns = tables.flatMap(({ name: table, columns: all }) =>
    all.filter(({ type }) => type === "text").map(({ name }) => [quoted(table), `CAST(${quoted(name)} AS BLOB)`, quoted(name)] as const),
  );
  const isBroken = columns.some(([table, bytes]) => database.prepare(`SELECT 1 FROM ${table} WHERE is_broken(${bytes}) LIMIT 1`).get());
  if (!isBroken) return;
  notes.set("ENCODING_GUESSED", `The text encoding was guessed to be ${guess}.`);
  for (const [table, bytes, name] of columns) database.exec(`UPDATE ${table} SET ${name} = decoded(${bytes}) WHERE ${name} IS NOT NULL`);
}
