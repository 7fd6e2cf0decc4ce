/** Tables without vertical lines: rows whose pieces are aligned in columns, with clear gaps between them. */
import type { Box } from "./content.ts";
import { lookOfPiece, type Piece, textOfPiece } from "./lines.ts";
import { isNumeric } from "./numeric.ts";

export type AlignedTable = { readonly cells: Piece[][][]; readonly rows: number };

const fewestRows = 2;
/** Minimum width of the gap between columns, in ems. */
const strip = 0.9;

/** The table that starts with the first of these rows, and how many rows it has. */
export function tableAt(
  rows: readonly (readonly Piece[])[],
  rules: readonly Box[],
  isMarker: (piece: Piece) => boolean,
): AlignedTable | undefined {
  const [first] = rows;
  if (first === undefined || first.length < 2 || isMarker(first[0] as Piece)) return undefined;
  const taken: (readonly Piece[])[] = [];
  for (const [index, row] of rows.entries()) {
    if (!goesOn(taken, row, rules, isMarker) && !isGroupTitle(taken, row, rows[index + 1])) break;
    taken.push(row);
  }
  if (taken.filter((row) => row.length > 1).length < fewestRows) return undefined;
  const columns = columnsOf(taken);
  if (columns.length < 2 || isProse(taken, columns.length)) return undefined;
  return { cells: cellsOf(taken, columns, rules), rows: taken.length };
}

function goesOn(
  taken: readonly (readonly Piece[])[],
  row: readonly Piece[],
  rules: readonly Box[],
  isMarker: (piece: Piece) => boolean,
): boolean {
  const last = taken.at(-1);
  if (last === undefined) return true;
  const [piece] = row;
  const [above] = last;
  if (piece === undefined || above === undefined || isMarker(piece)) return false;
  const gap = piece.top - Math.max(...last.map(({ bottom }) => bottom));
  const isRuled = rules.some(({ top, left, right }) => top > above.top && top < piece.bottom && left < piece.right && right > piece.left);
  if (gap > piece.size * (isRuled ? 2.5 : 1.3)) return false;
  const columns = columnsOf(taken);
  const all = columnsOf([...taken, row]);
  if (row.length > 1) return all.length >= 2 && all.length >= columns.length - 1;
  // A continuation line of a cell lies within one column and does not cross others.
  const crossed = columns.filter(({ left, right }) => left < piece.right && right > piece.left).length;
  return (
    crossed <= 1 &&
    (columns.findIndex(({ left, right }) => left < piece.right && right > piece.left) > 0 || isRuled) &&
    gap < piece.size * 0.8
  );
}

/** A line with only a label between rows of figures, above another row with the same columns. */
function isGroupTitle(taken: readonly (readonly Piece[])[], row: readonly Piece[], next: readonly Piece[] | undefined): boolean {
  const [label, second] = row;
  const [above = []] = [taken.findLast((each) => each.length > 1)];
  if (label === undefined || second !== undefined || next === undefined || next.length < 2 || next.length !== above.length) return false;
  const isAligned = next.slice(1).every((piece, index) => overlaps(piece, above[index + 1]) && isNumeric(textOfPiece(piece)));
  const [nextGap, gap] = [(next[0]?.top ?? 0) - label.bottom, label.top - (taken.at(-1)?.[0]?.bottom ?? 0)];
  return isAligned && gap < label.size * 1.6 && nextGap < label.size && label.right < (next[1]?.left ?? 0);
}

const overlaps = (one: Strip, other: Strip | undefined) => other !== undefined && one.left < other.right && one.right > other.left;

type Strip = { left: number; right: number };

/** A drawing may have more. */
const mostColumns = 100;
/** Share of the rows that have all columns. */
const completeRows = 0.2;

/**
 * The column ranges: rows with most pieces, projected onto the horizontal axis. In other rows, a head may span several columns, and a
 * column that is only filled there may be empty.
 */
