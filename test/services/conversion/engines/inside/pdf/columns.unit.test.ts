import { expect, it } from "vitest";
import { flowsOf } from "#services/conversion/engines/inside/pdf/columns.ts";
import { piecesOf, textOfPiece } from "#services/conversion/engines/inside/pdf/lines.ts";
import { runAt } from "./letters.ts";

const line = "words to the end of the line, which is full";
const column = (x: number, from: number) => Array.from({ length: 30 }, (_, index) => runAt(line, x, from + index * 13));
const besides = [...column(60, 100), ...column(300, 105)];

it("finds two columns below a running head that starts at the edge of the paper", () => {
  const flows = flowsOf(piecesOf([runAt("Manual", 0, 20), ...besides, runAt("Page 1", 0, 800)]));
  expect(flows.map((atoms) => atoms.length).filter((count) => count >= 30)).toHaveLength(2);
});

it("keeps a heading apart from the line beside it in the other column", () => {
  const pieces = piecesOf([runAt("a line that ends before", 60, 100), runAt("Heading", 188, 101, { size: 15 })]);
  expect(pieces.map(textOfPiece)).toEqual(["Heading", "a line that ends before"]);
});

it("treats a column of figures as part of a table", () => {
  const figures = Array.from({ length: 30 }, (_, index) => runAt("1,250,300 1,040,000 2,000,000 300,400,000", 300, 105 + index * 13));
  expect(flowsOf(piecesOf([...column(60, 100), ...figures]))).toHaveLength(1);
});
