import { decodeTime, monotonicFactory } from "ulid";

/** Makes ids that sort by creation, also within one millisecond. */
export function createJobIds(): (nowMs: number) => string {
  const next = monotonicFactory();
  return (nowMs) => next(nowMs).toLowerCase();
}

/** When the id was made, in ms since 1970. */
export function madeAtMs(jobId: string): number {
  return decodeTime(jobId.toUpperCase());
}

/** 26 lower-case characters of Crockford's base 32, the first one at most 7. Everything else never reaches the store as a key. */
export function isJobId(text: string): boolean {
  return /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text);
}
