/** When to retry a delivery. */
export type Schedule = {
  /** Milliseconds from the end of attempt number `attempts` to the next one. Undefined: it was the last attempt. */
  nextMs(attempts: number): number | undefined;
};

/** Spreads retries, so that a receiver that was down does not get all of them at once. */
const jitter = 0.2;

/** @param pausesMs - The pause after each failed attempt. There is one more attempt than there are pauses. */
export function createSchedule(pausesMs: readonly number[], random: () => number = Math.random): Schedule {
  return {
    nextMs(attempts) {
      const pause = pausesMs[attempts - 1];
      return pause === undefined ? undefined : Math.round(pause * (1 + jitter * (2 * random() - 1)));
    },
  };
}
