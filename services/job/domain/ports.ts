import type { Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import type { Log } from "#kit/log.ts";
import type { Admission } from "./admission.ts";
import type { Clock } from "./clock.ts";
import type { History } from "./history.ts";
import type { Held, Projection } from "./projection.ts";
import type { Spending } from "./spending.ts";
import type { Record } from "./state.ts";

/** What became of a change: `after` is undefined when there is no such job. */
export type Change =
  | { readonly changed: true; readonly before: Record; readonly after: Held }
  | { readonly changed: false; readonly before: Record | undefined; readonly after: Held | undefined };

/** The durable records, written by compare-and-set only; none names a blob that only memory has. Everything rejects with UNAVAILABLE when the broker cannot be reached. */
export type JobRecords = {
  /** From memory, else from the store: another process may have made it a moment ago. */
  find(jobId: string): Promise<Held | undefined>;
  /** From the store, which memory then agrees with. */
  refresh(jobId: string): Promise<Held | undefined>;
  /** "exists" when another request made a job with this id. A rejection leaves it open whether the job exists. */
  create(record: Record): Promise<"created" | "exists">;
  /**
   * Writes what `decide` makes of the present record, again with a newer one when somebody else was faster. An unwritten job is created.
   * `decide` may be called several times. With a signal, an unreachable broker is waited for until it fires.
   */
  change(jobId: string, decide: (held: Held) => Record | undefined, signal?: AbortSignal): Promise<Change>;
  /** For good. */
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
  /** False when somebody else wrote the entry first. Without `over` there must be none. */
  put(key: string, entry: Omit<IdempotencyEntry, "revision">, over: IdempotencyEntry | undefined): Promise<boolean>;
  /** Lets the key be used again, unless another job has it by now. */
  free(key: string, jobId: string): Promise<void>;
};

export type WakeUps = {
  publish(lane: string, jobId: string, options?: { again?: boolean }): Promise<void>;
  /** Has a worker of this process claim without a message, when it has a place. False: there is none in the lane. */
  wakeHere(lane: string, options?: { isNewcomer: boolean }): boolean;
  waiting(lane: string): Promise<number>;
  withdraw(lane: string, jobId: string): Promise<void>;
};

export type Blobs = {
  remove(blobId: string): Promise<void>;
};

export type Planner = (request: { from: string; to: string; options: { [name: string]: string } }) => Promise<Plan>;

/** What a payer has a bound of. */
export type Quota = "stored" | "result" | "processor";

/** Counts of what happened; labels are bounded by states and lanes. */
export type Meter = {
  /** The job entered the state; `durationMs` of the conversion when it is done. */
  entered(record: Record, durationMs?: number): void;
  /** The first attempt began after this long in the queue. */
  waited(record: Record, waitedMs: number): void;
  /** A bound on what is kept or used was met. */
  refused(isGuest: boolean, quota: Quota): void;
};

/** Jobs whose next attempt, or whose first record, is being written. */
export type Beginnings = Map<string, { readonly payer: string; readonly settled: Promise<unknown> }>;

/** Work that nobody waits for but that must not be lost sight of. */
export type Background = {
  /** Logs a rejection as `event`. */
  run(event: string, work: () => Promise<unknown>): void;
  /** Fires when the service ends. */
  readonly signal: AbortSignal;
};

export type Rules = {
  readonly retentionSeconds: number;
  readonly maxAttempts: number;
  readonly leaseMs: number;
  readonly maxUnfinished: number;
  /** How long a job may be known to this process alone. */
  readonly unwrittenMs: number;
};

export type Passwords = { readonly input: string; readonly output: string };

/** Everything that the rules of jobs work with. */
export type Core = {
  readonly rules: Rules;
  readonly clock: Clock;
  readonly log: Log;
  readonly projection: Projection;
  readonly history: History;
  readonly admission: Admission;
  readonly spending: Spending;
  readonly beginnings: Beginnings;
  /** Lanes of the jobs on the short way that have not begun, by id. */
  readonly waitingHere: Map<string, string>;
  /** Of protected inputs and results, by job, until it has ended; empty: none. */
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
  /** Whether it is certain that the process of this worker is dead. */
  readonly isGone: (worker: string) => boolean;
  /** Expires guests' results, oldest first, until the disk has the room that it should. Resolves with how many bytes went. */
  makeRoom(): Promise<number>;
  /** Forces what was written to the disk. */
  flush(): Promise<void>;
};
