import { FilemillError } from "#contract/errors.ts";
import type { Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Projection } from "./projection.ts";

const bytesPerMb = 1_000_000n;
const retryAfterMs = 5000;

/** Throws INPUT_TOO_LARGE above the route's or the account plan's limit, whichever is smaller; 0 means no limit. */
export function checkCeiling(sizeBytes: bigint, plan: Plan, planMaxInputMb: number): void {
  const byPlan = planMaxInputMb > 0 && (plan.maxInputMb === 0 || planMaxInputMb < plan.maxInputMb);
  const limitMb = byPlan ? planMaxInputMb : plan.maxInputMb;
  if (limitMb === 0 || sizeBytes <= BigInt(limitMb) * bytesPerMb) return;
  const limitedBy = byPlan ? "plan" : "conversion";
  throw new FilemillError("INPUT_TOO_LARGE", `The file exceeds the limit of this ${limitedBy}, ${limitMb} MB.`, {
    details: { limitMb, limitedBy },
  });
}

/** Places among the unfinished jobs. A place is taken before the record is written, so that concurrent requests cannot exceed the limit. */
export type Admission = {
  /**
   * Takes a place for a job of the payer, and reserves the space for its input. Throws TOO_MANY_JOBS or OVERLOADED.
   *
   * @param maxOfPayer - 0: no limit.
   * @returns Releases the place. Call it once the job is in the projection, or will never be.
   */
  take(job: { readonly id: string; readonly payer: string; readonly inputBytes: number }, maxOfPayer: number): () => void;
};

/** Limits hold per process of this service. Several processes may exceed them by what they admit at the same moment. */
export function createAdmission(projection: Projection, maxOfAll: number): Admission {
  const taken = new Map<string, { readonly payer: string; holders: number }>();
  return {
    take({ id, payer, inputBytes }, maxOfPayer) {
      const same = taken.get(id);
      if (same === undefined) {
        const pending = [...taken.entries()].filter(([other]) => projection.get(other) === undefined);
        const ofPayer = projection.unfinishedCount(payer) + pending.filter(([, place]) => place.payer === payer).length;
        if (maxOfPayer > 0 && ofPayer >= maxOfPayer) {
          const message = `You already have ${maxOfPayer} unfinished jobs; try again when one has finished.`;
          throw new FilemillError("TOO_MANY_JOBS", message, { details: { limit: maxOfPayer }, retryAfterMs });
        }
        if (projection.unfinishedCount() + pending.length >= maxOfAll) {
          throw new FilemillError("OVERLOADED", "The queue is full; try again in a moment.", { retryAfterMs });
        }
      }
      // Requests with one idempotency key may share a job, and therefore its place.
      const place = same ?? { payer, holders: 0 };
      place.holders += 1;
      taken.set(id, place);
      const letGo = projection.ledger.hold(id, payer, inputBytes);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        place.holders -= 1;
        letGo();
        if (place.holders === 0) taken.delete(id);
      };
    },
  };
}
