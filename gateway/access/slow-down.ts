/** Slows down many strangers who guess at one account: after a few attempts, each one makes the next wait twice as long. */

/** Attempts without a wait. */
const freeTries = 10;
const firstWaitMs = 1000;
const longestWaitMs = 300_000;
/** Attempts are forgotten after this time without a new one. */
const memoryMs = 3_600_000;
/** Beyond this, the account whose last attempt is oldest is forgotten. A separate limit bounds what one client can add. */
const maxSubjects = 100_000;

export type SlowDown = {
  /** How long the next attempt must wait; 0 for not at all. */
  waitMs(subject: string): number;
  /** Counts an attempt that did not have to wait. */
  count(subject: string): void;
  forget(subject: string): void;
};

export function createSlowDown(now: () => number = () => performance.now()): SlowDown {
  const tries = new Map<string, { count: number; atMs: number }>();
  const recentOf = (subject: string): { count: number; atMs: number } | undefined => {
    const recent = tries.get(subject);
    return recent !== undefined && now() - recent.atMs < memoryMs ? recent : undefined;
  };
  return {
    waitMs(subject) {
      const { count = 0, atMs = 0 } = recentOf(subject) ?? {};
      if (count < freeTries) return 0;
      return Math.max(0, atMs + Math.min(longestWaitMs, firstWaitMs * 2 ** (count - freeTries)) - now());
    },
    count(subject) {
      const count = (recentOf(subject)?.count ?? 0) + 1;
      // Deleted and set again, so that it moves to the end of the map.
      tries.delete(subject);
      tries.set(subject, { count, atMs: now() });
      const [oldest] = tries.keys();
      if (tries.size > maxSubjects && oldest !== undefined) tries.delete(oldest);
    },
    forget: (subject) => void tries.delete(subject),
  };
}
