/**
 * The state machine of a job. Every function takes the current record and returns the next one, or undefined if the event changes nothing.
 * The next one is written by compare-and-set.
 *
 * | from            | event                                  | to                          |
 * |-----------------|----------------------------------------|-----------------------------|
 * | (none)          | created                                | queued                      |
 * | queued          | claim, due, attempts left              | running, attempt + 1        |
 * | running         | claim, lease over, attempts left       | running, attempt + 1        |
 * | queued, running | claim, no lease, no attempts left      | failed (parked)             |
 * | running         | result of the attempt that holds it    | done                        |
 * | running         | retryable failure, attempts left       | queued                      |
 * | running         | any other failure                      | failed                      |
 * | running         | death of the worker, where certain     | queued                      |
 * | queued, running | cancel, or retention over              | cancelled                   |
 * | done            | retention over, or disk short          | expired                     |
 * | any             | delete                                 | deleted (cancelled if open) |
 *
 * done, failed, cancelled and expired are final except for the last two rows.
 */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { FilemillError, toErrorMessage } from "#contract/errors.ts";
import type { Error as ErrorMessage } from "#gen/filemill/common/v1/error_pb.ts";
import type { AttemptResult, Job, JobRecord, ResultDelivery, ResultLink } from "#gen/filemill/job/v1/job_pb.ts";
import { JobState, ResultDelivery_Failure, ResultDelivery_State, ResultDeliverySchema } from "#gen/filemill/job/v1/job_pb.ts";

/** A record that has its job. */
export type Record = JobRecord & { readonly job: Job };

export function isRecord(record: JobRecord | undefined): record is Record {
  return record?.job !== undefined;
}

export function isUnfinished(record: Record): boolean {
  return record.job.state === JobState.QUEUED || record.job.state === JobState.RUNNING;
}

/** The lane that the job was planned for. */
export function laneOf(record: Record): string {
  return record.plan?.lane ?? "";
}

/** Whether this attempt has the right to finish. */
export function holdsLease(record: Record, attempt: number, worker: string): boolean {
  return record.job.state === JobState.RUNNING && record.job.attempts === attempt && record.worker === worker && !record.deleted;
}

export type Claim = {
  readonly worker: string;
  /** The job id in the message that woke the worker. */
  readonly wakeUp: string;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  readonly nowMs: number;
};

/** Expects that no lease prevents the claim. Parks the job if its attempts are used up. */
export function claimed(record: Record, claim: Claim): Record | undefined {
  if (!isUnfinished(record) || record.deleted) return undefined;
  if (record.job.attempts >= claim.maxAttempts) return ended(record, JobState.FAILED, claim.nowMs, { error: parkedError(record) });
  return {
    ...changed(record, {
      state: JobState.RUNNING,
      attempts: record.job.attempts + 1,
      startedAt: timestampFromMs(claim.nowMs),
      progress: undefined,
    }),
    worker: claim.worker,
    wakeUp: claim.wakeUp,
    leaseUntil: timestampFromMs(claim.nowMs + claim.leaseMs),
    notBefore: undefined,
  };
}

/** The same lease extended, with the known progress. */
export function extended(record: Record, untilMs: number, progress: number | undefined): Record {
  return { ...changed(record, { progress }), leaseUntil: timestampFromMs(untilMs) };
}

export function succeeded(record: Record, result: AttemptResult, durationMs: number, nowMs: number): Record {
  return ended(record, JobState.DONE, nowMs, { result: result.blob, notes: [...record.job.notes, ...result.notes], durationMs });
}

export function failed(record: Record, error: ErrorMessage, durationMs: number, nowMs: number): Record {
  return ended(record, JobState.FAILED, nowMs, { error, durationMs });
}

/** The worker's process is dead: the attempt counts and will never end. */
export function lost(record: Record, notBeforeMs?: number): Record | undefined {
  return record.job.state === JobState.RUNNING && !record.deleted ? requeued(record, notBeforeMs) : undefined;
}

