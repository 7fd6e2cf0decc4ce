import type { Settings } from "#kit/settings.ts";

/** The settings that the job service reads. */
export type JobSettings = Pick<
  Settings,
  "RETENTION_SECONDS" | "MAX_UNFINISHED_JOBS" | "MAX_ATTEMPTS" | "LEASE_MS" | "MIN_FREE_DISK_MB" | "GUEST_RESERVE_MB"
>;

/** Every lane that a plan may name. Each is a subject and a consumer of the work queue `JOBS`. */
export const lanes = ["image", "document", "office", "media"] as const;

/** The service's own intervals, in milliseconds: how often it checks its jobs, and how long a job may remain unwritten. */
export type Cadence = {
  /** Between checks for jobs whose wake-up was lost. */
  readonly reconcileMs: number;
  /** Between checks for expired jobs. */
  readonly expireMs: number;
  /** Between checks for blobs that no job needs. */
  readonly sweepMs: number;
  /** Between checks whether guests' results must make room on the disk. */
  readonly roomMs: number;
  /** A job that takes longer than this is recorded before it ends (decision 68). */
  readonly unwrittenMs: number;
  /** Between writes of conversion times. */
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
