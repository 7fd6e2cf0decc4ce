/** Tables in Word: column widths and lines as on the page, numbers aligned on the same side. */
import { AlignmentType, BorderStyle, type Paragraph, Table, TableCell, TableLayoutType, TableRow, WidthType } from "docx";
import { placeOf, settingsIn } from "../placed.ts";
import { isRightToLeft } from "../reading-order.ts";
import { type Block, type Cell, type Setting, shownBy } from "../tree.ts";

type TableBlock = Extract<Block, { kind: "table" }>;
export type Alignment = (typeof AlignmentType)[keyof typeof AlignmentType] | undefined;
/** Writes the content of a cell for Word. */
export type CellWriter = (cell: Cell, alignment: Alignment) => readonly (Paragraph | Table)[];
type Frame = { readonly left: number; readonly right: number };

const twips = (points: number) => Math.round(points * 20);
/** Maximum and minimum points between a cell's text and its edge. */
const [widePadding, leastPadding] = [4, 0.8];
const narrowest = 12;
/** In points: distances too small to see, and large enough to see. */
const [near, far] = [2, 4];

type Column = { readonly settings: readonly Setting[]; readonly texts: readonly string[] };
type Widths = { readonly widths: readonly number[]; readonly padding: number };

export function tableOf(block: TableBlock, frame: Frame, write: CellWriter): Table {
  const { rows, lines } = block;
  const count = Math.max(1, ...rows.map((row) => row.reduce((sum, { columns = 1 }) => sum + columns, 0)));
  const columns = Array.from({ length: count }, (_, index) => columnOf(rows, index));
  const isReversed = isRightToLeft(columns.flatMap(({ texts }) => texts).join(" "));
  const found = widthsOf(isReversed ? columns.toReversed() : columns, frame.right - frame.left);
  const widths = isReversed ? found.widths.toReversed() : found.widths;
  const heads = rows.findIndex((row) => row.some(({ isHead }) => !isHead));
  const [across, upright] = [lineFor(lines !== undefined), lineFor(lines === "all")];
  const sides = twips(found.padding);
  const alignments = columns.map(alignmentOf);
  return new Table({
    columnWidths: widths.map(twips),
    width: { size: twips(sumOf(widths)), type: WidthType.DXA },
    layout: TableLayoutType.FIXED,
    borders: { top: across, bottom: across, insideHorizontal: across, left: upright, right: upright, insideVertical: upright },
    margins: { left: sides, right: sides, top: twips(1), bottom: twips(1) },
    ...(isReversed ? { visuallyRightToLeft: true } : standingOf(block, frame, sumOf(widths))),
    rows: rows.map((row, index) => {
      const children = cellsOf(row, alignments, widths, write);
      return new TableRow({ children, cantSplit: true, ...(index < heads ? { tableHeader: true } : {}) });
    }),
  });
}

const sumOf = (widths: readonly number[]) => widths.reduce((sum, each) => sum + each, 0);

const lineFor = (isDrawn: boolean) =>
  isDrawn ? { style: BorderStyle.SINGLE, size: 4, color: "808080" } : { style: BorderStyle.NONE, size: 0, color: "auto" };

/** Word does not open a table whose rows end at different columns: missing cells are added empty. */
function cellsOf(row: readonly Cell[], alignments: readonly Alignment[], widths: readonly number[], write: CellWriter): TableCell[] {
  const count = widths.length;
  const given = row.reduce((sum, { columns = 1 }) => sum + columns, 0);
  const missing = Array.from({ length: Math.max(0, count - given) }, (): Cell => ({ isHead: false, blocks: [] }));
  let column = 0;
  return [...row, ...missing].map((cell) => {
    const span = Math.min(cell.columns ?? 1, Math.max(1, count - column));
    const width = sumOf(widths.slice(column, column + span));
    const children = write(cell, span === 1 ? alignments[column] : undefined);
    column += span;
    return new TableCell({ children, ...(span > 1 ? { columnSpan: span } : {}), width: { size: twips(width), type: WidthType.DXA } });
  });
}

