/** Values of a shapefile's dBase table that GDAL reads as something else, or not at all. */
import { readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Notes } from "../exchange.ts";
import { type Column, quoted, type Table, wordOfType } from "./columns.ts";
import { addNote, named } from "./notes.ts";
import { entriesIn } from "./zip-entries.ts";

type Field = { readonly type: string; readonly at: number; readonly width: number };

/** Booleans, which GDAL reads as letters, become booleans again, and integers of more than 53 bits text. */
export function withDbaseValues(database: DatabaseSync, tables: readonly Table[], input: string, notes: Notes): readonly Table[] {
  const files = filesIn(input);
  return tables.map((table) => {
    const file = files.get(table.label.toLowerCase());
    const fields = file === undefined ? [] : fieldsOf(file);
    if (file === undefined || fields.length !== table.columns.length) return table;
    const rows = rowsOf(file);
    if (database.prepare(`SELECT count(*) AS number FROM ${quoted(table.name)}`).get()?.["number"] !== rows.length) return table;
    const [large, unread]: [string[], string[]] = [[], []];
    const columns = table.columns.map((column, place) => {
      const { type, at, width } = fields[place] ?? { type: "", at: 0, width: 0 };
      if (type === "L") return asBoolean(database, table, column);
      if (!/[NFD]/.test(type)) return column;
      const texts = rows.map((row) =>
        row
          .subarray(at, at + width)
          .toString("latin1")
          .trim(),
      );
      const bad = texts.findIndex((text) => !isNothing.test(text) && !(type === "D" ? day.test(text) : Number.isFinite(Number(text))));
      if (bad >= 0) unread.push(`${column.name} in row ${bad + 1}`);
      if (type === "D") return column;
      const isWhole = column.type !== "real";
      // A field declared without decimals may contain some, and text that is not a number must not become zero.
      if (bad >= 0 || (isWhole && texts.some((text) => !isNothing.test(text) && !Number.isInteger(Number(text)))))
        return replaced(database, table, column, "real", texts);
      if (isWhole || !texts.some(isLarge)) return column;
      large.push(column.name);
      return replaced(database, table, column, "text", texts);
    });
    if (unread.length > 0) addNote(notes, "INPUT_DAMAGED", `Values that are not numbers or dates could not be read: ${named(unread)}.`);
    if (large.length > 0) addNote(notes, "TYPES_AS_TEXT", `Integers of more than 53 bits became text: ${named(large)}.`);
    return { ...table, columns };
  });
}

/** By layer. Tables that are too large to unpack here stay as GDAL reads them, and so do those in archives other than ZIP. */
function filesIn(input: string): ReadonlyMap<string, Buffer> {
  try {
    return new Map(entriesIn(readFileSync(input), /\.dbf$/i).map(({ name, content }) => [labelOf(name), content()]));
  } catch (error) {
    if (error instanceof RangeError) return new Map();
    throw error;
  }
}

const labelOf = (path: string): string => (path.split("/").at(-1) ?? "").replace(/\.dbf$/i, "").toLowerCase();
const isLarge = (text: string): boolean => /^[-+]?\d{1,30}$/.test(text) && !Number.isSafeInteger(Number(text));
/** Programs write asterisks or zeros for a missing value. */
const isNothing = /^(\*+|00000000|[ \0]*)$/;
const day = /^\d{4}\/?(0[1-9]|1[0-2])\/?(0[1-9]|[12]\d|3[01])$/;

function fieldsOf(file: Buffer): readonly Field[] {
  const fields: Field[] = [];
  if (file.length < 32) return fields;
  let offset = 1;
  for (let at = 32; at + 32 <= Math.min(file.readUInt16LE(8), file.length) && file[at] !== 0x0d; at += 32) {
    const width = file[at + 16] ?? 0;
    fields.push({ type: file.toString("latin1", at + 11, at + 12), at: offset, width });
    offset += width;
  }
  // A text field wider than its byte can state shifts all fields after it.
  return offset === file.readUInt16LE(10) ? fields : [];
}

/** Those that are not marked as deleted. */
function rowsOf(file: Buffer): readonly Buffer[] {
  const [count, start, size] = [file.readUInt32LE(4), file.readUInt16LE(8), file.readUInt16LE(10)];
  const whole = size === 0 ? 0 : Math.min(count, Math.floor((file.length - start) / size));
  const rows = Array.from({ length: Math.max(whole, 0) }, (_, row) => file.subarray(start + row * size, start + (row + 1) * size));
  return rows.filter((row) => row[0] !== 0x2a);
}

function asBoolean(database: DatabaseSync, { name: table }: Table, column: Column): Column {
  const name = quoted(column.name);
  if (column.type !== "text") return column;
  database.exec(
    `UPDATE ${quoted(table)} SET ${name} = CASE WHEN ${name} IN ('T', 't', 'Y', 'y') THEN '1' WHEN ${name} IN ('F', 'f', 'N', 'n') THEN '0' END`,
  );
  return { ...column, type: "boolean" };
}

function replaced(database: DatabaseSync, { name: table }: Table, column: Column, type: "text" | "real", texts: readonly string[]): Column {
  const inside = `filemill ${column.name}`;
  database.exec(`ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(inside)} ${wordOfType[type]}`);
  const change = database.prepare(`UPDATE ${quoted(table)} SET ${quoted(inside)} = ? WHERE rowid = ?`);
  const ids = database.prepare(`SELECT rowid AS id FROM ${quoted(table)} ORDER BY rowid`).all();
  for (const [row, { id }] of ids.entries()) {
    const text = texts[row] ?? "";
    if (id !== undefined && !isNothing.test(text)) change.run(type === "text" ? text : Number(text), id);
  }
  return { ...column, type, inside };
}
