/**
 * Keeps cells of several rows whole where a table begins with head cells. Pandoc takes only the first row for the head, unless there is a
 * `thead`, and rows of head cells alone for a head of the body, and ends cells there. Those of later rows then slide into wrong columns.
 */
import { attributeIn, type Edit, edited, type Tag, tagsIn } from "#services/conversion/engines/inside/html-tags.ts";

type Row = {
  readonly from: number;
  to: number;
  readonly group: Group;
  /** Whether it has only head cells. */
  isHead: boolean;
  /** The rows of its tallest cell. */
  rows: number;
  /** Where the name of the first cell stands in its tags. */
  readonly names: number[];
};
type Group = { readonly name: string };
type Table = { group: Group; readonly rows: Row[] };

const groups = new Set(["thead", "tbody", "tfoot"]);
const endOfGroup = 65_534;

/** Undefined if all are whole. */
export function withWholeHeads(html: string): string | undefined {
  const [open, edits] = [[] as Table[], [] as Edit[]];
  for (const tag of tagsIn(html)) {
    const table = open.at(-1);
    if (tag.name === "table") {
      if (!tag.isEnd) open.push({ group: { name: "" }, rows: [] });
      else for (const edit of editsOf(open.pop()?.rows ?? [])) edits.push(edit);
    } else if (table !== undefined) follow(html, tag, table);
  }
  return edited(html, edits);
}

function follow(html: string, { name, isEnd, at, end }: Tag, table: Table): void {
  const row = table.rows.at(-1);
  if (groups.has(name)) table.group = { name: isEnd ? "" : name };
  else if (name === "tr" && !isEnd) table.rows.push({ from: at, to: end, group: table.group, isHead: false, rows: 1, names: [] });
  else if (row === undefined) return;
  else if (name === "tr") row.to = end;
  else if (name === "th" || name === "td") {
    if (row.names.length < 2) row.names.push(at + (isEnd ? 2 : 1));
    if (isEnd) return;
    row.isHead = name === "th" && (row.isHead || row.names.length === 1);
    const rows = Number.parseInt(attributeIn(html.slice(at, end), "rowspan") ?? "1", 10);
    row.rows = Math.max(row.rows, rows === 0 ? endOfGroup : rows || 1);
  }
}

function editsOf(rows: readonly Row[]): Edit[] {
  const hasHead = rows.some(({ group }) => group.name === "thead");
  return [...Map.groupBy(rows, ({ group }) => group).entries()].flatMap(([{ name }, own]) => {
    if (name === "thead" || name === "tfoot") return [];
    const first = own[0];
    if (name !== "" || hasHead || first !== rows[0] || first?.isHead !== true) return bodyEdits(own);
    const last = reached(own, 1);
    const rest = bodyEdits(own.slice(last));
    const end = own[last - 1]?.to ?? first.to;
    return last === 1 ? rest : [{ from: first.from, to: first.from, text: "<thead>" }, { from: end, to: end, text: "</thead>" }, ...rest];
  });
}

/** Makes the first cell an ordinary one, if a cell of the leading rows of head cells reaches into the others. */
function bodyEdits(rows: readonly Row[]): Edit[] {
  const other = rows.findIndex(({ isHead }) => !isHead);
  if (other <= 0 || reached(rows, other) === other) return [];
  return (rows[0]?.names ?? []).map((from) => ({ from, to: from + 2, text: "td" }));
}

/** How many rows the cells of this many first rows reach. */
function reached(rows: readonly Row[], first: number): number {
  let end = first;
  for (let place = 0; place < end; place += 1) end = Math.min(rows.length, Math.max(end, place + (rows[place]?.rows ?? 1)));
  return end;
}
