/** Values that changed during a conversion, and the notes that announce it. */
import type { Engine } from "#services/conversion/domain/engine.ts";
import type { Said, SaidTable } from "./said.ts";

export type Difference = {
  /** How a value changed: a change that no note can excuse is not a key of `excuses`. */
  readonly change: string;
  readonly place: string;
  readonly was: string;
  readonly is: string;
};

/** Compares independent readings of a source and its result, for the formats of one kind. */
export type Judge = {
  /** The engine that converts them. */
  readonly engine: Engine;
  differencesOf(was: Said | SaidTable, is: Said | SaidTable, from: string, to: string, notes: ReadonlySet<string>): readonly Difference[];
  /** The reader's name, if a format of another kind has the same id. */
  readAs?(to: string): string;
  /** The notes that excuse each change. */
  readonly excuses: Readonly<Record<string, readonly string[]>>;
};

export const isExcused = ({ change }: Difference, notes: ReadonlySet<string>, { excuses }: Pick<Judge, "excuses">): boolean =>
  (excuses[change] ?? []).some((code) => notes.has(code));
