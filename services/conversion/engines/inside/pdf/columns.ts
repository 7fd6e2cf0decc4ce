/** Reading order of a page: columns from left to right, each from top to bottom. */
import type { Box } from "./content.ts";
import { type Piece, rowsOf, textOfPiece } from "./lines.ts";
import { isNumeric } from "./numeric.ts";

/** Columns are filled with text; table cells rarely are, and rarely have equal widths. */
const columnFill = { half: 0.7, quarter: 0 };
const evenColumnFill = { half: 0, quarter: 0.45 };
const longLines = { half: 0.6, quarter: 0 };
/** Horizontal lines belong to a table if there are at least three, and at least one per this many rows. */
const rowsOfRule = 8;
const linesOfColumn = 4;
const narrowest = 7;
const maxSteps = 2000;
/** Share of the atoms; a running head and a page number are two. */
const beyondEdge = 0.03;
/** In points; four columns on A4 are as wide. */
const narrowestColumn = 105;
/** A title is larger than the column's text by this factor. */
const titleSize = 1.25;
/** Share of the lines that are not titles, however much small print there is. */
const mostLetters = 0.85;
/** A gap that nothing crosses, with at least this many lines on both sides, separates columns even if their lines are short. */
const linesOfLongColumn = 12;

/** Groups of atoms in reading order, each within one column or spanning several. */
export function flowsOf<T extends Box>(atoms: readonly T[], rules: readonly Box[] = []): T[][] {
  if (atoms.length < 2 * linesOfColumn) return atoms.length === 0 ? [] : [[...atoms]];
  const gutter = gutterOf(atoms, rules);
  if (gutter === undefined) return [[...atoms]];
  const flows: T[][] = [];
  for (const band of bandsOf(atoms, gutter)) {
    if (band.isAcross) flows.push(band.atoms);
    else {
      flows.push(
        ...flowsOf(
          band.atoms.filter(({ right }) => right <= gutter + 1),
          rules,
        ),
      );
      flows.push(
        ...flowsOf(
          band.atoms.filter(({ right }) => right > gutter + 1),
          rules,
        ),
      );
    }
  }
  return flows;
}

type Band<T> = { readonly isAcross: boolean; readonly atoms: T[] };

const crosses = ({ left, right }: Box, x: number) => left < x - 1 && right > x + 1;

/** Atoms that cross the gutter separate what is above them from what is below. */
function bandsOf<T extends Box>(atoms: readonly T[], gutter: number): Band<T>[] {
  const bands: Band<T>[] = [];
  const sizes = atoms.map(sizeOf).sort((one, other) => one - other);
  const usual = sizes[Math.floor(sizes.length * mostLetters)] ?? 0;
  for (const atom of [...atoms].sort((one, other) => one.top - other.top)) {
    const isAcross = crosses(atom, gutter) || (sizeOf(atom) > usual * titleSize && standsAlone(atom, atoms, gutter));
    const band = bands.at(-1);
    if (band === undefined || band.isAcross !== isAcross) bands.push({ isAcross, atoms: [atom] });
    else band.atoms.push(atom);
  }
  return bands;
}

const sizeOf = (atom: Box): number => ("size" in atom && typeof atom.size === "number" ? atom.size : 0);

/** A short title across columns has nothing beside it in the other column, which continues below it. */
function standsAlone(atom: Box, atoms: readonly Box[], gutter: number): boolean {
  const others = atoms.filter((other) => other.left > gutter !== atom.left > gutter && !crosses(other, gutter));
  const slack = (atom.bottom - atom.top) * 0.8;
  const isBeside = others.some((other) => other.top < atom.bottom + slack && other.bottom > atom.top - slack);
  return !isBeside && others.some((other) => other.top > atom.bottom) && atom.right <= gutter;
}

