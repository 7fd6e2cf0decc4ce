/** Finds headings and their levels by size and weight, across the whole document. */
import { commonest, lookOfPiece, type Piece, textOfPiece } from "./lines.ts";

export type Letters = {
  readonly body: number;
  readonly pitch: number;
  /** Lines that repeat, such as `Example`: labels rather than headings. */
  readonly labels: ReadonlySet<string>;
};

const timesOfLabel = 4;

const rounded = (size: number) => Math.round(size * 2) / 2;

/** The size and line spacing of ordinary text. */
export function lettersOf(pages: readonly (readonly Piece[])[]): Letters {
  const weighted = pages.flat().flatMap((piece): [number, number][] => {
    return lookOfPiece(piece).isMono ? [] : [[rounded(piece.size), textOfPiece(piece).length]];
  });
  const body = commonest(weighted) || 12;
  const steps = pages.flatMap((pieces) =>
    pieces.flatMap((piece, index): [number, number][] => {
      // The next line of the same column; lines of others may come in between.
      const next = pieces
        .slice(index + 1, index + 8)
        .find(({ left, right, top }) => top > piece.top + body * 0.5 && left < piece.right && right > piece.left);
      const step = next === undefined ? 0 : next.baseline - piece.baseline;
      return step > body * 0.8 && step < body * 2.5 && rounded(piece.size) === body ? [[rounded(step), 1]] : [];
    }),
  );
  const times = new Map<string, number>();
  for (const text of pages.flat().map((piece) => textOfPiece(piece).trim())) times.set(text, (times.get(text) ?? 0) + 1);
  const labels = new Set([...times].flatMap(([text, count]) => (count >= timesOfLabel ? [text] : [])));
  return { body, pitch: closest(steps) ?? body * 1.2, labels };
}

/** Share of the most common spacing; rows of a table and list items may be further apart, and more numerous. */
const oftenEnough = 0.3;

/** The smallest of the common line spacings. */
function closest(steps: readonly (readonly [step: number, weight: number])[]): number | undefined {
  const weights = new Map<number, number>();
  for (const [step, weight] of steps) weights.set(step, (weights.get(step) ?? 0) + weight);
  const most = Math.max(0, ...weights.values());
  const common = [...weights].filter(([, weight]) => weight >= most * oftenEnough).map(([step]) => step);
  return common.length === 0 ? undefined : Math.min(...common);
}

const longest = 200;

/** Larger than ordinary text, or a short bold line that stands alone. */
export function isHeading(piece: Piece, { body, labels }: Letters, standsAlone: boolean): boolean {
  const text = textOfPiece(piece).trim();
  if (text.length > longest || !/[\p{L}\p{N}]/u.test(text)) return false;
  const { isMono } = lookOfPiece(piece);
  const isBold = isBoldBesideCode(piece);
  if (rounded(piece.size) > body * 1.1 && (isBold || !isMono)) return true;
  const isShort = text.length < 100 && !/[.,;:]$/.test(text) && !labels.has(text);
  return isBold && standsAlone && isShort && piece.size > body * (isMono ? 0.65 : 0.8);
}

/** Code often keeps its regular weight, even in headings. */
function isBoldBesideCode({ runs }: Piece): boolean {
  const words = runs.filter(({ text, look }) => !look.isMono && /\p{L}/u.test(text));
  // A bold word, a colon and code form a line of a description.
  const isDescribed = runs.some(({ text, look }) => !look.isMono && text.includes(":"));
  return lookOfPiece({ runs: words.length === 0 || isDescribed ? runs : words }).isBold;
}

/** The size of most characters; everything not larger than ordinary text ranks the same. */
export function rankOf({ runs }: Piece, { body }: Letters): number {
  const size = commonest(runs.map((run): [number, number] => [run.size, run.text.replace(/[^\p{L}\p{N}]/gu, "").length]));
  return size > body * 1.1 ? size : body;
}

/** Sizes that look the same count as one. */
const alike = 0.94;

/** Levels by rank: at most six, largest first. */
export function levelsOf(ranks: readonly number[]): (rank: number) => number {
  const levels: number[] = [];
  for (const rank of [...new Set(ranks)].sort((one, other) => other - one))
    if (rank < (levels.at(-1) ?? Infinity) * alike) levels.push(rank);
  return (rank) => Math.min(6, Math.max(1, levels.findLastIndex((level) => level >= rank) + 1));
}
