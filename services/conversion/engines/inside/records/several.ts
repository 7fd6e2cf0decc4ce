/** Converts all sheets of a workbook, or all tables of a database, if the target holds several and none was chosen. */
import { type Converted, type Notes, noteAlso, noteOnce, noteWithin, type Question, textOption } from "../exchange.ts";
import { Failure } from "../failure.ts";
import { openAccess } from "./access.ts";
import { parseSqlite, writeSqliteTables } from "./columns.ts";
import { writeJson } from "./json.ts";
import { everySheet, linesOfSheet, parseSheet, writeSheet } from "./sheets.ts";
import { type Cell, cellText, recordsOf } from "./tables.ts";
import { firstOf, type Value } from "./values.ts";
import { joinedBook, rewrittenBook } from "./whole-books.ts";

const databases = new Set(["sqlite", "mdb"]);
const books = new Set(["xlsx", "xlsm", "xltx", "xlsb", "xls", "xlt", "ods", "ots", "fods", "numbers", "slk", "xlsx2003"]);

/** Undefined if there is only one table, or one was chosen: it is then converted alone. */
export function severalOf(bytes: Buffer, { from, to, options }: Question, notes: Notes): Converted | undefined {
  if (to === "md") return markdownOf(bytes, options, notes);
  if (books.has(from) && books.has(to)) return rewrittenBook(bytes, to, notes);
  if (databases.has(from) && (to === "json" || to === "sqlite" || books.has(to))) {
    const raised: Notes = new Map();
    const tables = from === "mdb" ? everyAccessTable(bytes, options, notes) : parseSqlite(bytes, options, raised, true);
    if (!(tables instanceof Map)) return undefined;
    for (const [code, message = ""] of raised) noteAlso(notes, code, message);
    if (to === "json") return writeJson(tables, options, notes);
    if (to === "sqlite") return writeSqliteTables(tables, notes);
    return joinedBook(
      new Map([...tables].map(([name, rows]) => [name, within(notes, name, (raised) => writeSheet(rows, to, options, raised))])),
      to,
      notes,
    );
  }
  if (to !== "json" || !books.has(from) || textOption(options, "sheet") !== undefined) return undefined;
  const sheets = everySheet(bytes, notes, (sheet, raised, book) => recordsOf(parseSheet(bytes, { ...options, sheet }, raised, book)));
  if (sheets.length < 2) return undefined;
  const bare = sheets.filter(([, rows]) => rows?.length === 0).map(([name]) => name);
  if (bare.length > 0) noteOnce(notes, "EMPTY_VALUES_DROPPED", `Sheets without a second row lost their column names: ${firstOf(bare)}.`);
  return writeJson(new Map<string, Value>(sheets.map(([name, rows]) => [name, rows ?? []])), options, notes);
}

function everyAccessTable(bytes: Buffer, options: Question["options"], notes: Notes): Value {
  const { names, table } = openAccess(bytes);
  if (names.length < 2 || textOption(options, "table") !== undefined) return null;
  return new Map(names.map((name) => [name, within(notes, name, (raised) => recordsOf(table(name, raised)))]));
}

/** Makes one part; its notes name it. */
function within<T>(notes: Notes, part: string, make: (raised: Notes) => T): T {
  const raised: Notes = new Map();
  const made = make(raised);
  noteWithin(notes, part, raised);
  return made;
}

/** A heading and a table for each sheet. */
function markdownOf(bytes: Buffer, options: Question["options"], notes: Notes): string {
  if (textOption(options, "sheet") !== undefined) return tableOf(linesOfSheet(bytes, options, notes));
  const sheets = everySheet(bytes, notes, (sheet, raised, book) => linesOfSheet(bytes, { sheet }, raised, book));
  if (sheets.every(([, lines]) => lines === undefined)) throw new Failure("CONVERSION_FAILED", "The sheets are empty.");
  return sheets.map(([name, lines]) => `## ${escaped(name)}\n\n${lines === undefined ? "" : tableOf(lines)}`).join("\n");
}

function tableOf(lines: readonly (readonly Cell[])[]): string {
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  const rows = lines.map((line) => Array.from({ length: width }, (_, place) => escaped(cellText(line[place] ?? null))));
  const [head = [], ...rest] = rows.map((cells) => `| ${cells.join(" | ")} |\n`);
  return `${head}|${" --- |".repeat(width)}\n${rest.join("")}`;
}

/** Escapes Markdown syntax. */
function escaped(text: string): string {
  return text
    .replace(/[\\|`*<[\]]/g, "\\$&")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    .replace(/~(?=~)/g, "\\~")
    .replace(/&(?=#?\w{1,32};)/g, "&amp;")
    .replace(/\r\n?|\n/g, "<br>");
}
