/** Detects numbers that a reader rounds because it returns only doubles. */
import { type Notes, noteOnce } from "../exchange.ts";
import { Exact, numberOf } from "./values.ts";

/** The start of a value in TOML: after an equals sign, colon, comma, bracket or blank. */
const longNumber = /[=:,[\s]([-+]?\d[\d_]*\.?[\d_]*(?:[eE][-+]?\d+)?)/g;

/** Also matches inside strings, where a false hit only causes an unnecessary note. */
export function noteRoundedNumbers(text: string, notes: Notes): void {
  for (const [, found = ""] of text.matchAll(longNumber)) {
    const number = found.replaceAll("_", "");
    if (!/[.eE]/.test(number) || !(numberOf(number) instanceof Exact)) continue;
    noteOnce(notes, "NUMBERS_ROUNDED", `Numbers with more digits than can be read were rounded, first ${found.slice(0, 60)}.`);
    return;
  }
}
