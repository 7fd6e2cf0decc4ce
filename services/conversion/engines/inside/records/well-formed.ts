/** Replaces lone surrogates, which programs that cut text by UTF-16 units produce, for formats that allow only whole characters. */
import { type Notes, noteOnce } from "../exchange.ts";
import { type Entries, freeNames, type Value } from "./values.ts";

/** The same value; replacements are noted. */
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
  if (isChanged) noteOnce(notes, "CHARACTERS_REPLACED", "Halves of characters, which the format cannot store, were replaced by U+FFFD.");
  return whole;
}
