/** Texts of SQLite databases that are not UTF-8: older programs store them in the encoding of their system, and SQLite does not check. */
import { isUtf8 } from "node:buffer";
import type { DatabaseSync } from "node:sqlite";
import { type Notes, noteOnce } from "../exchange.ts";
import { guessEncoding } from "../guess-encoding.ts";

type Row = readonly unknown[];

function rowsBy(database: DatabaseSync, query: string): readonly Row[] {
  const statement = database.prepare(query);
  statement.setReturnArrays(true);
  return statement.all() as unknown as readonly Row[];
}

/** All rows of a table; `columns` and `table` are quoted names. */
export function rowsWithTexts(database: DatabaseSync, columns: readonly string[], table: string, notes: Notes): readonly Row[] {
  const rows = rowsBy(database, `SELECT * FROM ${table}`);
  const isDoubtful = rows.some((row) => row.some((cell) => typeof cell === "string" && cell.includes("\ufffd")));
  if (!isDoubtful || database.prepare("PRAGMA encoding").get()?.["encoding"] !== "UTF-8") return rows;
  const parts = columns.flatMap((name) => [
    `typeof(${name})`,
    `CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END`,
  ]);
  const raw = rowsBy(database, `SELECT ${parts.join(", ")} FROM ${table}`);
  const textIn = (row: Row, place: number) => {
    const bytes = row[2 * place + 1];
    return row[2 * place] === "text" && bytes instanceof Uint8Array ? bytes : undefined;
  };
  const broken = raw.flatMap((row) => columns.flatMap((_, place) => textIn(row, place) ?? [])).filter((bytes) => !isUtf8(bytes));
  if (broken.length === 0) return rows;
  // One guess for all, each on a line of its own.
  const guess = guessEncoding(Buffer.concat(broken.flatMap((bytes) => [bytes, Buffer.from("\n")])));
  noteOnce(notes, "ENCODING_GUESSED", `The encoding of texts that are not UTF-8 was guessed to be ${guess}.`);
  const decoder = new TextDecoder(guess);
  return raw.map((row) =>
    columns.map((_, place) => {
      const bytes = textIn(row, place);
      if (bytes === undefined) return row[2 * place + 1];
      return isUtf8(bytes) ? Buffer.from(bytes).toString() : decoder.decode(bytes);
    }),
  );
}
