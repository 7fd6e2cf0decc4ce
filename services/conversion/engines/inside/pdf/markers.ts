/** What starts a list item: a bullet, drawn or typed, or a number. */
import type { Box, Run } from "./content.ts";
import { type Piece, pieceOf, textOfPiece } from "./lines.ts";
import { holdsRightToLeft } from "./reading-order.ts";

export type Marker = {
  readonly x: number;
  readonly number: number | undefined;
  readonly text: Piece;
  /** A number or dash may also be part of a sentence. */
  readonly isUnsure: boolean;
};

export const bullets = /^[•◦▪‣●○■▸►➢\uf0b7\uf0a7]\s*/u;
const dashes = /^[-–—*·]\s+/u;
/** Three digits in brackets are an area code. */
const numbers = /^(?!\(\d{3})\(?(\d{1,3})[.)]\s+/;
const lone = /^(?!\(\d{3})(?:[-–—*·•◦▪‣●○■▸►➢\uf0b7\uf0a7]|\(?(\d{1,3})[.)])\s*$/u;

/** The item's text without its marker; undefined for a line that starts no item. */
export function markerOf(piece: Piece, dots: readonly Box[]): Marker | undefined {
  const dot = dots.find(
    ({ left, right, top, bottom }) =>
      right <= piece.left + 1 &&
      piece.left - left < piece.size * 2.5 &&
      (top + bottom) / 2 > piece.top &&
      (top + bottom) / 2 < piece.bottom,
  );
  if (dot !== undefined) return { x: dot.left, number: undefined, text: piece, isUnsure: false };
  const [first, ...rest] = piece.runs;
  if (first === undefined) return undefined;
  if (holdsRightToLeft(piece.runs)) return markerAtRight(piece);
  const [whole, alone] = lone.exec(first.text.trim()) ?? [];
  if (whole !== undefined)
    return rest.every(({ text }) => text.trim() === "")
      ? undefined
      : { x: first.x, number: numberOf(alone), text: pieceOf(withoutSpace(rest)), isUnsure: !bullets.test(whole) };
  const [start, number] = bullets.exec(first.text) ?? dashes.exec(first.text) ?? numbers.exec(first.text) ?? [];
  if (start === undefined || start.length >= first.text.length) return undefined;
  return { x: first.x, number: numberOf(number), text: pieceOf([without(first, start.length), ...rest]), isUnsure: !bullets.test(start) };
}

/** In right-to-left text a number and its period may be separate runs, in either order. */
const startAtRight = /^(?:([•◦▪‣●○■▸►➢-])|(?:(\d{1,3})[.)-]|[.)-](\d{1,3})))(?=\s)\s*/u;

function markerAtRight({ runs, right, left, size }: Piece): Marker | undefined {
  const [whole = "", bullet, number, other] = startAtRight.exec(runs.map(({ text }) => text).join("")) ?? [];
  if (whole === "") return undefined;
  let letters = whole.length;
  const rest = runs.flatMap((run): Run[] => {
    const cut = Math.min(letters, run.text.length);
    letters -= cut;
    return cut === 0 ? [run] : cut === run.text.length ? [] : [{ ...run, text: run.text.slice(cut) }];
  });
  if (rest.length === 0) return undefined;
  // Items are nested by their indent, which is at the right here.
  const text = { ...pieceOf(rest), left, right: Math.max(...rest.map(({ x, width }) => x + width)), size };
  return { x: -right, number: numberOf(number ?? other), text, isUnsure: bullet === undefined || bullet === "-" };
}

/** A marker apart from its text, as if each were a cell. */
export const isLoneMarker = (piece: Piece): boolean => lone.test(textOfPiece(piece).trim());

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

/** The rest of a run, assuming characters of equal width. */
function without(run: Run, letters: number): Run {
  const cut = (run.width * letters) / run.text.length;
  return { ...run, text: run.text.slice(letters), x: run.x + cut, width: run.width - cut };
}

function withoutSpace(runs: readonly Run[]): Run[] {
  const [first, ...rest] = runs.slice(runs.findIndex(({ text }) => text.trim() !== ""));
  return first === undefined ? [] : [{ ...first, text: first.text.trimStart() }, ...rest];
}
