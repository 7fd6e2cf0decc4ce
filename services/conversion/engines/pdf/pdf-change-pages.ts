/** Page lists: `3,1,5-` is the third, the first, and the fifth to the last page. */
import { FilemillError, invalidOption } from "#contract/errors.ts";

/** As many as a large book has; a page may be repeated. */
const maxPages = 20_000;

/**
 * The numbers of the pages to keep, in their new order; undefined to leave all unchanged.
 *
 * @throws FilemillError INVALID_OPTION for a page that the file does not have, or if none is left.
 */
export function pagesKept(pages: string | undefined, remove: string | undefined, total: number): readonly number[] | undefined {
  if (pages === undefined && remove === undefined) return undefined;
  if (total > maxPages) throw tooMany();
  const wanted = pages === undefined ? rangeOf(1, total) : pagesNamed("pages", pages, total);
  const gone = new Set(remove === undefined ? [] : pagesNamed("remove", remove, total));
  const kept = wanted.filter((page) => !gone.has(page));
  if (kept.length === 0) throw invalidOption("remove", "`remove` leaves no page; keep at least one.", `1 to ${total}`);
  return kept;
}

/** @throws FilemillError INVALID_OPTION, which names `option`, for a page that the file does not have. */
export function pagesNamed(option: string, text: string, total: number): readonly number[] {
  const found: number[] = [];
  for (const range of text.split(",")) {
    const [begin = "", end] = range.split("-");
    const first = Number(begin);
    const last = end === undefined ? first : end === "" ? total : Number(end);
    if (first < 1 || last < first || last > total) {
      throw invalidOption(option, `The PDF has ${total === 1 ? "one page" : `${total} pages`}.`, `1 to ${total}`);
    }
    if (found.length + last - first >= maxPages) throw tooMany();
    found.push(...rangeOf(first, last));
  }
  return found;
}

function tooMany(): FilemillError {
  return new FilemillError("INPUT_TOO_COMPLEX", `Pages can be selected from at most ${maxPages} pages.`);
}

function rangeOf(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The list in qpdf's syntax, with runs as ranges. */
export function rangesOf(pages: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const page of pages) {
    const open = ranges.at(-1);
    if (open !== undefined && page === open[1] + 1) open[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(",");
}
