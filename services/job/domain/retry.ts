const stepsMs = [1000, 5000, 25_000] as const;
const jitter = 0.2;
/** The longest delay that `retryDelayMs` returns. */
export const longestDelayMs = stepsMs[2] * (1 + jitter);

/**
 * How long to wait before the next attempt: 1, 5, then 25 s, each ± 20 % so that jobs that failed together are not retried together.
 *
 * @param attempt - The attempt that failed, from 1.
 * @param random - From 0 to 1.
 */
export function retryDelayMs(attempt: number, random: number): number {
  const base = stepsMs[Math.min(Math.max(attempt, 1), stepsMs.length) - 1] ?? stepsMs[0];
  return Math.round(base * (1 - jitter + 2 * jitter * random));
}
