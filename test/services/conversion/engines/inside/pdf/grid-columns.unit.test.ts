import { expect, it } from "vitest";
import type { Run } from "#services/conversion/engines/inside/pdf/content.ts";
import { withInnerColumns } from "#services/conversion/engines/inside/pdf/grid-columns.ts";
import { piecesOf, textOfPiece } from "#services/conversion/engines/inside/pdf/lines.ts";
import { runAt } from "./letters.ts";

const cell = (columns: number, ...runs: readonly Run[]) => ({ columns, pieces: piecesOf(runs) });
const textsOf = (rows: ReturnType<typeof withInnerColumns>) =>
  rows.map((row) => row.map(({ pieces, columns }) => [pieces.map(textOfPiece).join(" "), columns]));

it("splits a column if most rows have figures side by side, and keeps the head above them whole", () => {
  const row = (label: string, y: number, ...values: readonly string[]) => [
    cell(1, runAt(label, 0, y)),
    cell(1, ...values.map((value, index) => runAt(value, 100 + index * 50, y))),
  ];
  const head = [cell(1, runAt("Age", 0, 10)), cell(1, runAt("Mexican American", 100, 10))];
  const rows = [head, row("1-2", 22, "409,038", "392,640"), row("3-5", 34, "563,286", "563,183"), row("6-11", 46, "998,192", "999,217")];
  expect(textsOf(withInnerColumns(rows))).toEqual([
    [
      ["Age", 1],
      ["Mexican American", 2],
    ],
    [
      ["1-2", 1],
      ["409,038", 1],
      ["392,640", 1],
    ],
    [
      ["3-5", 1],
      ["563,286", 1],
      ["563,183", 1],
    ],
    [
      ["6-11", 1],
      ["998,192", 1],
      ["999,217", 1],
    ],
  ]);
});

it("keeps words side by side in one column", () => {
  const rows = [10, 22, 34, 46].map((y) => [cell(1, runAt("left", 0, y), runAt("right", 80, y)), cell(1, runAt("1", 200, y))]);
  expect(withInnerColumns(rows)).toEqual(rows);
});
