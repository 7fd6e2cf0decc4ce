/** When a delivery is tried again. */
export type Schedule = {
  /** Milliseconds from the end of attempt number `attempts` to the next; undefined: it was the last. */
  nextMs(attempts: number): number | undefined;
};

/** Spread, so that a receiver that was down is not met by everything at once. */
const jitter = 0.2;

/** @param pausesMs - The pause after each failed attempt; one more attempt than there are pauses. */
export function createSchedule(pausesMs: readonly number[], random: () => number = Math.random): Schedule {
  return {
    nextMs(attempts) {
      const pause = pausesMs[attempts - 1];
      return pause === undefined ? undefined : Math.round(pause * (1 + jitter * (2 * random() - 1)));
    },
  };
}
