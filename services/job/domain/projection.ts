import { timestampMs } from "@bufbuild/protobuf/wkt";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import type { Clock } from "./clock.ts";
import { createFairLane, type FairLane, type Place } from "./fair-lane.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { isGuest, payerOf } from "./payer.ts";
import { keptBytesOf } from "./retention.ts";
import { longestDelayMs } from "./retry.ts";
import { createSortedIds, type SortedIds } from "./sorted-ids.ts";
import { isUnfinished, laneOf, type Record } from "./state.ts";

/** A record with what this process knows in addition. */
export type Held = {
  readonly record: Record;
  /** 0: no store has it yet, see isUnwritten. */
  readonly revision: number;
  /** On the monotonic clock: when the lease ends. In the past if there is none. */
  readonly leaseEndsMs: number;
  /** On the monotonic clock: when the next attempt may start. In the past if nothing delays it. */
  readonly dueMs: number;
  /** From 0 to 1, as last reported to this process. May be newer than the record's. */
  readonly progress: number | undefined;
};

/** `after` is undefined if the record is gone. */
export type JobListener = (after: Held | undefined, before: Held | undefined) => void;

/**
 * The current state of all jobs in memory, updated by the bucket's watch and immediately by this process's own writes. It is never
 * authoritative: each write is checked by compare-and-set on `revision`.
 */
export type Projection = {
  get(jobId: string): Held | undefined;
  /** Ignores a revision that is not newer than the current one. */
  apply(record: Record, revision: number): Held;
  /** A job that is not in the store yet, or its next state. It is indexed like any other. */
  hold(record: Record): void;
  drop(jobId: string): void;
  /** Extends a lease without writing it. */
  extendLease(jobId: string, leaseMs: number, progress: number | undefined): void;
  all(): Iterable<Held>;
  unfinished(): Iterable<Held>;
  /** Of one account, or of all, ascending. */
  idsOf(accountId?: string): readonly string[];
  unfinishedCount(payer?: string): number;
  /** What each payer stores. */
  readonly ledger: Ledger;
  lane(lane: string): FairLane;
  /** Counts from 1. Only meaningful for a queued job. */
  position(lane: string, jobId: string): number;
  /** Calls the listener for each change of one job, or of all jobs. Returns a function that ends this. */
  onChange(listener: JobListener, jobId?: string): () => void;
};

export function createProjection(clock: Clock, maxLeaseMs: number): Projection {
  return new JobsInMemory(clock, maxLeaseMs);
}

class JobsInMemory implements Projection {
  readonly #clock: Clock;
  readonly #maxLeaseMs: number;
  readonly #jobs = new Map<string, Held>();
  readonly #unfinished = new Set<string>();
  readonly #accounts = new Map<string, SortedIds>();
  readonly #everybody = createSortedIds();
  readonly #lanes = new Map<string, FairLane>();
  readonly #listeners = new Map<string, Set<JobListener>>();
  #newestRevision = 0;
  readonly ledger = createLedger();

  constructor(clock: Clock, maxLeaseMs: number) {
    this.#clock = clock;
    this.#maxLeaseMs = maxLeaseMs;
  }

  get(jobId: string): Held | undefined {
    return this.#jobs.get(jobId);
  }

  apply(record: Record, revision: number): Held {
    const before = this.#jobs.get(record.job.id);
    return before !== undefined && before.revision >= revision ? before : this.#put(record, revision);
  }

  hold(record: Record): void {
    this.#put(record, 0);
  }

