/** The paper of a document: size, margins and columns of each page, derived from its content. In points. */
import type { Box, PageContent } from "../content.ts";
import { boundsOf, type Place, placeOf } from "../placed.ts";
import type { Block } from "../tree.ts";

export type Sheet = Box & {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  /** Left edges of its columns; one for a page without columns. */
  readonly columns: readonly number[];
  readonly places: readonly Place[];
};

const leastMargin = 18;
/** Share of the page's width or height. */
const mostMargin = 0.3;
/** Share of the text width: wider blocks span columns. */
const across = 0.62;
/** At least this many paragraphs of two or more lines make a column. */
const fewestInColumn = 2;

export function sheetsOf(pages: readonly PageContent[], blocks: readonly Block[]): ReadonlyMap<number, Sheet> {
  const places = Map.groupBy(
    blocks.flatMap((block) => placeOf(block) ?? []),
    ({ page }) => page,
  );
  const sizes = Map.groupBy(pages, ({ width, height }) => `${Math.round(width)} ${Math.round(height)}`);
  const sheets = [...sizes.values()].flatMap((alike) => {
    const text = marginsOf(alike, places);
    let columns: readonly number[] = [];
    return alike.map(({ number, width, height }): Sheet => {
      const own = places.get(number) ?? [];
      columns = columnsOf(own, text, columns);
      return { number, width, height, ...text, columns, places: own };
    });
  });
  return new Map(sheets.map((sheet) => [sheet.number, sheet]));
}

/** Pages of the same size share their margins. */
function marginsOf(pages: readonly PageContent[], places: ReadonlyMap<number, readonly Place[]>): Box {
  const { left, top, right, bottom } = boundsOf(pages.flatMap(({ number }) => places.get(number) ?? []));
  const { width = 595, height = 842 } = pages[0] ?? {};
  const within = (margin: number, size: number) =>
    Number.isFinite(margin) ? Math.min(size * mostMargin, Math.max(leastMargin, margin)) : 72;
  return {
    left: within(left, width),
    top: within(top, height),
    right: width - within(width - right, width),
    bottom: height - within(height - bottom, height),
  };
}

/** Paragraphs side by side, in two or three columns of equal width; fewer of them suffice to continue the columns of the page before. */
function columnsOf(places: readonly Place[], { left, right }: Box, before: readonly number[]): readonly number[] {
  const width = right - left;
  const paragraphs = places.filter((place) => "lines" in place && (place.lines as readonly unknown[]).length > 1);
  const narrow = paragraphs.filter((place) => place.right - place.left < width * across);
  if (narrow.length < paragraphs.length / 2) return [left];
  for (const count of [3, 2]) {
    const lefts = Array.from({ length: count }, (_, index) => left + (width * index) / count);
    const found = lefts.map((x) =>
      narrow.filter((place) => Math.abs(place.left - x) < width * 0.06 && place.right - x < (width / count) * 1.03),
    );
    const fewest = before.length === count ? 1 : fewestInColumn;
    if (found.every(({ length }) => length >= fewest) && found.flat().length > narrow.length * 0.6) return lefts;
  }
  return [left];
}

/** Number of columns at the position of a block. */
export function columnsAt(sheet: Sheet, { left, right }: Box): number {
  const { columns } = sheet;
  const width = (sheet.right - sheet.left) / columns.length;
  const isInColumn = columns.some((x) => left > x - width * 0.1 && right < x + width * 1.06 && left - x < width * 0.5);
  return isInColumn ? columns.length : 1;
}

/** The column of a block, or the whole width. */
export function frameOf(sheet: Sheet, place: Box): { readonly left: number; readonly right: number } {
  const count = columnsAt(sheet, place);
  if (count === 1 && (sheet.columns.length > 1 || isAlone(sheet, place))) return sheet;
  const beside = sheet.places.filter(
    (other) => columnsAt(sheet, other) === count && other.left < place.right && other.right > place.left && isNear(other, place),
  );
  return boundsOf([place, ...beside]);
}

/** Blocks of one column share a left or right edge. */
const isNear = (one: Box, other: Box) => Math.abs(one.left - other.left) < 40 || Math.abs(one.right - other.right) < 3;

/** Whether nothing is beside it. */
function isAlone({ places }: Sheet, place: Box): boolean {
  return !places.some(
    (other) =>
      Math.min(other.bottom, place.bottom) - Math.max(other.top, place.top) > 2 && (other.left >= place.right || other.right <= place.left),
  );
}
