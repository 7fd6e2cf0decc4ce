/** What many strangers do together to one account: each try beyond a few makes the next one wait, and longer each time. */

/** Tries that nobody has to wait for. */
const freeTries = 10;
const firstWaitMs = 1000;
const longestWaitMs = 300_000;
/** Without a try for so long, all are forgotten. */
const memoryMs = 3_600_000;
/** The one that was tried longest ago is forgotten first. What one client can have us remember is bounded elsewhere. */
const maxSubjects = 100_000;

export type SlowDown = {
  /** How long the next try has to wait; 0: not at all. */
  waitMs(subject: string): number;
  /** Counts a try that did not have to wait. */
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
      // Written anew, so that it comes last.
      tries.delete(subject);
      tries.set(subject, { count, atMs: now() });
      const [oldest] = tries.keys();
      if (tries.size > maxSubjects && oldest !== undefined) tries.delete(oldest);
    },
    forget: (subject) => void tries.delete(subject),
  };
}
