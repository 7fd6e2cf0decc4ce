/** What GDAL does not report about an OpenStreetMap file: objects of which it makes no shape, and who edited them when. */
import type { DatabaseSync } from "node:sqlite";
import type { Notes } from "../exchange.ts";
import { attributeIn, attributes, tagsIn } from "../html-tags.ts";
import { quoted, type Table } from "./columns.ts";
import { addNote, named } from "./notes.ts";

const objects = new Set(["node", "way", "relation"]);
const edits = new Set(["version", "timestamp", "changeset", "uid", "user"]);

/** GDAL computes the order in which roads are drawn, which is not in the file. */
export function withoutComputed(table: Table): Table {
  return { ...table, columns: table.columns.filter(({ name }) => name !== "z_order") };
}

export function inspectOsm(text: string, database: DatabaseSync, tables: readonly Table[], notes: Notes): void {
  const read = idsIn(database, tables);
  const left: string[] = [];
  let [isEdited, hasRoles] = [false, false];
  /** An object of which no tag has been seen yet. */
  let bare: string | undefined;
  for (const { name, isEnd, isEmpty, at, end } of tagsIn(text)) {
    if (objects.has(name)) {
      const tag = text.slice(at, end);
      isEdited ||= attributes(tag).some((each) => edits.has(each.name));
      bare = isEnd || isEmpty ? undefined : `${name} ${attributeIn(tag, "id")}`;
    } else if (name === "member") {
      hasRoles ||= (attributeIn(text.slice(at, end), "role") ?? "") !== "";
    } else if (name === "tag" && bare !== undefined) {
      if (!read.has(bare)) left.push(bare);
      bare = undefined;
    }
  }
  if (left.length > 0)
    addNote(notes, "ENTRIES_LEFT_OUT", `Objects with tags that make no shape of their own were left out: ${named(left)}.`);
  const lost = [...(isEdited ? ["Versions, editors and times of edits"] : []), ...(hasRoles ? ["Roles of members"] : [])];
  if (lost.length > 0) addNote(notes, "METADATA_DROPPED", `${lost.join(" and ").replace(" and Roles", " and roles")} were left out.`);
}

const kindsOf: Readonly<Record<string, readonly [own: string, ofWay?: string]>> = {
  points: ["node"],
  lines: ["way"],
  multilinestrings: ["relation"],
  multipolygons: ["relation", "way"],
  other_relations: ["relation"],
};

/** Of the objects that GDAL made shapes of: areas come from relations or from ways. */
function idsIn(database: DatabaseSync, tables: readonly Table[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { name, label, columns } of tables) {
    for (const [place, column] of ["osm_id", "osm_way_id"].entries()) {
      const kind = kindsOf[label]?.[place];
      if (kind === undefined || !columns.some((each) => each.name === column)) continue;
      const rows = database.prepare(`SELECT ${quoted(column)} AS id FROM ${quoted(name)} WHERE ${quoted(column)} IS NOT NULL`).iterate();
      for (const { id } of rows) found.add(`${kind} ${String(id)}`);
    }
  }
  return found;
}
