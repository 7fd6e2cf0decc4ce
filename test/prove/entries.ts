/** Converts the files of an archive by routes that were already proven. */
import { type Catalogue, catalogueOf } from "#services/catalogue/domain/catalogue.ts";
import { type ProofFile, proofOf } from "#services/catalogue/domain/proof.ts";
import type { PlanOf } from "#services/conversion/domain/convert-entry.ts";
import type { Converter } from "#services/conversion/domain/converter.ts";

/** The catalogue is built on first use. */
export function planOfProven(converter: Converter, file: ProofFile): PlanOf {
  let proven: Catalogue | undefined;
  return async (from, to) => {
    proven ??= catalogueOf([converter.manifest("prove")], proofOf([file]));
    return proven.plan({ from, to, options: {} });
  };
}
