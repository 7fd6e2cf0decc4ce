/** Which lines are headings, and of which level: by size and weight, over the whole document. */
import { commonest, lookOfPiece, type Piece, textOfPiece } from "./lines.ts";

export type Letters = {
  readonly body: number;
  readonly pitch: number;
  /** Lines that stand in several places, such as `Example`: they name a part of what is above them, and head nothing. */
  readonly labels: ReadonlySet<string>;
};

const timesOfLabel = 4;

const rounded = (size: number) => Math.round(size * 2) / 2;

/** The size of ordinary text and how far its lines are apart. */
export function lettersOf(pages: readonly (readonly Piece[])[]): Letters {
  const weighted = pages.flat().flatMap((piece): [number, number][] => {
    return lookOfPiece(piece).isMono ? [] : [[rounded(piece.size), textOfPiece(piece).length]];
  });
  const body = commonest(weighted) || 12;
  const steps = pages.flatMap((pieces) =>
    pieces.flatMap((piece, index): [number, number][] => {
      // The next line of the same column; another's may stand between.
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

/** Of the commonest steps; rows of a table and items of a list may be farther apart, and more. */
const oftenEnough = 0.3;

/** The smallest of the steps that are common. */
function closest(steps: readonly (readonly [step: number, weight: number])[]): number | undefined {
  const weights = new Map<number, number>();
  for (const [step, weight] of steps) weights.set(step, (weights.get(step) ?? 0) + weight);
  const most = Math.max(0, ...weights.values());
  const common = [...weights].filter(([, weight]) => weight >= most * oftenEnough).map(([step]) => step);
  return common.length === 0 ? undefined : Math.min(...common);
}

const longest = 200;

/** Larger than ordinary text, or a short bold line that stands by itself. */
export function isHeading(piece: Piece, { body, labels }: Letters, standsAlone: boolean): boolean {
  const text = textOfPiece(piece).trim();
  if (text.length > longest || !/[\p{L}\p{N}]/u.test(text)) return false;
  const { isMono } = lookOfPiece(piece);
  const isBold = isBoldBesideCode(piece);
  if (rounded(piece.size) > body * 1.1 && (isBold || !isMono)) return true;
  const isShort = text.length < 100 && !/[.,;:]$/.test(text) && !labels.has(text);
  return isBold && standsAlone && isShort && piece.size > body * (isMono ? 0.65 : 0.8);
}

/** Programs often set code in its usual weight, in headings too. */
function isBoldBesideCode({ runs }: Piece): boolean {
  const words = runs.filter(({ text, look }) => !look.isMono && /\p{L}/u.test(text));
  // A bold word, a colon and code are a line of a description.
  const isDescribed = runs.some(({ text, look }) => !look.isMono && text.includes(":"));
  return lookOfPiece({ runs: words.length === 0 || isDescribed ? runs : words }).isBold;
}

/** The size that most of its letters have; all that are not larger than ordinary text rank alike. */
export function rankOf({ runs }: Piece, { body }: Letters): number {
  const size = commonest(runs.map((run): [number, number] => [run.size, run.text.replace(/[^\p{L}\p{N}]/gu, "").length]));
  return size > body * 1.1 ? size : body;
}

/** Sizes that nobody tells apart are one. */
const alike = 0.94;

/** Levels by rank: at most six, the largest first. */
export function levelsOf(ranks: readonly number[]): (rank: number) => number {
  const levels: number[] = [];
  for (const rank of [...new Set(ranks)].sort((one, other) => other - one))
    if (rank < (levels.at(-1) ?? Infinity) * alike) levels.push(rank);
  return (rank) => Math.min(6, Math.max(1, levels.findLastIndex((level) => level >= rank) + 1));
}
