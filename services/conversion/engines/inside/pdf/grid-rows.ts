/** Splits rows of a ruled table that no line separates. */
import { lookOfPiece, type Piece, rowsOf, textOfPiece } from "./lines.ts";
import { isNumeric } from "./numeric.ts";

export type CellPieces = { readonly columns: number; readonly pieces: readonly Piece[] };

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

type Lines = readonly (readonly Piece[])[];

const heightOf = (row: readonly Piece[] | undefined) => row?.[0]?.baseline ?? 0;

/** Rows of a grid that are not separated by lines: below a bold head, at text lines that are even in all cells, or at figures. */
export function rowsWithin(cells: readonly CellPieces[]): (readonly CellPieces[])[] {
  const lines = cells.map(({ pieces }) => rowsOf(pieces));
  const filled = lines.filter((each) => each.length > 0);
  if (isBoldHead(filled)) {
    const partOf = (from: number, to?: number) =>
      cells.map(({ columns }, place) => ({ columns, pieces: lines[place]?.slice(from, to).flat() ?? [] }));
    return [partOf(0, 1), ...rowsWithin(partOf(1))];
  }
  const [first] = filled;
  const isEven = filled.every(
    (each) => each.length === first?.length && each.every((row, index) => Math.abs(heightOf(row) - heightOf(first[index])) < 2),
  );
  if (first !== undefined && first.length > 1 && filled.length > 2 && isEven)
    return first.map((_, index) => cells.map(({ columns }, place) => ({ columns, pieces: lines[place]?.[index] ?? [] })));
  return rowsOfNumbers(cells, lines) ?? [cells];
}

const fewestRows = 3;
/** More than a page has lines. */
const mostRows = 400;
/**
 * Columns of figures, each on a line of its own, beside one column of labels: every line with figures in most columns starts a row.
 * Undefined for other text, whose lines only continue each other.
 */
function rowsOfNumbers(cells: readonly CellPieces[], lines: readonly Lines[]): (readonly CellPieces[])[] | undefined {
  const filled = lines.filter((each) => each.length > 0).length;
  const heights = heightsOf(lines);
  if (heights.length > mostRows) return undefined;
  const starts = heights.filter((height) => lines.filter((each) => isAt(each, height)).length >= Math.max(2, filled / 2));
  const begins = (row: readonly Piece[]) => starts.some((start) => Math.abs(heightOf(row) - start) <= sameLine);
  const texts = lines.slice(1).flatMap((each) => each.filter(begins).map((row) => row.map(textOfPiece).join(" ")));
  if (starts.length < fewestRows || texts.filter(isNumeric).length < texts.length * 0.5) return undefined;
  const tops = heights.filter((height, index) => index === 0 || starts.includes(height) || isLabel(lines, height, heights[index - 1] ?? 0));
  return tops.map((top, index) => {
    const below = tops[index + 1] ?? Infinity;
    const within = (row: readonly Piece[]) => heightOf(row) >= top - sameLine && heightOf(row) < below - sameLine;
    return cells.map(({ columns }, place) => ({ columns, pieces: lines[place]?.filter(within).flat() ?? [] }));
  });
}

/** In points. */
const sameLine = 2.5;

/** The distinct heights of lines. */
function heightsOf(lines: readonly Lines[]): number[] {
  const heights: number[] = [];
  for (const height of lines
    .flat()
    .map(heightOf)
    .sort((one, other) => one - other))
    if (height - (heights.at(-1) ?? -Infinity) > sameLine) heights.push(height);
  return heights;
}

const isAt = (lines: Lines, height: number) => lines.some((row) => Math.abs(heightOf(row) - height) <= sameLine);

/** A line with only a label, such as the title of a group of rows, that does not continue the label above. */
function isLabel([labels = [], ...others]: readonly Lines[], height: number, above: number): boolean {
  const rowAt = (place: number) => labels.find((row) => Math.abs(heightOf(row) - place) <= sameLine);
  const [piece] = rowAt(height) ?? [];
  if (piece === undefined || others.some((each) => isAt(each, height))) return false;
  const [before] = rowAt(above) ?? [];
  const isIndented = before !== undefined && piece.left > before.left + piece.size * 0.4;
  return !isIndented && !/^[\s\p{Ll}(]/u.test(textOfPiece(piece));
}
