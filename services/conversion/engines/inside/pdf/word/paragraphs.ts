/** How a paragraph is set in Word: alignment, indents, space above, direction, and its characters. */
import {
  AlignmentType,
  ExternalHyperlink,
  FootnoteReferenceRun,
  type IParagraphPropertiesOptions,
  type IRunOptions,
  type ISpacingProperties,
  LineRuleType,
  type ParagraphChild,
  TextRun,
} from "docx";
import type { Box } from "../content.ts";
import { isRightToLeft, rightToLeft } from "../reading-order.ts";
import type { Inline, Note, Setting } from "../tree.ts";
import { textOf } from "../tree.ts";

export type Letters = { readonly size: number; readonly font: string | undefined };
type Frame = { readonly left: number; readonly right: number };

const twips = (points: number) => Math.round(points * 20);
/** In points: smaller differences in size and position cannot be seen. */
const near = 1.6;
const mostSpace = 60;
/** In ems: the line spacing of most fonts. */
const naturalPitch = 1.17;

export type Placing = { readonly at: Setting; readonly frame: Frame; readonly above: Box | undefined };

/** `isPlaced`: its indents are its own, not those of a list. */
export function formatOf(
  inlines: readonly Inline[],
  { at, frame, above }: Placing,
  { isPlaced }: { readonly isPlaced: boolean },
): IParagraphPropertiesOptions {
  const isReversed = isRightToLeft(textOf(inlines));
  const isLined = inlines.some(({ text }) => text === "\n");
  const found = alignmentOf(at, frame, isReversed);
  const aligned = isLined && found === AlignmentType.JUSTIFIED ? undefined : found;
  return {
    ...(isReversed ? { bidirectional: true } : {}),
    ...(aligned === undefined ? {} : { alignment: aligned }),
    ...(isPlaced && (aligned === undefined || aligned === AlignmentType.JUSTIFIED) ? indentOf(at, frame, isReversed) : {}),
    spacing: { ...spaceAbove(at, above), after: 0, ...pitchOf(at) },
  };
}

function alignmentOf({ lines, size }: Setting, frame: Frame, isReversed: boolean) {
  const [first] = lines;
  if (first === undefined) return undefined;
  const inset = lines.map(({ left, right }) => ({ left: left - frame.left, right: frame.right - right }));
  const isCentred = inset.every(({ left, right }) => Math.abs(left - right) < size * 0.5) && inset.some(({ left }) => left > size);
  if (isCentred) return AlignmentType.CENTER;
  // The first line may be indented, and the last one may be short.
  const starts = inset.slice(1).map((line) => line[isReversed ? "right" : "left"]);
  const ends = inset.slice(0, -1).map((line) => line[isReversed ? "left" : "right"]);
  const isEven = (values: readonly number[]) => Math.max(...values) - Math.min(...values) < near;
  if (lines.length > 2 && isEven(starts) && isEven(ends)) return AlignmentType.JUSTIFIED;
  const isAt = (side: "left" | "right") =>
    inset.every((line) => Math.abs(line[side]) < near) && inset.some((line) => line[side === "left" ? "right" : "left"] > size * 2);
  if (!isReversed && isAt("right") && first.left - frame.left > size * 2) return AlignmentType.RIGHT;
  return isReversed && isAt("left") && lines.length === 1 ? AlignmentType.LEFT : undefined;
}

/** Indents of the lines, with the first one separate. */
function indentOf({ lines, size }: Setting, frame: Frame, isReversed: boolean): IParagraphPropertiesOptions {
  const insets = lines.map(({ left, right }) => Math.max(0, isReversed ? frame.right - right : left - frame.left));
  const [first = 0, ...rest] = insets;
  const start = rest.length === 0 ? (first < size * 3 ? 0 : first) : Math.min(...rest);
  const line = first - start;
  if (start < near && Math.abs(line) < near) return {};
  const own = Math.abs(line) < near ? {} : line > 0 ? { firstLine: twips(line) } : { hanging: twips(-line) };
  return { indent: { start: twips(start), ...own } };
}

/** The gap between two blocks of one column beyond the lines' own leading. */
function spaceAbove(at: Setting, above: Box | undefined): { readonly before: number } {
  const gap = above === undefined ? 0 : at.top - above.bottom - at.size * 0.22;
  return { before: gap < near ? 0 : twips(Math.min(mostSpace, gap)) };
}

/** With a rule, because LibreOffice takes a line spacing without one as exact. */
function pitchOf({ lines, size }: Setting): ISpacingProperties {
  const steps = lines.slice(1).map(({ baseline }, index) => baseline - (lines[index]?.baseline ?? 0));
  const pitch = steps.sort((one, other) => one - other)[Math.floor(steps.length / 2)] ?? 0;
  const ratio = pitch / (size * naturalPitch);
  return ratio > 0.8 && ratio < 3 && Math.abs(ratio - 1) > 0.04 ? { line: Math.round(240 * ratio), lineRule: LineRuleType.AUTO } : {};
}

/** Runs with whatever differs from the document's usual text, or from a heading's style. */
export function runsOf(
  inlines: readonly Inline[],
  at: Setting | undefined,
  usual: Letters,
  numberOf: (note: Note) => number,
): ParagraphChild[] {
  const own: IRunOptions = {
    ...(at !== undefined && Math.abs(at.size - usual.size) > 0.3 ? { size: Math.max(2, Math.round(at.size * 2)) } : {}),
    ...(at?.font !== undefined && at.font !== usual.font ? { font: at.font } : {}),
  };
  return inlines.flatMap((inline): ParagraphChild[] => {
    if (inline.note !== undefined) return [new FootnoteReferenceRun(numberOf(inline.note))];
    if (inline.text === "\n") return [new TextRun({ break: 1 })];
    const size = inline.size === undefined ? {} : { size: Math.max(2, Math.round(inline.size * 2)) };
    const given: IRunOptions = { ...own, ...size, ...lookOf(inline) };
    const parts = partsOf(inline.text).map(({ text, isReversed }) => ({ text, ...(isReversed ? { rightToLeft: true } : {}) }));
    if (inline.href === undefined) return parts.map((part) => new TextRun({ ...given, ...part }));
    return [
      new ExternalHyperlink({ link: inline.href, children: parts.map((part) => new TextRun({ ...given, ...part, style: "Hyperlink" })) }),
    ];
  });
}

export const monospaced = "Courier New";

function lookOf({ isBold, isItalic, isCode, isRaised }: Inline): IRunOptions {
  return {
    ...(isBold === true ? { bold: true } : {}),
    ...(isItalic === true ? { italics: true } : {}),
    ...(isCode === true ? { font: monospaced } : {}),
    ...(isRaised === true ? { superScript: true } : {}),
  };
}

/** Splits a text into left-to-right and right-to-left words. */
function partsOf(text: string): { readonly text: string; readonly isReversed: boolean }[] {
  if (text.search(rightToLeft) === -1) return [{ text, isReversed: false }];
  return text
    .split(/([A-Za-z\u00c0-\u024f][A-Za-z\u00c0-\u024f .,'’-]{0,400}[A-Za-z\u00c0-\u024f]|[A-Za-z\u00c0-\u024f])/u)
    .map((part, index) => ({ text: part, isReversed: index % 2 === 0 }))
    .filter((part) => part.text !== "");
}
