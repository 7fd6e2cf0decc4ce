/** Input and output of a check. */
import type { Figures } from "#services/catalogue/domain/fidelity-rule.ts";
import type { KnownFile, Sample } from "./samples.ts";

export type Case = {
  readonly sample: Sample;
  /** Input of the last hop: the sample itself, or the previous result. */
  readonly input: KnownFile;
  readonly result: KnownFile;
  /** The engine that wrote the result. */
  readonly writer: string;
  /** Reads the result, or another file, through another engine's conversion, if no program at hand reads it directly. */
  readAs<T>(engine: string, to: string, read: (file: KnownFile) => Promise<T>, of?: KnownFile): Promise<T>;
};

export type Evidence = { readonly figures: Figures; readonly reader: string };

/** Rejects if the result cannot be read at all. */
export type Check = (given: Case) => Promise<Evidence>;

/** A share of what was there: 1 if there is as much or more. */
export function shareOf(found: number, wanted: number): number {
  return wanted <= 0 ? 1 : Math.min(1, found / wanted);
}
