import { expect, it } from "vitest";
import type { Box, Run } from "#services/conversion/engines/inside/pdf/content.ts";
import { gridsOf } from "#services/conversion/engines/inside/pdf/ruled-tables.ts";

const look = { isBold: false, isItalic: false, isMono: false };
const runAt = (text: string, x: number, baseline: number): Run => ({
  ...{ text, x, baseline, width: 3, size: 4, look, font: undefined },
  ...{ endsLine: false, mark: undefined, href: undefined },
});

/** How often the lines of a table are accessed if, as in some programs, they are drawn cell by cell. */
function looksAt(size: number): number {
  let looks = 0;
  const counted = (box: Box): Box => {
    const { left, top, right, bottom } = box;
    return {
      get left() {
        looks += 1;
        return left;
      },
      ...{ top, right, bottom },
    };
  };
  const rules: Box[] = [];
  const runs: Run[] = [];
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const [left, top] = [column * 10, row * 10];
      rules.push(counted({ left, top, right: left + 10, bottom: top }), counted({ left, top, right: left, bottom: top + 10 }));
      runs.push(runAt(`${row}.${column}`, left + 3, top + 7));
    }
  const { grids, rest } = gridsOf(rules, runs);
  expect(rest.filter(({ x, baseline }) => x < size * 10 - 10 && baseline < size * 10 - 10)).toEqual([]);
  expect(grids[0]?.rows[1]?.[1]?.runs.map(({ text }) => text)).toEqual(["1.1"]);
  return looks;
}

it("checks each line of a large table a few times per row, not per cell", () => {
  const [small, large] = [looksAt(12), looksAt(48)];
  // 16 times as many lines in 4 times as many rows; checking all of them for each cell would be 256 times.
  expect(large / small).toBeLessThan(120);
});

const across = (top: number): Box => ({ left: 0, top, right: 90, bottom: top });
const upright = (left: number, top: number, bottom: number): Box => ({ left, top, right: left, bottom });
const textsOf = (rules: readonly Box[], runs: readonly Run[]) =>
  gridsOf(rules, runs).grids[0]?.rows.map((row) => row.map(({ runs: own, columns }) => [own.map(({ text }) => text).join("|"), columns]));

it("keeps a head across several columns whole despite the lines of other rows", () => {
  const rules = [across(0), across(10), across(20), upright(0, 0, 20), upright(30, 10, 20), upright(60, 10, 20), upright(90, 0, 20)];
  const head: Run = { ...runAt("Returned/Disposition", 15, 7), width: 60 };
  expect(textsOf(rules, [head, runAt("a", 10, 17), runAt("b", 40, 17), runAt("c", 70, 17)])).toEqual([
    [["Returned/Disposition", 3]],
    [
      ["a", 1],
      ["b", 1],
      ["c", 1],
    ],
  ]);
});

it("starts a row where vertical lines start, even without a horizontal line", () => {
  const rules = [across(0), across(20), across(30), upright(0, 0, 30), upright(30, 10, 30), upright(60, 10, 30), upright(90, 0, 30)];
  const cells = ["a", "b", "c"].map((text, index) => runAt(text, 10 + index * 30, 17));
  const head: Run = { ...runAt("All of them", 15, 7), width: 60 };
  expect(textsOf(rules, [head, ...cells, runAt("1", 10, 27)])?.map((row) => row.length)).toEqual([1, 3, 3]);
});

const wide = (text: string, x: number, baseline: number): Run => ({ ...runAt(text, x, baseline), width: text.length * 2 });

it("splits a wide cell at columns that are ruled only in the head, even if one text runs over", () => {
  const rules = [
    across(0),
    across(10),
    across(20),
    across(30),
    upright(0, 0, 30),
    upright(30, 0, 10),
    upright(60, 0, 10),
    upright(90, 0, 30),
  ];
  const head = ["a", "b", "c"].map((text, index) => runAt(text, 10 + index * 30, 7));
  const row = [wide("Austria", 2, 17), wide("92.9", 40, 17), wide("0", 70, 17)];
  expect(textsOf(rules, [...head, ...row, wide("one title for all of these columns", 10, 27)])).toEqual([
    ["a", "b", "c"].map((text) => [text, 1]),
    ["Austria", "92.9", "0"].map((text) => [text, 1]),
    [["one title for all of these columns", 3]],
  ]);
});

it("finds columns outside the outer vertical lines", () => {
  const rules = [across(0), across(10), across(20), upright(30, 0, 20), upright(45, 0, 20), upright(60, 0, 20)];
  const cells = (y: number) => ["a", "b", "c", "d"].map((text, index) => runAt(text, [10, 35, 50, 70][index] ?? 0, y));
  expect(textsOf(rules, [...cells(7), ...cells(17)])).toEqual([1, 2].map(() => ["a", "b", "c", "d"].map((text) => [text, 1])));
});

it("does not take the lines of a drawing, with text in few cells, for a table", () => {
  const rules = [0, 10, 20, 30, 40].flatMap((at) => [across(at), upright(at, 0, 40)]);
  const labels = [runAt("1", 5, 7), runAt("2", 15, 17), runAt("3", 25, 27)];
  expect(gridsOf(rules, labels).grids).toHaveLength(1);
  expect(gridsOf(rules, labels, [{ left: 0, top: 0, right: 90, bottom: 40 }])).toEqual({ grids: [], rest: labels });
});
