/** Finds deliberate line breaks in a paragraph, as in an address: lines on which the next word would have fit. */
import type { Run } from "./content.ts";

/** Share of the measure that must be free if no other line settles it. */
const muchRoom = 0.2;
/** Of an address: if all other lines were ended, so was the longest. */
const mostLines = 8;

/**
 * Indexes of the lines. Programs fill each line with as many words as fit, so the longest line is a lower bound for the measure.
 *
 * @param measure Available line width in points, if known.
 */
export function endedLines(lines: readonly (readonly Run[])[], measure: number | undefined): ReadonlySet<number> {
  const spans = lines.map(spanOf);
  const widest = Math.max(...spans.map(({ width }) => width));
  const needs = spans.slice(0, -1).map(({ width, isHyphened, size }, index) => {
    const word = spans[index + 1]?.firstWord;
    return isHyphened || word === undefined ? Infinity : width + word + size * 0.6;
  });
  const ended = new Set(needs.flatMap((need, index) => (need < widest ? [index] : [])));
  for (const [index, need] of needs.entries())
    if (measure !== undefined && need < measure * (ended.size > 0 ? 0.98 : 1 - muchRoom)) ended.add(index);
  const others = needs.filter((_, index) => (spans[index]?.width ?? 0) < widest);
  const isAddress = needs.length <= mostLines && others.length > 0 && others.every((need) => need < widest);
  return isAddress ? new Set(needs.flatMap((need, index) => (Number.isFinite(need) ? [index] : []))) : ended;
}

type Span = { readonly width: number; readonly size: number; readonly isHyphened: boolean; readonly firstWord: number | undefined };

function spanOf(line: readonly Run[]): Span {
  const inked = line.filter(({ text }) => text.trim() !== "");
  const [first] = inked;
  const width = Math.max(0, ...inked.map((run) => run.x + run.width)) - Math.min(...inked.map(({ x }) => x), Infinity);
  return {
    width: Number.isFinite(width) ? width : 0,
    size: first?.size ?? 0,
    isHyphened: /[-\u00ad\u2010/]\s*$/.test(inked.at(-1)?.text ?? ""),
    firstWord: first === undefined ? undefined : wordWidth(inked),
  };
}

/** A word may consist of several adjacent runs. */
function wordWidth(line: readonly Run[]): number {
  let width = 0;
  for (const { text, width: own } of line) {
    const [word = ""] = /^\s*\S+/.exec(text) ?? [];
    width += (own * word.trimStart().length) / Math.max(1, text.length);
    if (word.length < text.length) break;
  }
  return width;
}
