/** What is said of a file: of its columns their names, the first of them, and how many more. */
import type { Notes } from "../exchange.ts";

const mostNamed = 3;
const longestName = 40;

export function named(names: readonly string[]): string {
  const first = names.slice(0, mostNamed).map((name) => (name.length > longestName ? `${name.slice(0, longestName)}…` : name));
  return `${first.join(", ")}${names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ""}`;
}

/** A second message of a code goes behind its first. */
export function addNote(notes: Notes, code: string, message: string): void {
  const before = notes.get(code);
  notes.set(code, before === undefined ? message : `${before} ${message}`);
}
