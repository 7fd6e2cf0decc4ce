/** Two clocks: one tells the date and can be set, the other measures durations and only moves forward. */
export type Clock = {
  /** Unix time in ms. */
  now(): number;
  /** Milliseconds since an arbitrary moment of this process. */
  monotonicMs(): number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() };