/** Returns the job to the queue for another attempt, not before `notBeforeMs`. */
export function requeued(record: Record, notBeforeMs?: number): Record {
  return {
    ...changed(record, { state: JobState.QUEUED, startedAt: undefined, progress: undefined }),
    worker: "",
    wakeUp: "",
    leaseUntil: undefined,
    notBefore: notBeforeMs === undefined ? undefined : timestampFromMs(notBeforeMs),
  };
}

export function cancelled(record: Record, nowMs: number): Record | undefined {
  if (!isUnfinished(record)) return undefined;
  const startedAtMs = record.job.startedAt === undefined ? nowMs : timestampMs(record.job.startedAt);
  return ended(record, JobState.CANCELLED, nowMs, { durationMs: Math.max(0, Math.round(nowMs - startedAtMs)) });
}

/** The result is about to be removed. Its size stays known. */
export function expired(record: Record): Record | undefined {
  return record.job.state === JobState.DONE ? changed(record, { state: JobState.EXPIRED }) : undefined;
}

/** Expires the result early. Its retention ends now. */
export function evicted(record: Record, nowMs: number): Record | undefined {
  if (record.deleted || record.job.state !== JobState.DONE) return undefined;
  return changed(record, { state: JobState.EXPIRED, expiresAt: timestampFromMs(nowMs) });
}

/** The record with these links to its result. */
export function linked(record: Record, links: readonly ResultLink[]): Record {
  return { ...changed(record, {}), links: [...links] };
}

/** The record with the CPU time of an ended attempt added. */
export function spent(record: Record, processorMs: bigint): Record {
  return processorMs === 0n ? record : { ...record, processorMs: record.processorMs + processorMs };
}

/** What is left of a removed job until the sweep: enough to reject a late worker. */
export function deleted(record: Record, nowMs: number): Record | undefined {
  if (record.deleted) return undefined;
  return { ...(cancelled(record, nowMs) ?? changed(record, {})), deleted: true };
}

function ended(record: Record, state: JobState, nowMs: number, facts: Partial<Omit<Job, "$typeName">>): Record {
  const job = { state, finishedAt: timestampFromMs(nowMs), expiresAt: timestampFromMs(nowMs + record.retentionSeconds * 1000) };
  return { ...changed(record, { progress: undefined, ...job, ...facts }), worker: "", wakeUp: "", leaseUntil: undefined };
}

function changed(record: Record, facts: Partial<Omit<Job, "$typeName">>): Record {
  return withoutVainDelivery({ ...record, version: record.version + 1n, job: { ...record.job, ...facts } });
}

/** Ends the delivery if there is no result, or no longer one. */
function withoutVainDelivery(record: Record): Record {
  const { delivery, state } = record.job;
  if (delivery?.state !== ResultDelivery_State.PENDING || isUnfinished(record) || state === JobState.DONE) return record;
  const { NOTHING_TO_DELIVER, RESULT_EXPIRED } = ResultDelivery_Failure;
  const failure = state === JobState.EXPIRED ? RESULT_EXPIRED : NOTHING_TO_DELIVER;
  const { nextAttemptAt: _next, ...rest } = delivery;
  const ended = { ...rest, state: ResultDelivery_State.FAILED, failure };
  return { ...record, deliverTo: "", deliveryClaimedUntil: undefined, job: { ...record.job, delivery: ended } };
}

/** The record with the current state of its delivery. */
export function delivering(record: Record, delivery: Omit<ResultDelivery, "$typeName">, claimedUntilMs?: number): Record {
  const next = changed(record, { delivery: create(ResultDeliverySchema, delivery) });
  const isOver = delivery.state !== ResultDelivery_State.PENDING;
  return {
    ...next,
    deliverTo: isOver ? "" : record.deliverTo,
    deliveryClaimedUntil: claimedUntilMs === undefined ? undefined : timestampFromMs(claimedUntilMs),
  };
}

function parkedError(record: Record): ErrorMessage {
  const { attempts } = record.job;
  const tries = attempts === 1 ? "once" : `${attempts} times`;
  return toErrorMessage(new FilemillError("CONVERSION_FAILED", `The conversion was attempted ${tries} and never finished.`));
}
