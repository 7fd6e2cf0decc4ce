/** Decodes text in formats that do not declare an encoding. */
import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { codePageDecoder, guessCodePage } from "../dbase-code-pages.ts";
import type { Notes } from "../exchange.ts";
import { quoted, type Table } from "./columns.ts";
import { entriesIn } from "./zip-entries.ts";

export const unsureFormats: ReadonlySet<string> = new Set(["shp", "csv", "dgn", "gmt"]);

/** Enough to guess by. */
const mostTexts = 1000;

export function decodeTexts(database: DatabaseSync, tables: readonly Table[], input: string, notes: Notes): void {
  database.function("is_broken", (bytes) => (bytes instanceof Uint8Array && !isUtf8(bytes) ? 1 : 0));
  const columns = tables.flatMap(({ name: table, columns: all }) =>
    all.filter(({ type }) => type === "text").map(({ name }) => [quoted(table), `CAST(${quoted(name)} AS BLOB)`, quoted(name)] as const),
  );
  const broken = columns.flatMap(([table, bytes]) =>
    database.prepare(`SELECT ${bytes} AS bytes FROM ${table} WHERE is_broken(${bytes}) LIMIT ${mostTexts}`).all(),
  );
  if (broken.length === 0) return;
  const stated = statedIn(input);
  const label = stated ?? guessCodePage(Buffer.concat(broken.map(({ bytes }) => (bytes instanceof Uint8Array ? bytes : Buffer.alloc(0)))));
  if (stated === undefined) notes.set("ENCODING_GUESSED", `The text encoding was guessed to be ${label}.`);
  const decode = codePageDecoder(label);
  database.function("decoded", (bytes) => (bytes instanceof Uint8Array ? decode(bytes) : null));
  for (const [table, bytes, name] of columns) database.exec(`UPDATE ${table} SET ${name} = decoded(${bytes}) WHERE ${name} IS NOT NULL`);
}

/** GDAL knows only one of the code pages that a shapefile's .cpg calls "ANSI 1250". */
function statedIn(input: string): string | undefined {
  const [file] = entriesIn(readFileSync(input), /\.cpg$/i);
  const [, page] = /^ANSI (125[0-8])\b/i.exec(file?.content().toString("latin1") ?? "") ?? [];
  return page === undefined ? undefined : `windows-${page}`;
}
