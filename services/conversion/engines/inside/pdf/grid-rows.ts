/** Splits rows of a ruled table that no line separates. */
import { lookOfPiece, type Piece, rowsOf } from "./lines.ts";

type CellPieces = { readonly columns: number; readonly pieces: readonly Piece[] };

/** A bold line with non-bold text below it and no line between them. */
function isBoldHead(cells: readonly (readonly (readonly Piece[])[])[]): boolean {
  const [heads, rest] = [cells.flatMap(([head = []]) => head), cells.flatMap(([, ...below]) => below.flat())];
  const [{ baseline = 0 } = {}] = heads;
  return (
    cells.length > 1 &&
    cells.filter((lines) => lines.length > 1).length > cells.length / 2 &&
    heads.every((piece) => Math.abs(piece.baseline - baseline) < 2 && lookOfPiece(piece).isBold) &&
    !rest.some((piece) => lookOfPiece(piece).isBold)
  );
}

/** If lines are drawn only every few rows, all cells between two of them have the same number of text lines at the same heights. */
export function rowsWithin(cells: readonly CellPieces[]): (readonly CellPieces[])[] {
  const lines = cells.map(({ pieces }) => rowsOf(pieces));
  const filled = lines.filter((each) => each.length > 0);
  const [first] = filled;
  if (isBoldHead(filled)) {
    const partOf = (from: number, to?: number) =>
      cells.map(({ columns }, place) => ({ columns, pieces: lines[place]?.slice(from, to).flat() ?? [] }));
    return [partOf(0, 1), partOf(1)];
  }
  const heightOf = (row: readonly Piece[] | undefined) => row?.[0]?.baseline ?? 0;
  const isEven = filled.every(
    (each) => each.length === first?.length && each.every((row, index) => Math.abs(heightOf(row) - heightOf(first[index])) < 2),
  );
  if (first === undefined || first.length < 2 || filled.length < 3 || !isEven) return [cells];
  return first.map((_, index) => cells.map(({ columns }, place) => ({ columns, pieces: lines[place]?.[index] ?? [] })));
}
