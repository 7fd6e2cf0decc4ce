import type { Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { FilemillError } from "#kit/errors.ts";
import type { Projection } from "./projection.ts";

const bytesPerMb = 1_000_000n;
const retryAfterMs = 5000;

/** Throws INPUT_TOO_LARGE over the smaller of the route's and the account plan's ceiling; 0 is no bound. */
export function checkCeiling(sizeBytes: bigint, plan: Plan, planMaxInputMb: number): void {
  const byPlan = planMaxInputMb > 0 && (plan.maxInputMb === 0 || planMaxInputMb < plan.maxInputMb);
  const limitMb = byPlan ? planMaxInputMb : plan.maxInputMb;
  if (limitMb === 0 || sizeBytes <= BigInt(limitMb) * bytesPerMb) return;
  const limitedBy = byPlan ? "plan" : "conversion";
  throw new FilemillError("INPUT_TOO_LARGE", `The file is larger than ${limitMb} MB, the ceiling of this ${limitedBy}.`, {
    details: { limitMb, limitedBy },
  });
}

/** Places among the unfinished jobs, taken before the record is written so that requests at the same time cannot overshoot. */
export type Admission = {
  /**
   * Takes a place for a job of the account. Throws TOO_MANY_JOBS or OVERLOADED.
   *
   * @param maxOfAccount - 0: no bound.
   * @returns Gives the place back; to be called once the job is in the projection, or will not be.
   */
  take(jobId: string, accountId: string, maxOfAccount: number): () => void;
};

/** Bounds hold per process of this service; several may overshoot by what they admit in the same moment. */
export function createAdmission(projection: Projection, maxOfAll: number): Admission {
  const taken = new Map<string, { readonly accountId: string; holders: number }>();
  return {
    take(jobId, accountId, maxOfAccount) {
      const same = taken.get(jobId);
      if (same === undefined) {
        const pending = [...taken.entries()].filter(([id]) => projection.get(id) === undefined);
        const ofAccount = projection.unfinishedCount(accountId) + pending.filter(([, place]) => place.accountId === accountId).length;
        if (maxOfAccount > 0 && ofAccount >= maxOfAccount) {
          const message = `This account has ${maxOfAccount} unfinished jobs already; try again when one has ended.`;
          throw new FilemillError("TOO_MANY_JOBS", message, { details: { limit: maxOfAccount }, retryAfterMs });
        }
        if (projection.unfinishedCount() + pending.length >= maxOfAll) {
          throw new FilemillError("OVERLOADED", "The queue is full; try again in a moment.", { retryAfterMs });
        }
      }
      // Requests with one idempotency key may share a job, hence its place.
      const place = same ?? { accountId, holders: 0 };
      place.holders += 1;
      taken.set(jobId, place);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        place.holders -= 1;
        if (place.holders === 0) taken.delete(jobId);
      };
    },
  };
}
