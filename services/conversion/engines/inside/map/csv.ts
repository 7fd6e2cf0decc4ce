/** Finds the numeric columns of a text table: only those where each value is written exactly as its number is. 007 and 1.50 stay text. */
import type { DatabaseSync } from "node:sqlite";
import { type Column, type ColumnType, quoted, type Table } from "./columns.ts";

export function withNumbers(database: DatabaseSync, tables: readonly Table[]): readonly Table[] {
  database.function("number_type", (value) => (typeof value === "string" && value !== "" ? typeOf(value) : null));
  database.function("to_number", (value) => (typeof value === "string" && value !== "" ? numberOf(value) : null));
  return tables.map((table) => ({ ...table, columns: table.columns.map((column) => typed(database, table, column)) }));
}

function typed(database: DatabaseSync, { name: table }: Table, column: Column): Column {
  if (column.type !== "text") return column;
  const rows = database.prepare(`SELECT DISTINCT number_type(${quoted(column.name)}) AS type FROM ${quoted(table)}`).all();
  const types = new Set(rows.flatMap(({ type }) => (type === null ? [] : [String(type)])));
  const type = (["short", "integer", "real"] as const).find(
    (wanted) => types.size > 0 && [...types].every((each) => isWithin(each, wanted)),
  );
  return type === undefined ? column : { ...column, type, isWritten: true };
}

function isWithin(type: string, wanted: ColumnType): boolean {
  return type === wanted || (type === "short" && wanted !== "text");
}

function typeOf(text: string): ColumnType {
  if (/^(0|-?[1-9]\d{0,17})$/.test(text)) return text.length < 10 ? "short" : "integer";
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text && /^-?\d/.test(text) ? "real" : "text";
}

function numberOf(text: string): number | bigint {
  return typeOf(text) === "real" ? Number(text) : BigInt(text);
}