export function columnsOf(rows: readonly (readonly Piece[])[]): Strip[] {
  const lengths = rows.map(({ length }) => length).sort((one, other) => other - one);
  const most = lengths[Math.min(lengths.length - 1, Math.max(1, Math.floor(lengths.length * completeRows)))] ?? 0;
  const columns = projected(rows.filter(({ length }) => length >= most).flat());
  if (columns.length > mostColumns) return columns;
  for (const piece of rows.filter(({ length }) => length < most).flat()) {
    const reach = strip * piece.size * 0.5;
    const met = columns.filter(({ left, right }) => left < piece.right + reach && right > piece.left - reach);
    const [only] = met;
    if (met.length > 1) continue;
    if (only === undefined) columns.push({ left: piece.left, right: piece.right });
    else [only.left, only.right] = [Math.min(only.left, piece.left), Math.max(only.right, piece.right)];
  }
  return columns.sort((one, other) => one.left - other.left);
}

function projected(pieces: readonly Piece[]): Strip[] {
  const columns: Strip[] = [];
  for (const { left, right, size } of [...pieces].sort((one, other) => one.left - other.left)) {
    const last = columns.at(-1);
    if (last !== undefined && left < last.right + strip * size * 0.5) last.right = Math.max(last.right, right);
    else columns.push({ left, right });
  }
  return columns;
}

const sectionNumber = /^\s*(?:[A-Z]|\d{1,3})(?:\.\d{1,3})+\.?\s*$/;

/** Justified text also has wide gaps, but only in a few lines; section numbers stand apart from their titles. */
function isProse(rows: readonly (readonly Piece[])[], columns: number): boolean {
  const isNumbered = ([number, title]: readonly Piece[]) =>
    number !== undefined && title !== undefined && sectionNumber.test(textOfPiece(number)) && !isNumeric(textOfPiece(title));
  if (columns === 2 && rows.every(isNumbered)) return true;
  const filled = rows.reduce((sum, row) => sum + row.length, 0);
  return filled < rows.length * columns * 0.3 || rows.every((row) => row.every((piece) => piece.runs.every(({ look }) => look.isMono)));
}

function cellsOf(rows: readonly (readonly Piece[])[], columns: readonly Strip[], rules: readonly Box[]): Piece[][][] {
  const table: Piece[][][] = [];
  const between = rowRules(rows, rules);
  const isOfNumbers = (row: readonly Piece[]) => row.length === 1 || row.slice(1).every((piece) => isNumeric(textOfPiece(piece)));
  const areNumeric = rows.filter((row) => row.length > 1 && isOfNumbers(row)).length > rows.length / 2;
  for (const [index, row] of rows.entries()) {
    const isNew =
      index === 0 ||
      (areNumeric && row.length > 1 && isOfNumbers(row)) ||
      (index === 1 && isHead(rows[0] ?? [], row)) ||
      (between.some((isRuled) => isRuled) ? between[index] === true : beginsRow(row, columns));
    if (isNew) table.push(columns.map(() => []));
    for (const piece of row) {
      const met = columns.findIndex((column) => overlaps(column, piece));
      const place = met < 0 ? columns.findLastIndex(({ left }) => left <= piece.left + 1) : met;
      table.at(-1)?.[Math.max(0, place)]?.push(piece);
    }
  }
  return table;
}

/** Bold above non-bold: a row of its own, with or without a line below it. */
const isHead = (row: readonly Piece[], next: readonly Piece[]) =>
  row.every((piece) => lookOfPiece(piece).isBold) && next.some((piece) => !lookOfPiece(piece).isBold);

/** For each row, whether a line is drawn above it. */
function rowRules(rows: readonly (readonly Piece[])[], rules: readonly Box[]): boolean[] {
  const found = rows.map((row, index) => {
    const above = rows[index - 1];
    if (above === undefined) return false;
    const [from, to] = [Math.max(...above.map(({ baseline }) => baseline)), Math.max(...row.map(({ baseline }) => baseline))];
    return rules.some(({ top, left, right }) => top > from && top < to && row.some((piece) => left < piece.right && right > piece.left));
  });
  // A single line, below the head, says nothing about the other rows.
  return found.filter((isRuled) => isRuled).length > 1 || rows.length === 2 ? found : found.map(() => false);
}

/** A line with an empty first column continues the row above. */
function beginsRow(row: readonly Piece[], columns: readonly Strip[]): boolean {
  const [first, second] = columns;
  return row.some((piece) => first !== undefined && piece.left < first.right && textOfPiece(piece).trim() !== "") || second === undefined;
}
