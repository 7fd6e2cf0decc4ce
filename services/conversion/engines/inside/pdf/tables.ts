/** Extracts the tables of a document: one as text, or each in a sheet of its own. */
import * as workbooks from "@e965/xlsx";
import { type Notes, numberOption, type Options } from "../exchange.ts";
import { Failure, inexpressible } from "../failure.ts";
import { textOfLines } from "../records/csv.ts";
import { canonicalNumber } from "../records/delimited.ts";
import { tablesAsJson } from "./json.ts";
import { placeOf } from "./placed.ts";
import { type Block, type Inline, textOf } from "./tree.ts";

type Lines = string[][];

export function writeTables(blocks: readonly Block[], to: string, options: Options, notes: Notes): string | Uint8Array {
  const found = tablesIn(blocks);
  const tables = found.map(linesOf);
  if (tables.length === 0) throw inexpressible("No table was found in the pages.");
  if (blocks.some(({ kind }) => kind !== "table")) notes.set("ENTRIES_LEFT_OUT", "Only tables were converted.");
  if (to === "json") return tablesAsJson(found.map((table) => ({ place: placeOf(table), rows: linesOf(table) })));
  if (to === "xlsx") return workbookOf(tables);
  const wanted = numberOption(options, "table") ?? 1;
  const table = tables[wanted - 1];
  if (table === undefined) throw new Failure("INVALID_OPTION", `The pages hold ${tables.length} tables.`);
  if (tables.length > 1) notes.set("SHEETS_LEFT_OUT", `Only table ${wanted} of ${tables.length} was converted.`);
  return textOfLines(table, to, options);
}

type Table = Extract<Block, { kind: "table" }>;

function tablesIn(blocks: readonly Block[]): Table[] {
  return blocks.flatMap((block): Table[] => {
    if (block.kind === "quote") return tablesIn(block.blocks);
    if (block.kind === "list") return block.items.flatMap((item) => tablesIn(item.blocks));
    return block.kind === "table" ? [block] : [];
  });
}

/** A cell that spans columns goes into the first of them. */
function linesOf({ rows }: Table): Lines {
  return rows.map((row) => row.flatMap(({ blocks, columns = 1 }) => [textOfBlocks(blocks), ...Array<string>(columns - 1).fill("")]));
}

function textOfBlocks(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.kind === "heading" || block.kind === "paragraph") return textOf(block.inlines.map(rising));
      if (block.kind === "code") return block.text;
      if (block.kind === "list") return block.items.map((item) => textOfBlocks(item.blocks)).join("\n");
      return block.kind === "quote" ? textOfBlocks(block.blocks) : "";
    })
    .filter((text) => text !== "")
    .join("\n");
}

/** 42 with a footnote mark is not 421, nor is ten to the fifth 105. */
const rising = (inline: Inline): Inline =>
  inline.isRaised === true || inline.note !== undefined ? { ...inline, text: `^${inline.note?.label ?? inline.text}` } : inline;

/** Only canonical numbers become numbers; 007, 1.50 and 1,234 stay text. */
function workbookOf(tables: readonly Lines[]): Uint8Array {
  const book = workbooks.utils.book_new();
  for (const [index, lines] of tables.entries()) {
    const cells = lines.map((line) => line.map((text) => (canonicalNumber.test(text) && text.length < 16 ? Number(text) : text)));
    workbooks.utils.book_append_sheet(book, workbooks.utils.aoa_to_sheet(cells, { dense: true }), `Table ${index + 1}`);
  }
  const written: unknown = workbooks.write(book, { type: "buffer", bookType: "xlsx", compression: true });
  return written instanceof Uint8Array ? written : Buffer.from(String(written), "utf8");
}
