/** Makes Pandoc read all columns of tables in a web page: it omits cells beyond those that `col` elements or the rows alone suggest. */
import { attributeIn, type Edit, edited, tagsIn } from "#services/conversion/engines/inside/html-tags.ts";

/** @see https://html.spec.whatwg.org/#attributes-common-to-td-and-th-elements */
const [mostColumns, mostRows] = [1000, 65_534];

type Table = {
  readonly lists: Edit[];
  /** Columns as Pandoc counts them: those that are listed, or of the row with the most cells. */
  listed: number;
  longest: number;
  /** The first row's columns, and where it ends. */
  first: { readonly columns: number; readonly end: number } | undefined;
  widest: number;
  row: number;
  inRow: number;
  /** Columns that cells of earlier rows cover, and how many of them end before a row. */
  covered: number;
  readonly ends: Map<number, number>;
  /** Cells of several columns, and the columns in which cells begin. */
  readonly wide: { readonly tag: Edit; readonly start: number; readonly columns: number }[];
  needed: number;
  hasTall: boolean;
};

const emptyTable = (): Table => ({
  ...{ lists: [], listed: 0, longest: 0, first: undefined, widest: 0, row: 0, inRow: 0, covered: 0, wide: [], needed: 0, hasTall: false },
  ends: new Map(),
});

/** The page without lists of too few columns, and with a whole first row in each table of which Pandoc would omit cells. Undefined if all are whole. */
export function withColumns(html: string): string | undefined {
  const [open, edits] = [[] as Table[], [] as Edit[]];
  for (const { name, isEnd, isEmpty, at, end } of tagsIn(html)) {
    const table = open.at(-1);
    if (name === "table" && !isEnd) {
      if (!isEmpty) open.push(emptyTable());
    } else if (table === undefined) continue;
    else if (name === "table") for (const edit of editsOf(open.pop() ?? table)) edits.push(edit);
    else if (name === "col" || name === "colgroup") {
      table.lists.push({ from: at, to: end, text: "" });
      if (name === "col" && !isEnd) table.listed += 1;
    } else if (name === "tr" && isEnd) table.first ??= { columns: table.inRow, end: at };
    else if (name === "tr") startRow(table);
    else if (!isEnd && (name === "td" || name === "th")) addCell(table, { from: at, to: end, text: html.slice(at, end) });
  }
  return edited(html, edits);
}

function startRow(table: Table): void {
  table.row += 1;
  table.inRow = 0;
  table.covered -= table.ends.get(table.row) ?? 0;
  table.ends.delete(table.row);
}

function addCell(table: Table, tag: Edit): void {
  const columns = spanOf(attributeIn(tag.text, "colspan"), mostColumns);
  const rows = spanOf(attributeIn(tag.text, "rowspan"), mostRows);
  if (columns > 1) table.wide.push({ tag, start: table.inRow, columns });
  table.needed = Math.max(table.needed, table.inRow + 1);
  table.inRow += columns;
  table.longest = Math.max(table.longest, table.inRow);
  table.widest = Math.min(mostColumns, Math.max(table.widest, table.inRow + table.covered));
  if (rows < 2) return;
  table.hasTall = true;
  // In its own row, the cell itself is counted.
  table.ends.set(table.row + 1, (table.ends.get(table.row + 1) ?? 0) - columns);
  table.ends.set(table.row + rows, (table.ends.get(table.row + rows) ?? 0) + columns);
}

const spanOf = (written: string | undefined, most: number): number => Math.min(most, Math.max(1, Number.parseInt(written ?? "1", 10) || 1));

function editsOf(table: Table): Edit[] {
  const { lists, listed, longest, first, widest } = table;
  const narrowed = narrowedIn(table);
  if (narrowed.length > 0) return [...narrowed, ...(listed === 0 ? [] : lists)];
  const missing = first === undefined || longest >= widest ? 0 : widest - first.columns;
  const pads = first === undefined || missing === 0 ? [] : [{ from: first.end, to: first.end, text: "<td></td>".repeat(missing) }];
  return listed === 0 || listed >= widest ? pads : [...lists, ...pads];
}

/** Ends wide cells where the last cell of any row begins. Authors write `colspan=100` for all columns, which Pandoc would make. */
function narrowedIn({ wide, needed, hasTall }: Table): Edit[] {
  if (hasTall) return [];
  return wide
    .filter(({ start, columns }) => start + columns > needed)
    .map(({ tag, start }) => ({
      ...tag,
      text: tag.text.replace(
        /(\scolspan\s{0,99}=\s{0,99})(?:"[^"]*"|'[^']*'|[^\s>]+)/i,
        (_whole, name: string) => `${name}"${needed - start}"`,
      ),
    }));
}