  drop(jobId: string): void {
    const before = this.#jobs.get(jobId);
    if (before === undefined) return;
    this.#jobs.delete(jobId);
    // A deleted record is in no index except that of all jobs.
    this.#place({ ...before.record, deleted: true });
    const { accountId } = before.record.job;
    if (this.#accounts.get(accountId)?.ids.length === 0) this.#accounts.delete(accountId);
    this.#tell(jobId, undefined, before);
  }

  extendLease(jobId: string, leaseMs: number, progress: number | undefined): void {
    const before = this.#jobs.get(jobId);
    if (before === undefined) return;
    const held = { ...before, leaseEndsMs: this.#clock.monotonicMs() + leaseMs, progress: progress ?? before.progress };
    this.#jobs.set(jobId, held);
    if (held.progress !== before.progress) this.#tell(jobId, held, before);
  }

  all(): Iterable<Held> {
    return this.#jobs.values();
  }

  *unfinished(): Iterable<Held> {
    for (const id of [...this.#unfinished]) {
      const held = this.#jobs.get(id);
      if (held !== undefined) yield held;
    }
  }

  idsOf(accountId?: string): readonly string[] {
    return (accountId === undefined ? this.#everybody : this.#accounts.get(accountId))?.ids ?? [];
  }

  unfinishedCount(payer?: string): number {
    return payer === undefined ? this.#unfinished.size : this.ledger.unfinishedCount(payer);
  }

  lane(lane: string): FairLane {
    return getOrAdd(this.#lanes, lane, createFairLane);
  }

  position(lane: string, jobId: string): number {
    const held = this.#jobs.get(jobId);
    return this.lane(lane).position(jobId, held === undefined ? "" : payerOf(held.record));
  }

  onChange(listener: JobListener, jobId = everyJob): () => void {
    const set = getOrAdd(this.#listeners, jobId, () => new Set<JobListener>());
    set.add(listener);
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.#listeners.get(jobId) === set) this.#listeners.delete(jobId);
    };
  }

  #put(record: Record, revision: number): Held {
    const before = this.#jobs.get(record.job.id);
    const sameAttempt = before !== undefined && isSameAttempt(before.record, record);
    const held: Held = {
      record,
      revision,
      leaseEndsMs: Math.max(this.#leaseEndsMsOf(record), sameAttempt ? before.leaseEndsMs : Number.NEGATIVE_INFINITY),
      dueMs: this.#dueMsOf(record),
      progress: record.job.progress ?? (sameAttempt ? before.progress : undefined),
    };
    this.#newestRevision = Math.max(this.#newestRevision, revision);
    this.#jobs.set(record.job.id, held);
    this.#place(record);
    // The store numbers its writes, so all processes see attempts in the same order. Unwritten ones come after all written ones.
    const turn = isUnwritten(held) ? this.#newestRevision + 0.5 : revision;
    if (record.job.attempts > (before?.record.job.attempts ?? 0)) this.lane(laneOf(record)).served(payerOf(record), turn);
    this.#tell(record.job.id, held, before);
    return held;
  }

  #place(record: Record): void {
    const { id, accountId } = record.job;
    const payer = payerOf(record);
    const where = placeOf(record);
    const isUnfinished = where !== "gone";
    this.lane(laneOf(record)).put(id, payer, where, isGuest(record));
    toggle(this.#unfinished, id, isUnfinished);
    this.ledger.put(id, { payer, isGuest: isGuest(record), isUnfinished, bytes: keptBytesOf(record) });
    for (const ids of [getOrAdd(this.#accounts, accountId, createSortedIds), this.#everybody]) {
      if (record.deleted) ids.remove(id);
      else ids.add(id);
    }
  }

  #tell(jobId: string, after: Held | undefined, before: Held | undefined): void {
    for (const key of [jobId, everyJob]) for (const listener of [...(this.#listeners.get(key) ?? [])]) listener(after, before);
  }

  #leaseEndsMsOf({ job, leaseUntil }: Record): number {
    if (job.state !== JobState.RUNNING || leaseUntil === undefined) return Number.NEGATIVE_INFINITY;
    // After the clock was set, a dead worker must not keep its lease for hours, nor a live one lose it for longer than a heartbeat.
    const leftMs = timestampMs(leaseUntil) - this.#clock.now();
    return this.#clock.monotonicMs() + Math.min(Math.max(0, leftMs), this.#maxLeaseMs);
  }

  #dueMsOf({ notBefore }: Record): number {
    if (notBefore === undefined) return Number.NEGATIVE_INFINITY;
    const leftMs = timestampMs(notBefore) - this.#clock.now();
    return this.#clock.monotonicMs() + Math.min(Math.max(0, leftMs), longestDelayMs);
  }
}

const everyJob = "";

/** Whether only this process knows the job. Its first write creates it in the store. Without one, it dies with this process. */
export function isUnwritten({ revision }: Pick<Held, "revision">): boolean {
  return revision === 0;
}

/** The attempt that runs under the wake-up with this id. */
export function attemptUnder(projection: Projection, lane: string, wakeUp: string): Held | undefined {
  for (const id of projection.lane(lane).running()) {
    const held = projection.get(id);
    if (held?.record.wakeUp === wakeUp) return held;
  }
  return undefined;
}

function placeOf(record: Record): Place {
  if (record.deleted || !isUnfinished(record)) return "gone";
  return record.job.state === JobState.RUNNING ? "running" : "queued";
}

function isSameAttempt(before: Record, after: Record): boolean {
  return (
    after.job.state === JobState.RUNNING &&
    before.job.state === JobState.RUNNING &&
    before.job.attempts === after.job.attempts &&
    before.worker === after.worker
  );
}

function toggle(set: Set<string>, id: string, present: boolean): void {
  if (present) set.add(id);
  else set.delete(id);
}

function getOrAdd<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
