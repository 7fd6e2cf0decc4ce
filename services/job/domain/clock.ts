/** Two clocks: one tells the date and may be set, the other measures spans and only goes forward. */
export type Clock = {
  /** Unix time in ms. */
  now(): number;
  /** Milliseconds since some moment of this process. */
  monotonicMs(): number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() };
