/** What became another value on its way, and which notes tell it. */
import type { Engine } from "#services/conversion/domain/engine.ts";
import type { Said, SaidTable } from "./said.ts";

export type Difference = {
  /** How a value changed: what no note can excuse is no key of `excuses`. */
  readonly change: string;
  readonly place: string;
  readonly was: string;
  readonly is: string;
};

/** Compares what independent readers found in a source and in its result, for the formats of one kind. */
export type Judge = {
  /** That converts them. */
  readonly engine: Engine;
  differencesOf(was: Said | SaidTable, is: Said | SaidTable, from: string, to: string, notes: ReadonlySet<string>): readonly Difference[];
  /** The name of the reader, where a format of another kind has the same. */
  readAs?(to: string): string;
  /** Of each change the notes that tell it. */
  readonly excuses: Readonly<Record<string, readonly string[]>>;
};

export const isExcused = ({ change }: Difference, notes: ReadonlySet<string>, { excuses }: Pick<Judge, "excuses">): boolean =>
  (excuses[change] ?? []).some((code) => notes.has(code));
