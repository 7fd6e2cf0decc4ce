/** Turns runs into running text: joins lines, undoes hyphenation, and makes one inline per look. */
import type { Run } from "./content.ts";
import { endedLines } from "./line-breaks.ts";
import { commonest } from "./lines.ts";
import type { Inline } from "./tree.ts";

/** Words of the whole document, which decide whether a hyphen at a line's end belongs to the word. */
export type Vocabulary = { has(word: string): boolean; readonly keepsHyphens: boolean };

export function vocabularyOf(runs: Iterable<Run>, keepsHyphens: boolean): Vocabulary {
  const words = new Set<string>();
  for (const { text } of runs) for (const [word] of text.matchAll(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu)) words.add(word.toLowerCase());
  return { has: (word) => words.has(word.toLowerCase()), keepsHyphens };
}

const cjk = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/;

/** Whether all its characters are ideographs. */
export const isIdeographic = (text: string): boolean =>
  text.replace(/[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\s]/g, "") === "";

/** Before these, a hyphen stands for the rest of a word that follows later. */
const conjunctions = new Set("and or und oder et ou y o e".split(" "));

/**
 * What to put between two lines: nothing after a dash or slash within a word or
 * between ideographs, otherwise a space. Code is never hyphenated by a formatter.
 */
function joined(before: string, after: string, words: Vocabulary, isCode: boolean): string {
  const head = /[-\u00ad\u2010]$/.test(before)
    ? (before
        .slice(-60, -1)
        .split(/[^\p{L}\p{N}]/u)
        .at(-1) ?? "")
    : "";
  const [tail = ""] = /^\p{L}+/u.exec(after.slice(0, 60)) ?? [];
  if (head !== "" && /^\p{Ll}/u.test(tail) && !conjunctions.has(tail)) {
    const isHyphen = !before.endsWith("\u00ad") && (isCode || before.at(-2 - head.length) === "-" || keepsHyphen(head, tail, words));
    return (isHyphen ? before : before.slice(0, -1)) + after;
  }
  if (/[\p{L}\p{N}][–/@]$|:\/\/$/u.test(before.slice(-3))) return before + after;
  if (cjk.test(before.at(-1) ?? "") && cjk.test(after[0] ?? "")) return before + after;
  return /\s$/.test(before) || before === "" ? before + after : `${before} ${after}`;
}

/** Prefixes that are hyphenated before nearly any word. */
const joiners = new Set(
  "well self half so ex non all cross high low long short full part quasi pseudo one two three four first second third".split(" "),
);

function keepsHyphen(head: string, tail: string, words: Vocabulary): boolean {
  if (words.has(`${head}-${tail}`)) return true;
  if (joiners.has(head.toLowerCase()) && !words.has(head + tail)) return true;
  return words.has(head + tail) ? false : words.keepsHyphens;
}

type Piece = { text: string; readonly of: Omit<Inline, "text"> };

export const isSame = (one: Omit<Inline, "text">, other: Omit<Inline, "text">) =>
  one.isBold === other.isBold &&
  one.isItalic === other.isItalic &&
  one.isCode === other.isCode &&
  one.isRaised === other.isRaised &&
  one.href === other.href &&
  one.link === other.link &&
  one.leadsWithin === other.leadsWithin &&
  one.size === other.size;

/** A line break within a paragraph. */
const lineEnd: Inline = { text: "\n" };

/** A paragraph with its deliberate line breaks; `measure`: see {@link endedLines}. */
export function linedParagraphOf(lines: readonly (readonly Run[])[], words: Vocabulary, measure?: number): Inline[] {
  const ended = endedLines(lines, measure);
  const parts: (readonly Run[])[][] = [[]];
  for (const [index, line] of lines.entries()) {
    parts.at(-1)?.push(line);
    if (ended.has(index)) parts.push([]);
  }
  return parts
    .map((part) => paragraphOf(part, words, { usual: usualSize(lines) }))
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (index === 0 ? part : [lineEnd, ...part]));
}

function usualSize(lines: readonly (readonly Run[])[]): number {
  return commonest(lines.flat().map(({ size, text }): [number, number] => [size, text.trim().length]));
}

