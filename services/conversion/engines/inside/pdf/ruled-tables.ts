/** Tables with ruled cells: each space between lines is a cell. */
import type { Box, Run } from "./content.ts";
import { type Piece, piecesOf } from "./lines.ts";
import { partedAt } from "./run-parts.ts";
import type { DrawnLines } from "./tree.ts";

export type Grid = Box & { readonly kind: "grid"; readonly rows: readonly GridCell[][] };
export type GridCell = { readonly runs: Run[]; readonly columns: number };

const near = 3;
/** A narrower space is a line's overhang and no column. */
const narrowest = 12;
/** Rows of one table that are marked only by the ends of vertical lines. */
const maxStarts = 200;
const isUpright = ({ left, right, top, bottom }: Box) => right - left < bottom - top;

/** Tables, and the text outside them. The lines of drawings form tables too, most of whose cells are empty. */
export function gridsOf(
  rules: readonly Box[],
  runs: readonly Run[],
  drawings: readonly Box[] = [],
): { readonly grids: Grid[]; readonly rest: Run[] } {
  const grids: Grid[] = [];
  let rest = [...runs];
  for (const group of touching(rules)) {
    const lines = {
      across: merged(
        group.filter((rule) => !isUpright(rule)),
        "top",
      ),
      upright: withOuter(merged(group.filter(isUpright), "left"), boundsOf(group)),
    };
    if (lines.across.length < 2 || lines.upright.length < 3) continue;
    const box = boundsOf(group);
    const inside = rest.filter((run) => holds(box, run));
    const uprights = group.filter(isUpright);
    const grid = gridOf(withStarts(lines.across, uprights, inside), lines.upright, uprights, inside);
    // A frame around a diagram or the page.
    if (grid.length < 1 || filledCells(grid) < 3) continue;
    if (filledCells(grid) < grid.flat().length / 2 && drawings.some((drawing) => covers(drawing, box))) continue;
    grids.push({ kind: "grid", ...box, rows: grid });
    const taken = new Set(inside);
    rest = rest.filter((run) => !taken.has(run));
  }
  return { grids, rest };
}

const mostOfTable = 0.6;

function covers(drawing: Box, { left, right, top, bottom }: Box): boolean {
  const [width, height] = [
    Math.min(right, drawing.right) - Math.max(left, drawing.left),
    Math.min(bottom, drawing.bottom) - Math.max(top, drawing.top),
  ];
  return width > 0 && height > 0 && width * height > (right - left) * (bottom - top) * mostOfTable;
}

const middleOf = ({ x, width, baseline, size }: Run): readonly [x: number, y: number] => [x + width / 2, baseline - size * 0.3];

function holds(box: Box, run: Run): boolean {
  const [x, y] = middleOf(run);
  return x > box.left - 1 && x < box.right + 1 && y > box.top - 1 && y < box.bottom + 1;
}

