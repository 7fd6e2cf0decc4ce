/** How large a result may be for whom it is made, and what that means for a hop on the way. */
import type { FilemillError } from "#contract/errors.ts";
import { resultQuotaError, storedQuotaError } from "#contract/quota.ts";

export type ResultBound = {
  /** Of the plan, in MB; 0: none. */
  readonly maxResultMb: number;
  readonly maxStoredMb: number;
  /** What is left of `maxStoredMb`; undefined: no bound. */
  readonly roomBytes: number | undefined;
};

const bytesPerMb = 1e6;
/** An engine's own files beside a small result are not to be taken for one that is too large; what is published is judged exactly. */
const leastBytes = 64 * 2 ** 20;

/** In bytes, or infinite. */
export function resultBytesOf({ maxResultMb, roomBytes = Number.POSITIVE_INFINITY }: ResultBound): number {
  return Math.min(planBytesOf(maxResultMb), roomBytes);
}

/** What a hop may write. A file between two hops may be larger than the result, but not than any result. */
export function outputBytesOf(bound: ResultBound, isLast: boolean): number {
  return Math.max(leastBytes, isLast ? resultBytesOf(bound) : planBytesOf(bound.maxResultMb));
}

/** Why a result, or a file on the way to it, is too large. */
export function tooLargeFor({ maxResultMb, maxStoredMb, roomBytes = Number.POSITIVE_INFINITY }: ResultBound): FilemillError {
  if (roomBytes >= planBytesOf(maxResultMb)) return resultQuotaError(maxResultMb);
  return storedQuotaError(maxStoredMb, maxStoredMb * bytesPerMb - roomBytes);
}

function planBytesOf(maxResultMb: number): number {
  return maxResultMb === 0 ? Number.POSITIVE_INFINITY : maxResultMb * bytesPerMb;
}
