/**
 * Makes Pandoc read all columns of tables in a Word document: it omits cells beyond the columns that a table declares, and many programs
 * declare none.
 */
import { type Edit, edited } from "#services/conversion/engines/inside/html-tags.ts";

const marks = /<(\/?)w:(tbl|tblGrid|gridCol|tr|tc|gridSpan|gridBefore|tblGridChange)(?=[ >/])[^<>]*>/g;
/** Limit for a grid according to its widest row. More than Word's 63 columns are of no use. */
const mostColumns = 1000;

/** Word's tables have 63 columns. */
const mostSkipped = 63;

type Table = {
  grid: { readonly start: number; end: number } | undefined;
  firstRow: number;
  columns: number;
  inRow: number;
  listed: number;
  /** Columns that the row leaves out at its beginning, until its first cell. */
  skipped: number;
};

/** The document with a list of columns for each table that has too few. Undefined if all have enough. */
export function withGrids(document: string): string | undefined {
  if (!document.includes("<w:tbl>") && !document.includes("<w:tbl ")) return undefined;
  const open: Table[] = [];
  const changes: Edit[] = [];
  let inChange = 0;
  for (const { 0: tag, 1: isEnd = "", 2: name = "", index } of document.matchAll(marks)) {
    const table = open.at(-1);
    const isEmpty = tag.endsWith("/>");
    if (name === "tblGridChange") inChange += isEmpty ? 0 : isEnd === "" ? 1 : -1;
    else if (name === "tbl" && isEnd === "") open.push({ grid: undefined, firstRow: -1, columns: 0, inRow: 0, listed: 0, skipped: 0 });
    else if (table === undefined || inChange > 0) continue;
    else if (name === "tbl") {
      open.pop();
      changes.push(...changeOf(table));
    } else {
      if (name === "tc" && isEnd === "" && table.skipped > 0) {
        changes.push({ from: index, to: index, text: "<w:tc><w:p/></w:tc>".repeat(table.skipped) });
        table.skipped = 0;
      }
      follow(table, { name, isEnd: isEnd !== "", isEmpty, tag, start: index, end: index + tag.length });
    }
  }
  return edited(document, changes);
}

type Mark = {
  readonly name: string;
  readonly isEnd: boolean;
  readonly isEmpty: boolean;
  readonly tag: string;
  readonly start: number;
  readonly end: number;
};

function follow(table: Table, { name, isEnd, isEmpty, tag, start, end }: Mark): void {
  if (name === "tblGrid") {
    if (!isEnd) table.grid = { start, end };
    else if (table.grid !== undefined) table.grid.end = end;
  } else if (name === "gridCol") {
    // Pandoc counts only those with a width.
    if (!isEnd && /\bw:w="\d/.test(tag)) table.listed += 1;
  } else if (name === "tr") {
    if (isEnd) return;
    if (table.firstRow < 0) table.firstRow = start;
    table.inRow = 0;
    table.skipped = 0;
  } else if (!isEnd) {
    const told = Number(/\bw:val="(\d{1,4})"/.exec(tag)?.[1] ?? 1);
    // A cell is one column, and its span says how many more.
    if (name === "tc") table.inRow += isEmpty ? 0 : 1;
    else table.inRow += name === "gridSpan" ? Math.max(0, told - 1) : told;
    if (name === "gridBefore") table.skipped = Math.min(told, mostSkipped);
    table.columns = Math.min(mostColumns, Math.max(table.columns, table.inRow));
  }
}

function changeOf({ grid, firstRow, columns, listed }: Table) {
  if (columns <= listed || firstRow < 0) return [];
  const text = `<w:tblGrid>${'<w:gridCol w:w="1000"/>'.repeat(columns)}</w:tblGrid>`;
  return [grid === undefined ? { from: firstRow, to: firstRow, text } : { from: grid.start, to: grid.end, text }];
}
