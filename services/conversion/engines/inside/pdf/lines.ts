/** Groups runs into pieces of lines: text on one baseline without a gap. */
import type { Box, Look, Run } from "./content.ts";
import { inReadingOrder } from "./reading-order.ts";

/** A stretch of text on one line; a table row has one for each cell. */
export type Piece = Box & { readonly kind: "text"; readonly runs: readonly Run[]; readonly size: number; readonly baseline: number };

/** In ems; anything wider is more than a space. */
const wideGap = 0.95;
const spaceGap = 0.14;
/** As many columns may have lines beside each other. */
const openRows = 24;

export const textOfPiece = ({ runs }: { readonly runs: readonly Run[] }): string => runs.map(({ text }) => text).join("");

/** The look that all of its text shares. */
export function lookOfPiece({ runs }: { readonly runs: readonly Run[] }): Look {
  const inked = runs.filter(({ text }) => text.trim() !== "");
  return {
    isBold: inked.every(({ look }) => look.isBold),
    isItalic: inked.every(({ look }) => look.isItalic),
    isMono: inked.every(({ look }) => look.isMono),
  };
}

const heightOf = ({ size }: Run) => size * 0.95;
const topOf = ({ baseline, size }: Run) => baseline - size * 0.75;

/** Pieces from top to bottom and, within a line, from left to right. */
export function piecesOf(runs: readonly Run[]): Piece[] {
  const inked = runs.filter(({ text }) => text.trim() !== "").sort((one, other) => one.baseline - other.baseline || one.x - other.x);
  const rows: { runs: Run[]; top: number; bottom: number }[] = [];
  for (const run of inked) {
    const [top, bottom] = [topOf(run), topOf(run) + heightOf(run)];
    const row = rows
      .slice(-openRows)
      .find((each) => Math.min(bottom, each.bottom) - Math.max(top, each.top) > 0.5 * Math.min(bottom - top, each.bottom - each.top));
    if (row === undefined) rows.push({ runs: [run], top, bottom });
    else row.runs.push(run);
  }
  return rows.flatMap((row) => splitByGaps(row.runs)).sort((one, other) => one.top - other.top || one.left - other.left);
}

/** Splits the runs of a line at gaps wider than a space. */
export function splitByGaps(runs: readonly Run[], wide = wideGap): Piece[] {
  const sorted = [...runs].sort((one, other) => one.x - other.x);
  const groups: Run[][] = [];
  let end = -Infinity;
  for (const run of sorted) {
    const gap = run.x - end;
    const group = groups.at(-1);
    if (group === undefined || gap > wide * Math.min(run.size, group.at(-1)?.size ?? 0)) groups.push([run]);
    else if (gap > spaceGap * run.size && !/^\s/.test(run.text) && !/\s$/.test(group.at(-1)?.text ?? ""))
      group.push(spaceBefore(run, end), run);
    else group.push(run);
    end = Math.max(end, run.x + run.width);
  }
  return groups.map(pieceOf);
}

const spaceBefore = (run: Run, end: number): Run => ({ ...run, text: " ", x: end, width: run.x - end });

export function pieceOf(runs: readonly Run[]): Piece {
  const size = Math.max(...runs.map((run) => run.size));
  const baseline = Math.max(...runs.filter((run) => run.size === size).map((run) => run.baseline));
  const left = Math.min(...runs.map(({ x }) => x));
  const right = Math.max(...runs.map(({ x, width }) => x + width));
  return {
    kind: "text",
    runs: inReadingOrder([...runs].sort((one, other) => one.x - other.x)),
    size,
    baseline,
    left,
    right,
    top: baseline - size * 0.75,
    bottom: baseline + size * 0.2,
  };
}

/** Merges the pieces of a line; the gaps between them become spaces. */
export function mergedLine(pieces: readonly Piece[]): Piece {
  const [first, ...rest] = pieces;
  if (first === undefined) throw new RangeError("A line has a piece.");
  if (rest.length === 0) return first;
  return pieceOf(
    pieces.flatMap(({ runs, left }, index) => {
      const [head] = runs;
      const before = pieces[index - 1];
      return head === undefined || before === undefined ? runs : [spaceBefore({ ...head, x: left }, before.right), ...runs];
    }),
  );
}

/** Lines of a flow: pieces that lie side by side. */
export function rowsOf<T extends Box>(pieces: readonly T[]): T[][] {
  const rows: T[][] = [];
  for (const piece of [...pieces].sort((one, other) => one.top - other.top)) {
    const row = rows.at(-1);
    const overlap =
      row === undefined
        ? 0
        : Math.min(piece.bottom, ...row.map(({ bottom }) => bottom)) - Math.max(piece.top, ...row.map(({ top }) => top));
    if (row !== undefined && overlap > 0.5 * Math.min(piece.bottom - piece.top, ...row.map(({ top, bottom }) => bottom - top)))
      row.push(piece);
    else rows.push([piece]);
  }
  return rows.map((row) => row.sort((one, other) => one.left - other.left));
}

/** The value with the greatest total weight. */
export function commonest(values: Iterable<readonly [value: number, weight: number]>): number {
  const weights = new Map<number, number>();
  for (const [value, weight] of values) weights.set(value, (weights.get(value) ?? 0) + weight);
  let [best, most] = [0, -1];
  for (const [value, weight] of weights) if (weight > most) [best, most] = [value, weight];
  return best;
}
