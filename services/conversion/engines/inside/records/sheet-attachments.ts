import * as workbooks from "@e965/xlsx";
import { type Notes, noteOnce } from "../exchange.ts";
import { firstOf } from "./values.ts";

/** Notes what is attached to cells but is not part of their values. */
export function noteAttached(rows: readonly (readonly (workbooks.CellObject | undefined)[])[], notes: Notes): void {
  const [comments, links]: [string[], string[]] = [[], []];
  for (const [row, line] of rows.entries()) {
    for (const [column, cell] of (line ?? []).entries()) {
      if (cell === undefined) continue;
      const place = () => workbooks.utils.encode_cell({ r: row, c: column });
      if ((cell.c?.length ?? 0) > 0) comments.push(place());
      if ((cell.l !== undefined && cell.l.Target !== cell.v) || hidesAddress(cell)) links.push(place());
    }
  }
  const said = [
    ...(comments.length > 0 ? [`Comments were left out: ${firstOf(comments)}.`] : []),
    ...(links.length > 0 ? [`Link addresses were left out: ${firstOf(links)}.`] : []),
  ];
  if (said.length > 0) noteOnce(notes, "TEXT_LEFT_OUT", said.join(" "));
}

/** Whether a formula links to an address that its result does not show. */
function hidesAddress({ f: formula = "", v: value }: workbooks.CellObject): boolean {
  const [, given] = formula.split(/\bHYPERLINK\(/i);
  if (given === undefined) return false;
  const literal = /^\s{0,9}"([^"]*)"\s{0,9}[,;)]/.exec(given)?.[1];
  // A computed address is the result if there is no label.
  return literal === undefined ? /[,;]/.test(given) : literal !== value;
}
