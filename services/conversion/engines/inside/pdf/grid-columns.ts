/** Splits columns of a ruled table that no line separates: those with several figures side by side in most rows. */
import { columnsOf } from "./aligned-tables.ts";
import type { Run } from "./content.ts";
import type { CellPieces } from "./grid-rows.ts";
import { type Piece, piecesOf, textOfPiece } from "./lines.ts";
import { isNumeric } from "./numeric.ts";
import { partedAt } from "./run-parts.ts";

type Row = readonly CellPieces[];
type Placed = CellPieces & { readonly column: number };

const fewestRows = 3;
/** Shares. */
const mostRows = 0.6;
const mostNumeric = 0.7;
/** Figures side by side in one column of a table. */
const mostParts = 12;

export function withInnerColumns(rows: readonly Row[]): readonly Row[] {
  const placed = rows.map((row) => {
    let next = 0;
    return row.map((cell): Placed => {
      const column = next;
      next += cell.columns;
      return { ...cell, column };
    });
  });
  const byColumn = Map.groupBy(
    placed.flat().filter(({ columns, pieces }) => columns === 1 && pieces.length > 0),
    ({ column }) => column,
  );
  const edges = new Map([...byColumn].map(([column, cells]) => [column, edgesOf(cells)]));
  if ([...edges.values()].every(({ length }) => length === 0)) return rows;
  return placed.map((row) => row.flatMap((cell) => splitAt(cell, edges)));
}

/** The middles of the gaps between figures that most cells have side by side or next to a label, in the same places. */
function edgesOf(cells: readonly Placed[]): readonly number[] {
  const several = cells.map(({ pieces }) => pieces).filter(({ length }) => length > 1);
  if (several.length < fewestRows || several.length < cells.length * mostRows) return [];
  const others = several.flatMap((pieces) => pieces.slice(1));
  if (others.filter((piece) => isNumeric(textOfPiece(piece))).length < others.length * mostNumeric) return [];
  const columns = columnsOf(several);
  if (columns.length < 2 || columns.length > mostParts) return [];
  const edges = columns.slice(1).map(({ left }, index) => ((columns[index]?.right ?? left) + left) / 2);
  const isCrossed = several.flat().some(({ left, right }) => edges.some((edge) => left < edge - 1 && right > edge + 1));
  return isCrossed ? [] : edges;
}

function splitAt(cell: Placed, edges: ReadonlyMap<number, readonly number[]>): readonly CellPieces[] {
  const { column, columns, pieces } = cell;
  const own = edges.get(column) ?? [];
  const inner = Array.from({ length: columns }, (_, index) => (edges.get(column + index) ?? []).length);
  const whole = { columns: columns + inner.reduce((sum, each) => sum + each, 0), pieces };
  if (columns > 1 || own.length === 0 || pieces.some((piece) => crosses(piece, own))) return [whole];
  const parts = own.concat(Infinity).map((): Run[] => []);
  for (const { runs } of pieces)
    for (const run of runs)
      for (const part of partedAt(run, own)) parts[own.concat(Infinity).findIndex((edge) => part.x + part.width / 2 < edge)]?.push(part);
  if (parts.filter((runs) => runs.length > 0).length < 2) return [whole];
  return parts.map((runs) => ({ columns: 1, pieces: piecesOf(runs) }));
}

/** Words across an edge belong to all parts, as a head does; figures side by side do not. */
function crosses({ left, right, ...piece }: Piece, edges: readonly number[]): boolean {
  return edges.some((edge) => left < edge - 1 && right > edge + 1) && !isNumeric(textOfPiece(piece));
}
