/** Texts that end in half a character, as programs make them that cut by units of UTF-16, for formats that hold whole ones alone. */
import type { Notes } from "../exchange.ts";
import { type Entries, freeNames, type Value } from "./values.ts";

/** The same value; what had to be replaced is noted. */
export function wellFormed(value: Value, notes: Notes): Value {
  let isChanged = false;
  const textOf = (text: string): string => {
    if (text.isWellFormed()) return text;
    isChanged = true;
    return text.toWellFormed();
  };
  const entriesOf = (entries: Entries): Entries => {
    const names = freeNames([...entries.keys()].map((name) => [name, textOf(name)] as const));
    return new Map([...entries.values()].map((each, place) => [names[place] ?? "", convert(each)]));
  };
  const convert = (given: Value): Value => {
    if (typeof given === "string") return textOf(given);
    if (Array.isArray(given)) return given.map(convert);
    return given instanceof Map ? entriesOf(given) : given;
  };
  const whole = convert(value);
  if (isChanged) notes.set("CHARACTERS_REPLACED", "Halves of characters, which the format cannot store, were replaced by U+FFFD.");
  return whole;
}
