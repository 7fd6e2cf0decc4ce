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

/** A record with what this process knows beside it. */
export type Held = {
  readonly record: Record;
  /** 0: no store has it yet, see isUnwritten. */
  readonly revision: number;
  /** On the monotonic clock, when the lease is over; in the past when there is none. */
  readonly leaseEndsMs: number;
  /** On the monotonic clock, when the next attempt may begin; in the past when nothing is in its way. */
  readonly dueMs: number;
  /** From 0 to 1, as last reported here; may be newer than the record's. */
  readonly progress: number | undefined;
};

/** `after` is undefined when the record is gone. */
export type JobListener = (after: Held | undefined, before: Held | undefined) => void;

/**
 * The present state of all jobs in memory: fed by the bucket's watch, and at once by this process's own writes.
 * Never the truth: a decision that is written is checked by the compare-and-set on `revision`.
 */
export type Projection = {
  get(jobId: string): Held | undefined;
  /** Ignores a revision that is not newer than the one held. */
  apply(record: Record, revision: number): Held;
  /** A job that is not in the store yet, or its next state; it takes its place as any other. */
  hold(record: Record): void;
  drop(jobId: string): void;
  /** Prolongs a lease without writing it. */
  extendLease(jobId: string, leaseMs: number, progress: number | undefined): void;
  all(): Iterable<Held>;
  unfinished(): Iterable<Held>;
  /** Of one account, ascending. */
  idsOf(accountId: string): readonly string[];
  unfinishedCount(payer?: string): number;
  /** What each payer keeps. */
  readonly ledger: Ledger;
  lane(lane: string): FairLane;
  /** From 1; meaningful for a queued job only. */
  position(lane: string, jobId: string): number;
  /** Calls back with each change of one job, or of all. Returns the end of it. */
  onChange(listener: JobListener, jobId?: string): () => void;
};

export function createProjection(clock: Clock, maxLeaseMs: number): Projection {
  const jobs = new Map<string, Held>();
  const unfinished = new Set<string>();
  const accounts = new Map<string, SortedIds>();
  const ledger = createLedger();
  const lanes = new Map<string, FairLane>();
  const listeners = new Map<string, Set<JobListener>>();
  let newestRevision = 0;

  const laneFor = (name: string): FairLane => getOrAdd(lanes, name, createFairLane);

  const place = (record: Record): void => {
    const { id, accountId } = record.job;
    const payer = payerOf(record);
    const where = placeOf(record);
    const isUnfinished = where !== "gone";
    laneFor(laneOf(record)).put(id, payer, where, isGuest(record));
    toggle(unfinished, id, isUnfinished);
    ledger.put(id, { payer, isGuest: isGuest(record), isUnfinished, bytes: keptBytesOf(record) });
    const own = getOrAdd(accounts, accountId, createSortedIds);
    if (record.deleted) own.remove(id);
    else own.add(id);
  };

  const tell = (jobId: string, after: Held | undefined, before: Held | undefined): void => {
    for (const key of [jobId, everyJob]) for (const listener of [...(listeners.get(key) ?? [])]) listener(after, before);
  };

  const leaseEndsMsOf = (record: Record): number => {
    if (record.job.state !== JobState.RUNNING || record.leaseUntil === undefined) return Number.NEGATIVE_INFINITY;
    // A clock that was set must neither keep a dead worker's lease for hours nor end a living one's for longer than a heartbeat.
    const leftMs = timestampMs(record.leaseUntil) - clock.now();
    return clock.monotonicMs() + Math.min(Math.max(0, leftMs), maxLeaseMs);
  };

  const dueMsOf = (record: Record): number => {
    if (record.notBefore === undefined) return Number.NEGATIVE_INFINITY;
    return clock.monotonicMs() + Math.min(Math.max(0, timestampMs(record.notBefore) - clock.now()), longestDelayMs);
  };

  const put = (record: Record, revision: number): Held => {
    const before = jobs.get(record.job.id);
    const sameAttempt = before !== undefined && isSameAttempt(before.record, record);
    const held: Held = {
      record,
      revision,
      leaseEndsMs: Math.max(leaseEndsMsOf(record), sameAttempt ? before.leaseEndsMs : Number.NEGATIVE_INFINITY),
      dueMs: dueMsOf(record),
      progress: record.job.progress ?? (sameAttempt ? before.progress : undefined),
    };
    newestRevision = Math.max(newestRevision, revision);
    jobs.set(record.job.id, held);
    place(record);
    // The store counts its writes: all processes see the same order of attempts. What is not written comes after all that is.
    const turn = isUnwritten(held) ? newestRevision + 0.5 : revision;
    if (record.job.attempts > (before?.record.job.attempts ?? 0)) laneFor(laneOf(record)).served(payerOf(record), turn);
    tell(record.job.id, held, before);
    return held;
  };

  return {
    get: (jobId) => jobs.get(jobId),
    apply(record, revision) {
      const before = jobs.get(record.job.id);
      return before !== undefined && before.revision >= revision ? before : put(record, revision);
    },
    hold: (record) => void put(record, 0),
    drop(jobId) {
      const before = jobs.get(jobId);
      if (before === undefined) return;
      jobs.delete(jobId);
      // A deleted record is in no index but that of all jobs.
      place({ ...before.record, deleted: true });
      if (accounts.get(before.record.job.accountId)?.ids.length === 0) accounts.delete(before.record.job.accountId);
      tell(jobId, undefined, before);
    },
    extendLease(jobId, leaseMs, progress) {
      const before = jobs.get(jobId);
      if (before === undefined) return;
      const held = { ...before, leaseEndsMs: clock.monotonicMs() + leaseMs, progress: progress ?? before.progress };
      jobs.set(jobId, held);
      if (held.progress !== before.progress) tell(jobId, held, before);
    },
    all: () => jobs.values(),
    *unfinished() {
      for (const id of [...unfinished]) {
        const held = jobs.get(id);
        if (held !== undefined) yield held;
      }
    },
    idsOf: (accountId) => accounts.get(accountId)?.ids ?? [],
    unfinishedCount: (payer) => (payer === undefined ? unfinished.size : ledger.unfinishedCount(payer)),
    ledger,
    lane: laneFor,
    position(lane, jobId) {
      const held = jobs.get(jobId);
      return laneFor(lane).position(jobId, held === undefined ? "" : payerOf(held.record));
    },
    onChange(listener, jobId = everyJob) {
      const set = getOrAdd(listeners, jobId, () => new Set<JobListener>());
      set.add(listener);
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(jobId) === set) listeners.delete(jobId);
      };
    },
  };
}

const everyJob = "";

/** Whether this process alone knows the job: its first write creates it, and ends with this process otherwise. */
export function isUnwritten({ revision }: Pick<Held, "revision">): boolean {
  return revision === 0;
}

/** The attempt that runs under the wake-up of that name. */
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
