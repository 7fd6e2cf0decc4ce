import type { Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import type { Log } from "#kit/log.ts";
import type { Admission } from "./admission.ts";
import type { Clock } from "./clock.ts";
import type { History } from "./history.ts";
import type { Held, Projection } from "./projection.ts";
import type { Spending } from "./spending.ts";
import type { Record } from "./state.ts";

/** The result of a change. `after` is undefined if there is no such job. */
export type Change =
  | { readonly changed: true; readonly before: Record; readonly after: Held }
  | { readonly changed: false; readonly before: Record | undefined; readonly after: Held | undefined };

/**
 * The durable records, written only by compare-and-set. No record names a blob that exists only in memory. Everything rejects with
 * UNAVAILABLE if the broker is unreachable.
 */
export type JobRecords = {
  /** From memory, otherwise from the store: another process may have just created it. */
  find(jobId: string): Promise<Held | undefined>;
  /** From the store. Updates memory. */
  refresh(jobId: string): Promise<Held | undefined>;
  /** "exists" if another request created a job with this id. After a rejection, the job may exist or not. */
  create(record: Record): Promise<"created" | "exists">;
  /**
   * Writes what `decide` returns for the current record, and tries again with the newer record if another writer was faster. Creates an
   * unwritten job. `decide` may run several times. With a signal, waits for an unreachable broker until the signal fires.
   */
  change(jobId: string, decide: (held: Held) => Record | undefined, signal?: AbortSignal): Promise<Change>;
  /** Permanently. */
  remove(jobId: string): Promise<void>;
};

export type IdempotencyEntry = {
  readonly jobId: string;
  readonly requestDigest: string;
  readonly createdAtMs: number;
  readonly revision: number;
};

/** First requests by idempotency key. */
export type IdempotencyKeys = {
  get(key: string): Promise<IdempotencyEntry | undefined>;
  /** False if another process wrote the entry first. Without `over` there must be no entry. */
  put(key: string, entry: Omit<IdempotencyEntry, "revision">, over: IdempotencyEntry | undefined): Promise<boolean>;
  /** Allows the key to be used again, unless it belongs to another job by now. */
  free(key: string, jobId: string): Promise<void>;
};

export type WakeUps = {
  publish(lane: string, jobId: string, options?: { again?: boolean }): Promise<void>;
  /** Wakes a worker of this process, at once or when it has a free slot, to claim without a message. False if none here serves the lane. */
  wakeHere(lane: string, options?: { isNewcomer: boolean }): boolean;
  waiting(lane: string): Promise<number>;
  withdraw(lane: string, jobId: string): Promise<void>;
};

export type Blobs = {
  remove(blobId: string): Promise<void>;
};

export type Planner = (request: { from: string; to: string; options: { [name: string]: string } }) => Promise<Plan>;

/** The budgets that a payer can exceed. */
export type Quota = "stored" | "result" | "processor";

/** Counts events. The labels are limited to states and lanes. */
export type Meter = {
  /** The job entered the state. `durationMs` is that of the conversion if it is done. */
  entered(record: Record, durationMs?: number): void;
  /** The first attempt began after this long in the queue. */
  waited(record: Record, waitedMs: number): void;
  /** A limit on storage or use was reached. */
  refused(isGuest: boolean, quota: Quota): void;
};

/** Jobs whose next attempt, or whose first record, is being written. */
export type Beginnings = Map<string, { readonly payer: string; readonly settled: Promise<unknown> }>;

/** Background work, tracked until it ends. */
export type Background = {
  /** Logs a rejection as `event`. */
  run(event: string, work: () => Promise<unknown>): void;
  /** Fires when the service stops. */
  readonly signal: AbortSignal;
};

export type Rules = {
  readonly retentionSeconds: number;
  readonly maxAttempts: number;
  readonly leaseMs: number;
  readonly maxUnfinished: number;
  /** How long a job may exist in this process alone. */
  readonly unwrittenMs: number;
};

export type Passwords = { readonly input: string; readonly output: string };

/** Everything that the rules of jobs need. */
export type Core = {
  readonly rules: Rules;
  readonly clock: Clock;
  readonly log: Log;
  readonly projection: Projection;
  readonly history: History;
  readonly admission: Admission;
  readonly spending: Spending;
  readonly beginnings: Beginnings;
  /** Lanes of jobs on the short path that have not started, by id. */
  readonly waitingHere: Map<string, string>;
  /** Passwords of protected inputs and results by job, until it ends; empty: none. */
  readonly passwords: Map<string, Passwords>;
  readonly records: JobRecords;
  readonly keys: IdempotencyKeys;
  readonly wakeUps: WakeUps;
  readonly blobs: Blobs;
  readonly plan: Planner;
  readonly meter: Meter;
  readonly background: Background;
  readonly nextId: (nowMs: number) => string;
  readonly view: (held: Held) => Job;
  /** Whether the process of this worker is certainly dead. */
  readonly isGone: (worker: string) => boolean;
  /** Expires guests' results, oldest first, until enough disk space is free. Resolves with the number of bytes freed. */
  makeRoom(): Promise<number>;
  /** Forces written data to the disk. */
  flush(): Promise<void>;
};
