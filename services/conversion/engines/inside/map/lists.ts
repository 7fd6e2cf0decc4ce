/** Lists of values, for which tables have no type: GDAL writes (2:a,b), but every program understands JSON. */
import type { DatabaseSync } from "node:sqlite";
import type { Notes } from "../exchange.ts";
import { quoted, type Table } from "./columns.ts";
import { addNote, named } from "./notes.ts";

export function withLists(database: DatabaseSync, tables: readonly Table[], names: ReadonlySet<string>, notes: Notes): readonly Table[] {
  database.function("json_list", (value) => (typeof value === "string" ? jsonOf(value) : value));
  return tables.map((table) => {
    const columns = table.columns.map((column) => {
      if (column.type !== "text" || !names.has(column.name)) return column;
      const name = quoted(column.name);
      const isSplit = `${name} IS NULL OR json_list(${name}) IS NOT NULL`;
      const rows = database.prepare(`SELECT 1 FROM ${quoted(table.name)} WHERE NOT (${isSplit}) LIMIT 1`).get();
      if (rows !== undefined) {
        addNote(notes, "STRUCTURE_FLATTENED", `Lists became text: ${named([column.name])}.`);
        return column;
      }
      database.exec(`UPDATE ${quoted(table.name)} SET ${name} = json_list(${name})`);
      return { ...column, type: "json" as const };
    });
    return { ...table, columns };
  });
}

/** Null if it is not a list, or if a comma in a text makes it look longer than it is. */
function jsonOf(text: string): string | null {
  const found = /^\((\d{1,9}):(.*)\)$/s.exec(text);
  const values = found?.[2] === "" ? [] : (found?.[2]?.split(",") ?? []);
  if (found === null || values.length !== Number(found[1])) return null;
  const areNumbers = values.every((value) => /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/.test(value));
  return areNumbers ? `[${values.join(",")}]` : JSON.stringify(values);
}
