import { expect, it } from "vitest";
import type { Run } from "#services/conversion/engines/inside/pdf/content.ts";
import { rowsWithin } from "#services/conversion/engines/inside/pdf/grid-rows.ts";
import { piecesOf } from "#services/conversion/engines/inside/pdf/lines.ts";
import { runAt } from "./letters.ts";

const run = (text: string, x: number, baseline: number, isBold = false): Run => ({
  ...{ text, x, baseline, width: text.length * 5, size: 10, look: { isBold, isItalic: false, isMono: false } },
  ...{ font: undefined, endsLine: true, mark: undefined, href: undefined },
});
const cell = (...runs: readonly Run[]) => ({ columns: 1, pieces: piecesOf(runs) });
const textsOf = (rows: ReturnType<typeof rowsWithin>) =>
  rows.map((row) => row.map(({ pieces }) => pieces.map(({ runs }) => runs.map(({ text }) => text).join("")).join(" ")));

it("separates a bold head from the row below it if some cells are empty", () => {
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

it("keeps cells of several lines whole", () => {
  const cells = [cell(run("One", 0, 10), run("and more", 0, 22)), cell(run("Two", 100, 10))];
  expect(textsOf(rowsWithin(cells))).toEqual([["One and more", "Two"]]);
});

const statement = [
  cell(run("Cards", 0, 10, true), run("A1", 0, 22), run("A2", 0, 46), run("A3", 0, 70)),
  cell(run("Train to", 60, 22), run("Paris", 60, 34), run("Lunch", 60, 46), run("Taxi, and", 60, 70), run("a tip", 60, 82)),
  cell(run("1.50", 160, 22), run("2,400.00", 150, 46), run("-", 170, 70)),
];

it("starts a row at each line of figures, and keeps multi-line descriptions and group titles", () => {
  expect(textsOf(rowsWithin(statement))).toEqual([
    ["Cards", "", ""],
    ["A1", "Train to Paris", "1.50"],
    ["A2", "Lunch", "2,400.00"],
    ["A3", "Taxi, and a tip", "-"],
  ]);
});

it("keeps cells of words whole, even if their lines are level", () => {
  const words = (x: number) => cell(run("one or", x, 10), run("two of", x, 22), run("these", x, 34), run("words", x, 46));
  const cells = [words(0), { columns: 1, pieces: words(100).pieces.slice(0, 3) }];
  expect(rowsWithin(cells)).toHaveLength(1);
});

it("loses no line that is exactly the tolerance above a row", () => {
  const small = (text: string, x: number, baseline: number) => runAt(text, x, baseline, { size: 2 });
  const cells = [
    cell(small("A1", 0, 10), small("A2", 0, 13), small("A3", 0, 40)),
    cell(small("half a point lower", 60, 10.5), small("x", 60, 13), small("y", 60, 40), small("z", 60, 52)),
    cell(small("1", 200, 10), small("2", 200, 13), small("3", 200, 40)),
  ];
  expect(textsOf(rowsWithin(cells)).flat().join(" ")).toContain("half a point lower");
});