/** Centred in its text column, or at the same distance from its edge as on the page. */
function standingOf(block: TableBlock, frame: Frame, width: number) {
  const place = placeOf(block);
  if (place === undefined) return {};
  const [before, after] = [place.left - frame.left, frame.right - place.right];
  if (before < far * 2) return {};
  if (Math.abs(before - after) < far * 2) return { alignment: AlignmentType.CENTER };
  return { indent: { size: twips(Math.max(0, Math.min(before, frame.right - frame.left - width))), type: WidthType.DXA } };
}

function columnOf(rows: readonly (readonly Cell[])[], wanted: number): Column {
  const cells = rows.flatMap((row) => {
    let column = 0;
    for (const cell of row) {
      const { columns = 1 } = cell;
      if (column === wanted) return columns === 1 ? [cell] : [];
      column += columns;
    }
    return [];
  });
  return { settings: cells.flatMap(({ blocks }) => settingsIn(blocks)), texts: cells.map(({ blocks }) => blocks.map(shownBy).join(" ")) };
}

/** Columns divide halfway between the text of two neighbours; those without text share the rest. */
function widthsOf(columns: readonly Column[], room: number): Widths {
  const spans = columns.map(({ settings }) => ({
    left: settings.reduce((least, { left }) => Math.min(least, left), Number.POSITIVE_INFINITY),
    right: settings.reduce((most, { right }) => Math.max(most, right), Number.NEGATIVE_INFINITY),
  }));
  const gaps = spans.slice(1).map(({ left }, index) => left - (spans[index]?.right ?? Number.NaN));
  const padding = Math.min(widePadding, Math.max(leastPadding, Math.min(...gaps.filter((gap) => gap > 0)) / 2 - 0.5));
  const edges = spans.map(({ left }, index) => {
    const gap = gaps[index - 1] ?? Number.NaN;
    return gap > 0 ? left - gap / 2 : left - (index === 0 ? widePadding : padding);
  });
  edges.push((spans.at(-1)?.right ?? Number.NaN) + widePadding);
  const known = edges.filter(Number.isFinite);
  const [start = 0, end = 0] = [known[0], known.at(-1)];
  const even = Math.max(narrowest, (end > start ? end - start : room) / Math.max(1, columns.length));
  const widths = columns.map((_, index) => {
    const width = (edges[index + 1] ?? Number.NaN) - (edges[index] ?? Number.NaN);
    return Number.isFinite(width) && width > 0 ? Math.max(narrowest, width) : even;
  });
  const total = sumOf(widths);
  // Another font may be wider: columns get a little extra where there is room.
  const scale = Math.min(1.06, room / total);
  return { widths: widths.map((width) => width * scale), padding };
}

const figure = /^[-+−–(]?[^\p{L}\p{N}]{0,3}\d[\d.,'’\s\u00a0]*[)%\-\s\p{Sc}]{0,4}$/u;

function alignmentOf({ settings, texts }: Column): Alignment {
  const lines = settings.flatMap((setting) => setting.lines);
  if (lines.length < 2) return undefined;
  // A single head above a column of numbers may be aligned differently.
  const differ = (values: readonly number[]) => {
    const sorted = values.toSorted((one, other) => one - other);
    const cut = Math.floor(sorted.length / 10);
    return (sorted.at(-1 - cut) ?? 0) - (sorted[cut] ?? 0);
  };
  const isEvenAtRight = differ(lines.map(({ right }) => right)) < near;
  const filled = texts.filter((text) => text.trim() !== "");
  const spread = (values: readonly number[]) => {
    const sorted = values.toSorted((one, other) => one - other);
    return (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
  };
  const isRather = spread(lines.map(({ right }) => right)) < spread(lines.map(({ left }) => left));
  if (isEvenAtRight && isRather && filled.filter((text) => figure.test(text.trim())).length * 2 > filled.length) return AlignmentType.RIGHT;
  if (differ(lines.map(({ left }) => left)) < far) return undefined;
  if (isEvenAtRight) return AlignmentType.RIGHT;
  return differ(lines.map(({ left, right }) => (left + right) / 2)) < near ? AlignmentType.CENTER : undefined;
}
