/** Running heads and page numbers: lines at the edge that repeat on most pages. */
import type { Notes } from "../exchange.ts";
import { type Piece, rowsOf, textOfPiece } from "./lines.ts";

export type PiecesOfPage = { readonly pieces: Piece[]; readonly number: number; readonly height: number };

/** Share of a page's height, at either end, that may hold them. */
const edge = 0.12;
const linesAtEdge = 3;

type Line = {
  readonly pieces: readonly Piece[];
  readonly page: number;
  readonly text: string;
  readonly key: string;
  /** The line towards the middle of the page. */
  readonly inner: readonly Piece[] | undefined;
};

function edgeLinesOf({ pieces, number, height }: PiecesOfPage): Line[] {
  const rows = rowsOf(pieces);
  const atTop = rows.slice(0, linesAtEdge).filter(([first]) => (first?.bottom ?? 0) < height * edge);
  const atBottom = rows.slice(-linesAtEdge).filter(([first]) => (first?.top ?? 0) > height * (1 - edge));
  const lineOf = (side: string) => (row: readonly Piece[]) => {
    const text = row.map(textOfPiece).join(" ").trim();
    const inner = rows[rows.indexOf(row as Piece[]) + (side === "top" ? 1 : -1)];
    return {
      pieces: row,
      page: number,
      text,
      inner,
      key: `${side} ${Math.round((row[0]?.baseline ?? 0) / 6)} ${text.replace(/\d+/g, "#")}`,
    };
  };
  return [...atTop.map(lineOf("top")), ...atBottom.map(lineOf("bottom"))].filter((line) => !isOfTable(line, rows) && isWorded(line));
}

/** The pitch of lines of one paragraph, in ems. */
const linePitch = 1.3;

/** Whether the text continues in the next line, which does not repeat: then several pages start with the same line of text. */
function beginsText({ pieces, inner = [] }: Line, away: ReadonlySet<Piece>): boolean {
  const [piece, next] = [pieces[0], inner[0]];
  if (piece === undefined || next === undefined || pieces.length > 1 || inner.length > 1 || away.has(next)) return false;
  const isAlike = Math.abs(piece.size - next.size) < piece.size * 0.05 && Math.abs(piece.left - next.left) < piece.size * 0.2;
  return isAlike && Math.abs(piece.baseline - next.baseline) < piece.size * linePitch && textOfPiece(piece).length > fewestLetters;
}

/** In a line that fills a column. */
const fewestLetters = 40;

const pageNumber = /^\W*(?:\p{L}{1,12}\.?\s*)?\d{1,5}(?:\s*(?:\/|of|von|de|sur)\s*\d{1,5})?\W*$/u;

/** Repeated numbers do not count, except page numbers. */
function isWorded({ text }: Line): boolean {
  return /\p{L}{3}/u.test(text) || pageNumber.test(text);
}

/** A table head that repeats on each page has a row with the same columns above or below it. */
function isOfTable({ pieces }: Line, rows: readonly (readonly Piece[])[]): boolean {
  const index = rows.indexOf(pieces);
  return (
    pieces.length > 1 &&
    [rows[index - 1], rows[index + 1]].some((row) => pieces.every(({ left }) => row?.some((piece) => Math.abs(piece.left - left) < 3)))
  );
}

/** Share of the pages. */
const mostPages = 0.7;

/** Numbers in them are the same on nearly every page, or count the pages; others, such as the total of each invoice, are content. */
function comesAgain(lines: readonly Line[], enough: number): boolean {
  if (new Set(lines.map(({ page }) => page)).size < enough) return false;
  const numbers = lines.map(({ text, page }) => ({ page, all: [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits)) }));
  const isOfMost = (values: readonly number[]) => {
    const times = Map.groupBy(values, (value) => value).values();
    return Math.max(...Array.from(times, ({ length }) => length)) >= lines.length * (lines.length < 4 ? 1 : mostPages);
  };
  return (numbers[0]?.all ?? []).every(
    (_, place) => isOfMost(numbers.map(({ all }) => all[place] ?? 0)) || isOfMost(numbers.map(({ all, page }) => (all[place] ?? 0) - page)),
  );
}

/** Both of two pages, otherwise a third of them but at least three. */
export const enoughPages = (count: number): number => (count === 2 ? 2 : Math.max(3, count / 3));

/** Letters and digits, to find a text that is set or spaced otherwise. */
export const lettersOf = (texts: readonly { readonly text: string }[]): string =>
  texts
    .map(({ text }) => text)
    .join("")
    .replace(/[^\p{L}\p{N}]/gu, "");

/** A head that says what no other text says stays once: at the start of the text, or at its end if it is at the foot. */
function onlyPlaces(repeated: readonly (readonly Line[])[], rest: string): readonly (Line | undefined)[] {
  return repeated.map((lines) => {
    const [first] = lines;
    const isNumber = pageNumber.test(first?.text ?? "") && lines.some(({ text }) => text !== first?.text);
    if (first === undefined || isNumber || rest.includes(lettersOf([first]))) return undefined;
    return first.key.startsWith("top ") ? first : lines.at(-1);
  });
}

/** The pieces of each page without its furniture, unless all pages consist of it. */
export function withoutFurniture(pages: readonly PiecesOfPage[], notes: Notes): Piece[][] {
  const enough = enoughPages(pages.length);
  const groups = Map.groupBy(pages.flatMap(edgeLinesOf), ({ key }) => key);
  const repeated = [...groups.values()].filter((lines) => comesAgain(lines, enough));
  const away = new Set(repeated.flat().flatMap((line) => line.pieces));
  for (const lines of repeated.filter((each) => each.filter((line) => beginsText(line, away)).length > each.length / 2)) {
    for (const piece of lines.flatMap((line) => line.pieces)) away.delete(piece);
  }
  const rest = pages.map(({ pieces }) => pieces.filter((piece) => !away.has(piece)));
  if (rest.every((pieces) => pieces.length === 0)) return pages.map(({ pieces }) => pieces);
  const furniture = repeated.filter((lines) => lines.some(({ pieces }) => pieces.some((piece) => away.has(piece))));
  for (const line of onlyPlaces(furniture, lettersOf(rest.flat().map((piece) => ({ text: textOfPiece(piece) }))))) {
    for (const piece of line?.pieces ?? []) away.delete(piece);
  }
  const head = furniture.flat().find(({ text }) => /\p{L}{3}/u.test(text));
  if (head !== undefined) notes.set("ENTRIES_LEFT_OUT", `Repeated running heads were left out, such as “${head.text.slice(0, 80)}”.`);
  return pages.map(({ pieces }) => pieces.filter((piece) => !away.has(piece)));
}