function boundsOf(boxes: readonly Box[]): Box {
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

/** Groups lines that touch, directly or through others. Sorted from the top, each line joins the open groups near it. */
function touching(rules: readonly Box[]): Box[][] {
  let open: { box: Box; rules: Box[] }[] = [];
  const done: Box[][] = [];
  for (const rule of [...rules].sort((one, other) => one.top - other.top)) {
    done.push(...open.filter(({ box }) => box.bottom < rule.top - near).map((group) => group.rules));
    open = open.filter(({ box }) => box.bottom >= rule.top - near);
    const met = open.filter(({ box }) => box.left - near < rule.right && box.right + near > rule.left);
    // Merged into the largest group, so that a large table is not copied line by line.
    const [largest, ...others] = met.sort((one, other) => other.rules.length - one.rules.length);
    if (largest === undefined) {
      open.push({ box: rule, rules: [rule] });
      continue;
    }
    largest.box = boundsOf([rule, ...met.map(({ box }) => box)]);
    for (const each of others) for (const other of each.rules) largest.rules.push(other);
    largest.rules.push(rule);
    if (others.length > 0) open = open.filter((each) => !others.includes(each));
  }
  return [...done, ...open.map((group) => group.rules)];
}

/** The outer columns of a table are often open: its horizontal lines then extend beyond the outer vertical ones. */
function withOuter(upright: readonly number[], { left, right }: Box): number[] {
  const [first = left, last = right] = [upright[0], upright.at(-1)];
  return [...(left < first - narrowest ? [left] : []), ...upright, ...(right > last + narrowest ? [right] : [])];
}

/** Distinct positions of lines. */
function merged(rules: readonly Box[], side: "left" | "top"): number[] {
  const places: number[] = [];
  for (const place of rules.map((rule) => rule[side]).sort((one, other) => one - other)) {
    if (place - (places.at(-1) ?? -Infinity) > near) places.push(place);
  }
  return places;
}

/**
 * Positions of horizontal lines, and of starts shared by several vertical
 * lines between them that cut through no text: a row starts there too.
 */
function withStarts(across: readonly number[], uprights: readonly Box[], runs: readonly Run[]): number[] {
  const starts = Map.groupBy(uprights, ({ top }) => Math.round(top / near));
  const found = [...starts.values()].filter((lines) => new Set(lines.map(({ left }) => Math.round(left / near))).size > 1);
  const letters = runs.filter(({ text }) => text.trim() !== "");
  const isClear = (y: number) => !letters.some(({ baseline, size }) => baseline - size * 0.6 < y && baseline > y);
  const places = found.slice(0, maxStarts).map(([line]) => line?.top ?? 0);
  const isNew = (y: number) => !across.some((top) => Math.abs(top - y) <= near * 1.5) && isClear(y);
  return [...across, ...places.filter(isNew)].sort((one, other) => one - other);
}

function gridOf(across: readonly number[], upright: readonly number[], lines: readonly Box[], runs: readonly Run[]): GridCell[][] {
  const byPlace = linesByPlace(upright, lines);
  const rows = across.slice(0, -1).map((top, index) => rowOf(top, across[index + 1] ?? top, upright, byPlace));
  for (const run of runs) {
    const [, y] = middleOf(run);
    const row = rows[across.findLastIndex((top) => top <= y + 1)] ?? [];
    // Split only at lines next to this row: a head that spans columns stays whole.
    for (const part of partedAt(
      run,
      row.map(({ left }) => left),
    ))
      row.findLast(({ left }) => left <= middleOf(part)[0] + 1)?.runs.push(part);
  }
  return rows
    .map((row) => row.flatMap((cell) => splitAtColumns(cell, upright)))
    .filter((row) => row.some(({ runs: own }) => own.length > 0));
}

/** Share of the pieces: a long text may run over into the next column. */
const mostAcross = 0.1;

/** Columns are often ruled in the head only: a wide cell is split at their edges if its text is in several of them and crosses few. */
function splitAtColumns(cell: GridCell & { readonly left: number }, upright: readonly number[]): readonly GridCell[] {
  if (cell.columns < 2 || cell.runs.length < 2) return [cell];
  const first = upright.indexOf(cell.left);
  const edges = upright.slice(first, first + cell.columns);
  const pieces = piecesOf(cell.runs);
  const isAcross = ({ left, right, size }: Piece) => edges.some((edge) => left < edge - size * 0.2 && right > edge + size * 0.2);
  const across = new Set(pieces.filter(isAcross));
  if (across.size > pieces.length * mostAcross) return [cell];
  const parts = edges.map((): { runs: Run[]; columns: number } => ({ runs: [], columns: 1 }));
  for (const piece of pieces) {
    const place = across.has(piece) ? piece.left + piece.size * 0.2 : (piece.left + piece.right) / 2;
    const column = edges.findLastIndex((edge) => edge <= place);
    for (const run of piece.runs) parts[Math.max(0, column)]?.runs.push(run);
  }
  return parts.filter(({ runs }) => runs.length > 0).length < 2 ? [cell] : parts;
}

/** The lines at each position. */
function linesByPlace(upright: readonly number[], lines: readonly Box[]): readonly (readonly Box[])[] {
  const found: Box[][] = upright.map(() => []);
  let place = 0;
  for (const { left, line } of lines.map((line) => ({ left: line.left, line })).sort((one, other) => one.left - other.left)) {
    while (place < upright.length && (upright[place] ?? 0) < left - near) place += 1;
    for (let at = place; at < upright.length && (upright[at] ?? 0) <= left + near; at++) found[at]?.push(line);
  }
  return found;
}

/** Cells that no line separates are merged. */
function rowOf(top: number, bottom: number, upright: readonly number[], lines: readonly (readonly Box[])[]) {
  const cells: { left: number; runs: Run[]; columns: number }[] = [];
  for (const [index, left] of upright.slice(0, -1).entries()) {
    const last = cells.at(-1);
    const isParted = lines[index]?.some((line) => Math.min(line.bottom, bottom) - Math.max(line.top, top) > (bottom - top) * 0.4) === true;
    if (index > 0 && last !== undefined && !isParted) last.columns += 1;
    else cells.push({ left, runs: [], columns: 1 });
  }
  return cells;
}

/** Which lines are drawn within a table, even if its cells were found by other means. */
export function linesWithin(box: Box, rules: readonly Box[]): DrawnLines | undefined {
  const inside = rules.filter(
    (rule) =>
      rule.left > box.left - near && rule.right < box.right + 4 * near && rule.top < box.bottom + near && rule.bottom > box.top - near,
  );
  if (inside.some((rule) => isUpright(rule) && rule.left > box.left + near && rule.right < box.right - near)) return "all";
  return rules.some(
    (rule) => !isUpright(rule) && rule.top > box.top && rule.bottom < box.bottom && rule.left < box.right && rule.right > box.left,
  )
    ? "across"
    : undefined;
}

const filledCells = (rows: readonly (readonly GridCell[])[]) => rows.flat().filter(({ runs }) => runs.length > 0).length;
