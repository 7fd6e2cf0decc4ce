/** Numbers that a reader rounds which gives doubles only. */
import { type Notes, noteOnce } from "../exchange.ts";
import { Exact, numberOf } from "./values.ts";

/** As values of TOML and JSON5 begin: behind a sign of equality, a colon, a comma, a bracket or a blank. */
const longNumber = /[=:,[\s]([-+]?\d[\d_]*\.?[\d_]*(?:[eE][-+]?\d+)?)/g;

/** Looks at texts within the file too, where a number that is found only makes one note too many. */
export function noteRoundedNumbers(text: string, notes: Notes): void {
  for (const [, found = ""] of text.matchAll(longNumber)) {
    const number = found.replaceAll("_", "");
    if (!/[.eE]/.test(number) || !(numberOf(number) instanceof Exact)) continue;
    noteOnce(notes, "NUMBERS_ROUNDED", `Numbers with more digits than can be read were rounded, first ${found.slice(0, 60)}.`);
    return;
  }
}
