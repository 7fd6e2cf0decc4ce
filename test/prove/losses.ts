/** What a run found to be worse than the proof file states. */
import { measuredWords } from "#services/catalogue/domain/fidelity-rule.ts";
import { keyOf, type ProofRow } from "#services/catalogue/domain/proof.ts";

export type Found = {
  /** The rows of the file that hold here. */
  readonly holding: readonly ProofRow[];
  /** This run's measurements, by key. */
  readonly fresh: ReadonlyMap<string, ProofRow>;
};

/** What was proven before but fails now. */
export function lostOf({ holding, fresh }: Found): readonly ProofRow[] {
  const before = new Map(holding.map((row) => [keyOf(row), row]));
  return [...fresh.values()].filter((row) => row.word === "failed" && (before.get(keyOf(row))?.word ?? "failed") !== "failed");
}

/** What passed with a worse result than before; another machine may render it differently. */
export function worsenedOf({ holding, fresh }: Found): readonly ProofRow[] {
  const before = new Map(holding.map((row) => [keyOf(row), row]));
  const rankOf = ({ word }: ProofRow): number => measuredWords.indexOf(word);
  return [...fresh.values()].filter((row) => row.word !== "failed" && rankOf(row) > rankOf(before.get(keyOf(row)) ?? row));
}
