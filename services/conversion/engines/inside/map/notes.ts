/** Texts of notes: the first few column names, and how many more there are. */
import type { Notes } from "../exchange.ts";

const mostNamed = 3;
const longestName = 40;

export function named(names: readonly string[]): string {
  const first = names.slice(0, mostNamed).map((name) => (name.length > longestName ? `${name.slice(0, longestName)}…` : name));
  return `${first.join(", ")}${names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ""}`;
}

/** Appends a second message with the same code to the first. */
export function addNote(notes: Notes, code: string, message: string): void {
  const before = notes.get(code);
  notes.set(code, before === undefined ? message : `${before} ${message}`);
}
