import { expect, it } from "vitest";
import type { Box, Run } from "#services/conversion/engines/inside/pdf/content.ts";
import { gridsOf } from "#services/conversion/engines/inside/pdf/ruled-tables.ts";

const look = { isBold: false, isItalic: false, isMono: false };
const runAt = (text: string, x: number, baseline: number): Run => ({
  ...{ text, x, baseline, width: 3, size: 4, look, font: undefined },
  ...{ endsLine: false, mark: undefined, href: undefined },
});

/** How often the lines of a table are looked at, cell by cell drawn, as some programs do. */
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

it("looks at each line of a large table a few times for each row, and not for each cell", () => {
  const [small, large] = [looksAt(12), looksAt(48)];
  // 16 times as many lines in 4 times as many rows; for each cell it would be 256 times.
  expect(large / small).toBeLessThan(120);
});
