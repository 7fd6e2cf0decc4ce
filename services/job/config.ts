import type { Settings } from "#kit/settings.ts";

/** What the job service takes from the one table of settings. */
export type JobSettings = Pick<
  Settings,
  "RETENTION_SECONDS" | "MAX_UNFINISHED_JOBS" | "MAX_ATTEMPTS" | "LEASE_MS" | "MIN_FREE_DISK_MB" | "GUEST_RESERVE_MB"
>;

/** Every lane that a plan may name; each is a subject and a consumer of the work queue `JOBS`. */
export const lanes = ["image", "document", "office", "media"] as const;

/** The service's own times, in milliseconds: how often it looks after its jobs by itself, and how long one may be unwritten. */
export type Cadence = {
  /** Between two looks for jobs whose wake-up was lost. */
  readonly reconcileMs: number;
  /** Between two looks for jobs whose time is over. */
  readonly expireMs: number;
  /** Between two looks for blobs that no job needs. */
  readonly sweepMs: number;
  /** Between two looks whether guests' results must make room on the disk. */
  readonly roomMs: number;
  /** What takes longer than this is recorded before it ends (decision 68). */
  readonly unwrittenMs: number;
  /** Between two writes of how long conversions took. */
  readonly timingsMs: number;
};

export const defaultCadence: Cadence = {
  reconcileMs: 5000,
  expireMs: 5000,
  sweepMs: 600_000,
  roomMs: 1000,
  unwrittenMs: 300,
  timingsMs: 10_000,
};
