/** Pads the rows of a tagged table to equal width: programs omit empty cells, which would shift those that follow into other columns. */
import { boundsOf, settingsIn } from "./placed.ts";
import type { Cell } from "./tree.ts";

type Span = { readonly left: number; readonly right: number };

export function evenRows(rows: readonly Cell[][]): Cell[][] {
  const widthOf = (row: readonly Cell[]) => row.reduce((sum, { columns = 1 }) => sum + columns, 0);
  const count = Math.max(0, ...rows.map(widthOf));
  const columns = Array.from({ length: count }, (_, index) =>
    spanOf(rows.filter((row) => widthOf(row) === count && row.length === count).flatMap((row) => row[index] ?? [])),
  );
  if (columns.some((column) => column === undefined)) return [...rows];
  return rows.map((row) =>
    widthOf(row) < count && row.every(({ columns: own = 1 }) => own === 1) ? placed(row, columns as readonly Span[]) : row,
  );
}

function spanOf(cells: readonly Cell[]): Span | undefined {
  const settings = cells.flatMap(({ blocks }) => settingsIn(blocks));
  return settings.length === 0 ? undefined : boundsOf(settings);
}

/** Places each cell in the column whose text it is aligned with, but never before the preceding cell. */
function placed(row: readonly Cell[], columns: readonly Span[]): Cell[] {
  const places = row.map((cell) => {
    const span = spanOf([cell]);
    if (span === undefined) return -1;
    const distances = columns.map(
      ({ left, right }) => Math.max(0, left - span.right, span.left - right) * 1000 + Math.abs(left + right - span.left - span.right),
    );
    return distances.indexOf(Math.min(...distances));
  });
  const inked = row.filter((_, index) => (places[index] ?? -1) >= 0);
  const found = places.filter((place) => place >= 0);
  if (found.some((place, index) => place <= (found[index - 1] ?? -1))) return [...row];
  return columns.map((_, index) => inked[found.indexOf(index)] ?? { isHead: row.every(({ isHead }) => isHead), blocks: [] });
}
