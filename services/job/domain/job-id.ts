import { randomFillSync } from "node:crypto";
import { decodeTime, monotonicFactory } from "ulid";

/** Makes ids that sort by creation, even within a millisecond. */
export function createJobIds(): (nowMs: number) => string {
  const next = monotonicFactory(createDice());
  return (nowMs) => next(nowMs).toLowerCase();
}

/**
 * From 0 to below 1 in steps of 1/256, from the system's random numbers. They are read in bulk, because reading each alone costs more than
 * the rest of an id.
 */
function createDice(): () => number {
  const bytes = Buffer.alloc(1024);
  let used = bytes.length;
  return () => {
    if (used === bytes.length) {
      randomFillSync(bytes);
      used = 0;
    }
    const byte = bytes.readUInt8(used);
    used += 1;
    return byte / 256;
  };
}

/** When the id was created, in ms since 1970. */
export function madeAtMs(jobId: string): number {
  return decodeTime(jobId.toUpperCase());
}

/** 26 lower-case characters of Crockford's base 32, the first at most 7. Anything else never reaches the store as a key. */
export function isJobId(text: string): boolean {
  return /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text);
}
