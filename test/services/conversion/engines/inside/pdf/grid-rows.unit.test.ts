import { expect, it } from "vitest";
import type { Run } from "#services/conversion/engines/inside/pdf/content.ts";
import { rowsWithin } from "#services/conversion/engines/inside/pdf/grid-rows.ts";
import { piecesOf } from "#services/conversion/engines/inside/pdf/lines.ts";

const run = (text: string, x: number, baseline: number, isBold = false): Run => ({
  ...{ text, x, baseline, width: text.length * 5, size: 10, look: { isBold, isItalic: false, isMono: false } },
  ...{ font: undefined, endsLine: true, mark: undefined, href: undefined },
});
const cell = (...runs: readonly Run[]) => ({ columns: 1, pieces: piecesOf(runs) });
const textsOf = (rows: ReturnType<typeof rowsWithin>) =>
  rows.map((row) => row.map(({ pieces }) => pieces.map(({ runs }) => runs.map(({ text }) => text).join("")).join(" ")));

it("parts a bold head from the row below it, of which some cells are empty", () => {
  const cells = [
    cell(run("Date", 0, 10, true), run("1 March", 0, 30)),
    cell(run("Paid in", 100, 10, true)),
    cell(run("Balance", 200, 10, true), run("1000", 200, 30)),
  ];
  expect(textsOf(rowsWithin(cells))).toEqual([
    ["Date", "Paid in", "Balance"],
    ["1 March", "", "1000"],
  ]);
});

it("leaves cells of several lines whole", () => {
  const cells = [cell(run("One", 0, 10), run("and more", 0, 22)), cell(run("Two", 100, 10))];
  expect(textsOf(rowsWithin(cells))).toEqual([["One and more", "Two"]]);
});
