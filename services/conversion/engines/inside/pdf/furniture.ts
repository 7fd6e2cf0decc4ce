/** Running heads and page numbers: lines at the edge of pages that come again on most of them. */
import type { Notes } from "../exchange.ts";
import { type Piece, rowsOf, textOfPiece } from "./lines.ts";

export type PiecesOfPage = { readonly pieces: Piece[]; readonly height: number };

/** How much of a page's height, at either end, may hold them. */
const edge = 0.12;
const linesAtEdge = 3;

type Line = { readonly pieces: readonly Piece[]; readonly key: string };

function edgeLinesOf({ pieces, height }: PiecesOfPage): Line[] {
  const rows = rowsOf(pieces);
  const atTop = rows.slice(0, linesAtEdge).filter(([first]) => (first?.bottom ?? 0) < height * edge);
  const atBottom = rows.slice(-linesAtEdge).filter(([first]) => (first?.top ?? 0) > height * (1 - edge));
  const lineOf = (side: string) => (row: readonly Piece[]) => {
    const text = row.map(textOfPiece).join(" ").replace(/\d+/g, "#").trim();
    return { pieces: row, key: `${side} ${Math.round((row[0]?.baseline ?? 0) / 6)} ${text}` };
  };
  return [...atTop.map(lineOf("top")), ...atBottom.map(lineOf("bottom"))].filter((line) => !isOfTable(line, rows) && isWorded(line));
}

/** Figures that come again by chance are none, but for the number of the page. */
function isWorded({ pieces }: Line): boolean {
  const text = pieces.map(textOfPiece).join(" ").trim();
  return /\p{L}{3}/u.test(text) || /^\W*(?:\p{L}{1,12}\.?\s*)?\d{1,5}(?:\s*(?:\/|of|von|de|sur)\s*\d{1,5})?\W*$/u.test(text);
}

/** The head of a table that is repeated on each page stands above, or below, a row with the same columns. */
function isOfTable({ pieces }: Line, rows: readonly (readonly Piece[])[]): boolean {
  const index = rows.findIndex((row) => row === pieces);
  return (
    pieces.length > 1 &&
    [rows[index - 1], rows[index + 1]].some((row) => pieces.every(({ left }) => row?.some((piece) => Math.abs(piece.left - left) < 3)))
  );
}

/** The pieces of each page without what is furniture: the same on a third of the pages and at least three, or on both of two. */
export function withoutFurniture(pages: readonly PiecesOfPage[], notes: Notes): Piece[][] {
  const lines = pages.map(edgeLinesOf);
  const counts = new Map<string, number>();
  for (const page of lines) for (const key of new Set(page.map((line) => line.key))) counts.set(key, (counts.get(key) ?? 0) + 1);
  const enough = pages.length === 2 ? 2 : Math.max(3, pages.length / 3);
  const heads = lines
    .flat()
    .filter(({ key, pieces }) => (counts.get(key) ?? 0) >= enough && /\p{L}{3}/u.test(textOfPiece(pieces[0] as Piece)));
  const [head] = heads;
  if (head !== undefined)
    notes.set("ENTRIES_LEFT_OUT", `Running heads were left out, such as “${head.pieces.map(textOfPiece).join(" ").trim().slice(0, 80)}”.`);
  return pages.map(({ pieces }, index) => {
    const away = new Set((lines[index] ?? []).filter(({ key }) => (counts.get(key) ?? 0) >= enough).flatMap((line) => line.pieces));
    return away.size === 0 ? pieces : pieces.filter((piece) => !away.has(piece));
  });
}
