/** How large a result may be for its payer, and what that means for each hop. */
import type { FilemillError } from "#contract/errors.ts";
import { resultQuotaError, storedQuotaError } from "#contract/quota.ts";

export type ResultBound = {
  /** Limit of the plan in MB; 0: none. */
  readonly maxResultMb: number;
  readonly maxStoredMb: number;
  /** What is left of `maxStoredMb`. Undefined: no limit. */
  readonly roomBytes: number | undefined;
};

const bytesPerMb = 1e6;
/**
 * Keeps an engine's own files next to a small result from counting as a result that is too large. Published results are checked exactly.
 */
const leastBytes = 64 * 2 ** 20;

/** In bytes, or infinite. */
export function resultBytesOf({ maxResultMb, roomBytes = Number.POSITIVE_INFINITY }: ResultBound): number {
  return Math.min(planBytesOf(maxResultMb), roomBytes);
}

/**
 * What a hop may write. An intermediate file may be larger than this payer's remaining space, but not larger than the plan's limit for any
 * result.
 */
export function outputBytesOf(bound: ResultBound, isLast: boolean): number {
  return Math.max(leastBytes, isLast ? resultBytesOf(bound) : planBytesOf(bound.maxResultMb));
}

/** Why a result, or an intermediate file, is too large. */
export function tooLargeFor({ maxResultMb, maxStoredMb, roomBytes = Number.POSITIVE_INFINITY }: ResultBound): FilemillError {
  if (roomBytes >= planBytesOf(maxResultMb)) return resultQuotaError(maxResultMb);
  return storedQuotaError(maxStoredMb, maxStoredMb * bytesPerMb - roomBytes);
}

function planBytesOf(maxResultMb: number): number {
  return maxResultMb === 0 ? Number.POSITIVE_INFINITY : maxResultMb * bytesPerMb;
}
