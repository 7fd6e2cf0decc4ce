import { FilemillError } from "#contract/errors.ts";
import { LacksContent } from "#services/conversion/domain/failure.ts";

export type Refusal = { readonly code: string; readonly message: string; readonly lacksContent?: true };

/** What was found out about the file. Undefined for a defect of Filemill. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof FilemillError)) return undefined;
  const { code, message } = error;
  return { code, message, ...(error instanceof LacksContent ? { lacksContent: true } : {}) };
}
