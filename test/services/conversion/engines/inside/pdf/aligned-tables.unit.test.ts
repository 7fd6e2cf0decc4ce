import { expect, it } from "vitest";
import { tableAt } from "#services/conversion/engines/inside/pdf/aligned-tables.ts";
import type { Run } from "#services/conversion/engines/inside/pdf/content.ts";
import { piecesOf, rowsOf, textOfPiece } from "#services/conversion/engines/inside/pdf/lines.ts";
import { runAt } from "./letters.ts";

const tableIn = (...runs: readonly Run[]) => tableAt(rowsOf(piecesOf(runs)), [], () => false);
const textsIn = (...runs: readonly Run[]) => tableIn(...runs)?.cells.map((row) => row.map((pieces) => pieces.map(textOfPiece).join(" ")));

const rowAt = (y: number, label: string, ...values: readonly string[]) => [
  runAt(label, 0, y),
  ...values.map((value, index) => runAt(value, 120 + index * 60, y)),
];

it("keeps a table together across its group titles", () => {
  const rows = [
    ...rowAt(10, "Total", "44.8", "33,200"),
    ...rowAt(22, "Institution"),
    ...rowAt(34, "Public", "44.4", "31,200"),
    ...rowAt(46, "Private", "45.9", "36,600"),
  ];
  expect(textsIn(...rows)).toEqual([
    ["Total", "44.8", "33,200"],
    ["Institution", "", ""],
    ["Public", "44.4", "31,200"],
    ["Private", "45.9", "36,600"],
  ]);
});

it("keeps columns apart below a head that spans them", () => {
  const head = [runAt("Country", 0, 10), runAt("Fused oxide, in tons", 120, 10)];
  const rows = ["Austria", "Brazil", "China", "France"].flatMap((name, index) => rowAt(22 + index * 12, name, "60,000", "50,000"));
  expect(textsIn(...head, ...rows)?.[1]).toEqual(["Austria", "60,000", "50,000"]);
});

it("does not take numbered headings for a table", () => {
  const heads = [runAt("3.2", 0, 10, { isBold: true }), runAt("Measuring Losses", 60, 10, { isBold: true })];
  const next = [runAt("3.2.1", 0, 30, { isBold: true }), runAt("Reported Losses", 60, 30, { isBold: true })];
  expect(tableIn(...heads, ...next)).toBeUndefined();
});
