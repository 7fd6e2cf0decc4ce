/** The files in an archive are converted by what was proven before. */
import { type Catalogue, catalogueOf } from "#services/catalogue/domain/catalogue.ts";
import { type ProofFile, proofOf } from "#services/catalogue/domain/proof.ts";
import type { PlanOf } from "#services/conversion/domain/convert-entry.ts";
import type { Converter } from "#services/conversion/domain/converter.ts";

/** Its catalogue is built when a file is first to be converted. */
export function planOfProven(converter: Converter, file: ProofFile): PlanOf {
  let proven: Catalogue | undefined;
  return async (from, to) => {
    proven ??= catalogueOf([converter.manifest("prove")], proofOf([file]));
    return proven.plan({ from, to, options: {} });
  };
}
