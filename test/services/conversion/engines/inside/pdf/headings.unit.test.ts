import { describe, expect, it } from "vitest";
import type { Run } from "#services/conversion/engines/inside/pdf/content.ts";
import { isHeading, lettersOf } from "#services/conversion/engines/inside/pdf/headings.ts";
import { pieceOf, piecesOf } from "#services/conversion/engines/inside/pdf/lines.ts";
import { runAt } from "./letters.ts";

const text = "a line of ordinary text, as there are many of them";
const bold = { isBold: true };
const paragraphs = (count: number, step: number, from = 0): Run[] =>
  Array.from({ length: count }, (_, index) => runAt(text, 0, from + index * step));

describe("line spacing", () => {
  it("is measured from text, even if table rows are further apart and more numerous", () => {
    expect(lettersOf([piecesOf([...paragraphs(8, 13), ...paragraphs(16, 20, 400)])]).pitch).toBe(13);
  });
});

describe("a heading", () => {
  const headsIn = (runs: readonly Run[], others: readonly Run[] = []) =>
    isHeading(pieceOf(runs), lettersOf([piecesOf([...paragraphs(9, 13), ...others])]), true);

  it("is bold except for code within it", () => {
    expect(headsIn([runAt("level", 0, 500, { isMono: true }), runAt(" (String)", 25, 500, bold)])).toBe(true);
  });

  it("is not a line that describes code", () => {
    expect(headsIn([runAt("Type", 0, 500, bold), runAt(": ", 20, 500), runAt("level", 30, 500, { isMono: true })])).toBe(false);
  });

  it("is not a line that introduces the next one", () => {
    expect(headsIn([runAt("Parameters:", 0, 500, bold)])).toBe(false);
  });

  it("is not a label that repeats", () => {
    const labels = [500, 600, 700, 800].map((baseline) => runAt("Example", 0, baseline, bold));
    expect(headsIn([runAt("Example", 0, 500, bold)], labels)).toBe(false);
    expect(headsIn([runAt("Example", 0, 500, bold)], labels.slice(1, 3))).toBe(true);
  });
});