/** Lines of runs, in reading order, as one paragraph. */
export function paragraphOf(
  lines: readonly (readonly Run[])[],
  words: Vocabulary,
  plain: { readonly isHeading?: boolean; readonly usual?: number } = {},
): Inline[] {
  const pieces: Piece[] = [];
  const usual = plain.usual ?? usualSize(lines);
  /** A link over two lines has one annotation on each. */
  const same = new Map<string, string | undefined>();
  for (const line of lines) {
    let isFirst = true;
    const size = Math.max(...line.map((run) => run.size));
    const base = line.reduce((most, run) => (run.size === size ? Math.max(most, run.baseline) : most), 0);
    for (const run of line) {
      if (run.text === "") continue;
      const isRaised = run.size < size * 0.88 && base - run.baseline > size * 0.2;
      const isOther = !isRaised && Math.abs(run.size - usual) > usual * 0.12;
      const last = pieces.at(-1);
      if (isFirst && run.link !== undefined && last !== undefined && run.href === last.of.href) same.set(run.link, last.of.link);
      const linked = run.link !== undefined && same.has(run.link) ? { ...run, link: same.get(run.link) } : run;
      const of = { ...lookOf(linked, isRaised, plain.isHeading === true), ...(isOther ? { size: run.size } : {}) };
      if (last === undefined) pieces.push({ text: run.text, of });
      else if (isFirst) joinLine(pieces, last, run.text, of, words);
      else if (isSame(last.of, of) || run.text.trim() === "") last.text += run.text;
      else pieces.push({ text: run.text, of });
      isFirst = false;
    }
  }
  return tidied(pieces);
}

function joinLine(pieces: Piece[], last: Piece, text: string, of: Piece["of"], words: Vocabulary): void {
  const whole = joined(last.text, text, words, last.of.isCode === true && of.isCode === true);
  if (isSame(last.of, of)) last.text = whole;
  else {
    last.text = whole.slice(0, whole.length - text.length);
    pieces.push({ text, of });
  }
}

function lookOf({ look, href, link, leadsWithin }: Run, isRaised: boolean, isHeading: boolean): Omit<Inline, "text"> {
  return {
    ...(look.isBold && !isHeading ? { isBold: true } : {}),
    ...(look.isItalic ? { isItalic: true } : {}),
    ...(look.isMono ? { isCode: true } : {}),
    ...(isRaised ? { isRaised: true } : {}),
    ...(isRaised && leadsWithin === true ? { leadsWithin } : {}),
    ...(href === undefined ? {} : { href, link }),
  };
}

/** Collapses spaces, trims both ends, and moves spaces out of formatted parts, where Markdown does not allow them. */
function tidied(pieces: readonly Piece[]): Inline[] {
  const tidy: { text: string; readonly of: Piece["of"] }[] = [];
  let isAfterSpace = true;
  for (const { text, of } of pieces) {
    const plain = text.replace(/[\s\u00a0]+/g, " ");
    const start: string = isAfterSpace && plain.startsWith(" ") ? plain.slice(1) : plain;
    if (start === "") continue;
    const last = tidy.at(-1);
    if (start.startsWith(" ") && last !== undefined && isBare(last.of)) last.text += " ";
    else if (start.startsWith(" ")) tidy.push({ text: " ", of: {} });
    const core = start.trim();
    if (core !== "") tidy.push({ text: core, of });
    isAfterSpace = start.endsWith(" ");
    if (core === "" || !isAfterSpace) continue;
    if (isBare(of)) (tidy.at(-1) as Piece).text += " ";
    else tidy.push({ text: " ", of: {} });
  }
  const end = tidy.at(-1);
  if (end !== undefined) end.text = end.text.trimEnd();
  return tidy.filter(({ text }) => text !== "").map(({ text, of }) => ({ text, ...of }));
}

const isBare = (of: Omit<Inline, "text">) => Object.keys(of).every((key) => key === "size");

/** Code keeps its lines and their alignment: gaps between characters become spaces. */
export function codeOf(lines: readonly (readonly Run[])[]): string {
  const left = Math.min(
    ...lines
      .flat()
      .filter(isInked)
      .map(({ x }) => x),
  );
  return lines.map((line) => codeLineOf(line, left)).join("\n");
}

const isInked = ({ text }: Run) => text.trim() !== "";

function codeLineOf(line: readonly Run[], left: number): string {
  const inked = line.filter(isInked);
  const [width, letters] = inked.reduce(([sum, count], run) => [sum + run.width, count + run.text.length], [0, 0]);
  const step = width / Math.max(1, letters) || 1;
  let text = "";
  let end = left;
  for (const run of inked) {
    const gap = run.x - end;
    // A single space is often narrower or wider than the grid.
    if (gap > step * 1.5) text = text.padEnd(Math.min(400, Math.round((run.x - left) / step)), " ");
    else if (gap > step * 0.3 && text !== "" && !text.endsWith(" ") && !run.text.startsWith(" ")) text += " ";
    text += text === "" ? run.text.trimStart() : run.text;
    end = run.x + run.width;
  }
  return text.trimEnd();
}