/** The middle of the widest gap that the fewest lines cross, with columns of text on both sides. */
function gutterOf(atoms: readonly Box[], rules: readonly Box[]): number | undefined {
  const [left, right] = edgesOf(atoms);
  const margin = (right - left) * 0.1;
  const crossings: number[] = [];
  const step = Math.max(1, (right - left) / maxSteps);
  for (let x = left + margin; x <= right - margin; x += step)
    crossings.push(atoms.reduce((sum, atom) => sum + (crosses(atom, x) ? 1 : 0), 0));
  const levels = [0, 1, 2, 3, 5, atoms.length * 0.1, atoms.length * 0.2].filter((most) => most <= Math.max(3, atoms.length * 0.2));
  const strips = levels.flatMap((most) => stripsOf(crossings, most).sort((one, other) => other.width - one.width));
  const middles = strips.map(({ start, width }) => left + margin + (start + width / 2) * step);
  const isEven = (x: number) => [1 / 3, 1 / 2, 2 / 3].some((even) => Math.abs((x - left) / (right - left) - even) < 0.05);
  const isWide = (x: number) => Math.min(x - left, right - x) > narrowestColumn;
  const isClear = (x: number) => rules.filter((rule) => crosses(rule, x)).length < Math.max(3, atoms.length / rowsOfRule);
  const isGutter = (x: number) => isWide(x) && isClear(x) && isBetweenColumns(atoms, x, isEven(x));
  return middles.filter(isEven).find(isGutter) ?? middles.find(isGutter);
}

/** Ignores outliers at the edges of the text: a running head may start at the edge of the paper. */
function edgesOf(atoms: readonly Box[]): readonly [left: number, right: number] {
  const few = Math.ceil(atoms.length * beyondEdge);
  const sorted = (edges: readonly number[]) => edges.toSorted((one, other) => one - other);
  return [sorted(atoms.map((atom) => atom.left))[few] ?? 0, sorted(atoms.map((atom) => atom.right)).at(-1 - few) ?? 0];
}

function stripsOf(crossings: readonly number[], most: number): { readonly start: number; readonly width: number }[] {
  const strips: { start: number; width: number }[] = [];
  let width = 0;
  for (const [index, count] of [...crossings, Infinity].entries()) {
    if (count <= most) width += 1;
    else {
      if (width >= narrowest) strips.push({ start: index - width, width });
      width = 0;
    }
  }
  return strips;
}

/** Short text above or below a table or picture across the page, such as a letterhead, is not a column. */
function crossesLittle(atoms: readonly Box[], x: number): boolean {
  const heightOf = (some: readonly Box[]) => some.reduce((sum, { top, bottom }) => sum + bottom - top, 0);
  const [top, bottom] = [Math.min(...atoms.map((atom) => atom.top)), Math.max(...atoms.map((atom) => atom.bottom))];
  return heightOf(atoms.filter((atom) => crosses(atom, x))) < (bottom - top) * 0.4;
}

function isBetweenColumns(atoms: readonly Box[], x: number, isEven: boolean): boolean {
  const own = atoms.filter((atom) => !crosses(atom, x));
  const [before, after] = [rowsOf(own.filter(({ right }) => right <= x + 1)), rowsOf(own.filter(({ right }) => right > x + 1))];
  if (areNumeric(before) || areNumeric(after)) return false;
  const isLong = Math.min(before.length, after.length) >= linesOfLongColumn;
  if (isEven && isLong && own.length === atoms.length && !standBesideEachOther(before, after)) return true;
  if (!isLong && !crossesLittle(atoms, x)) return false;
  const fill = isEven ? evenColumnFill : columnFill;
  if (!isColumn(before, fill) || !isColumn(after, fill)) return false;
  // Rows of a table start at the same height, as lines in some columns do; but those are long.
  return !standBesideEachOther(before, after) || (isEven && isColumn(before, longLines) && isColumn(after, longLines));
}

/** Most of its lines, or a quarter of them, span its width. */
function isColumn(rows: readonly (readonly Box[])[], fill: typeof columnFill): boolean {
  if (rows.length < linesOfColumn) return false;
  const left = Math.min(...rows.flat().map((atom) => atom.left));
  const ends = rows.map((row) => Math.max(...row.map(({ right }) => right)) - left).sort((one, other) => other - one);
  const width = ends[0] ?? 1;
  const share = (part: number) => (ends[Math.floor(ends.length * part)] ?? 0) / width;
  return share(0.5) > fill.half && share(0.25) > fill.quarter;
}

/** A column of figures belongs to a table. */
const areNumeric = (rows: readonly (readonly Box[])[]) => rows.filter((row) => row.every(isNumericAtom)).length > rows.length / 2;
const isNumericAtom = (atom: Box) => "runs" in atom && isNumeric(textOfPiece(atom as Piece));

/** Rows of a table start at the same height. */
function standBesideEachOther(before: readonly (readonly Box[])[], after: readonly (readonly Box[])[]): boolean {
  const heights = new Set(after.map((row) => Math.round(row[0]?.bottom ?? 0)));
  const beside = before.filter((row) => [-1, 0, 1].some((off) => heights.has(Math.round(row[0]?.bottom ?? 0) + off))).length;
  return beside > before.length * 0.6;
}
