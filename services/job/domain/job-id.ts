import { randomFillSync } from "node:crypto";
import { decodeTime, monotonicFactory } from "ulid";

/** Makes ids that sort by creation, also within one millisecond. */
export function createJobIds(): (nowMs: number) => string {
  const next = monotonicFactory(createDice());
  return (nowMs) => next(nowMs).toLowerCase();
}

/** From 0 to below 1 in steps of 1/256, from the system's random numbers; asked for each alone, they cost more than the rest of an id. */
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

/** When the id was made, in ms since 1970. */
export function madeAtMs(jobId: string): number {
  return decodeTime(jobId.toUpperCase());
}

/** 26 lower-case characters of Crockford's base 32, the first one at most 7. Everything else never reaches the store as a key. */
export function isJobId(text: string): boolean {
  return /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text);
}
