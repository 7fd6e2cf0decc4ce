/** Lines of recognised text: kept in their original order, since each word has its own size and height. */
import type { Run } from "./content.ts";
import { type Piece, splitByGaps } from "./lines.ts";

/** Sizes of recognised text vary this much without meaning. */
const [smallest, largest] = [0.7, 1.4];
/** In ems: the recognition separates columns; within its lines only table cells remain to be split. */
const wideGap = 2.5;

export function recognisedPieces(runs: readonly Run[]): Piece[] {
  const inked = runs.filter(({ text }) => text.trim() !== "");
  const usual = median(inked.map(({ size }) => size));
  const lines: Run[][] = [];
  for (const run of inked) {
    const line = lines.at(-1);
    const last = line?.at(-1);
    const goesOn = last !== undefined && Math.abs(run.baseline - last.baseline) < usual * 0.6 && run.x > last.x;
    if (line !== undefined && goesOn) line.push(run);
    else lines.push([run]);
  }
  const pieces = lines.flatMap((line) => {
    const own = median(line.map(({ size }) => size));
    const size = own > usual * smallest && own < usual * largest ? usual : own;
    const baseline = median(line.map((run) => run.baseline));
    return splitByGaps(
      line.map((run) => ({ ...run, size, baseline })),
      wideGap,
    );
  });
  return pieces.sort((one, other) => one.top - other.top || one.left - other.left);
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
