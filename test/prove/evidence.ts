/** What a check is given and what it says. */
import type { Figures } from "#services/catalogue/domain/fidelity-rule.ts";
import type { KnownFile, Sample } from "./samples.ts";

export type Case = {
  readonly sample: Sample;
  /** What the last hop read: the sample itself, or what came before. */
  readonly input: KnownFile;
  readonly result: KnownFile;
  /** The engine that wrote the result. */
  readonly writer: string;
  /** Reads the result by way of another engine's conversion, where no program at hand reads it otherwise; or a conversion of another file. */
  readAs<T>(engine: string, to: string, read: (file: KnownFile) => Promise<T>, of?: KnownFile): Promise<T>;
};

export type Evidence = { readonly figures: Figures; readonly reader: string };

/** Rejects when the result cannot be read at all. */
export type Check = (given: Case) => Promise<Evidence>;

/** A share of what was there: 1 when there is as much or more. */
export function shareOf(found: number, wanted: number): number {
  return wanted <= 0 ? 1 : Math.min(1, found / wanted);
}
