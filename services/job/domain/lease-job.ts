import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type ClaimAttemptRequest,
  type FinishAttemptRequest,
  type HeartbeatRequest,
  JobState,
  type Lease,
  LeaseSchema,
  ClaimAttemptResponse_Outcome as Outcome,
} from "#gen/filemill/job/v1/job_pb.ts";
import { FilemillError, toErrorMessage } from "#kit/errors.ts";
import { settle } from "./end-job.ts";
import { isJobId } from "./job-id.ts";
import type { Core } from "./ports.ts";
import type { Held } from "./projection.ts";
import { dueOf } from "./retention.ts";
import { retryDelayMs } from "./retry.ts";
import { cancelled, claimed, extended, failed, holdsLease, isUnfinished, type Record, requeued, succeeded } from "./state.ts";

export type Claimed = { readonly outcome: Outcome; readonly lease?: Lease; readonly retryMs: number };

/** Takes the job for one attempt, unless a living lease, its end, or used-up attempts are in the way. */
export async function claimAttempt(core: Core, request: ClaimAttemptRequest): Promise<Claimed> {
  if (!isJobId(request.jobId)) return { outcome: Outcome.SETTLED, retryMs: 0 };
  const leaseMs = leaseMsOf(core, request.leaseMs);
  let busyMs = 0;
  const change = await core.records.change(request.jobId, (held) => {
    busyMs = isUnfinished(held.record) ? Math.max(0, held.leaseEndsMs - core.clock.monotonicMs()) : 0;
    if (busyMs > 0) return undefined;
    const nowMs = core.clock.now();
    if (dueOf(held.record, nowMs) === "cancel") return cancelled(held.record, nowMs);
    return claimed(held.record, { worker: request.worker, leaseMs, maxAttempts: core.rules.maxAttempts, nowMs });
  });
  if (!change.changed) {
    return busyMs > 0 ? { outcome: Outcome.BUSY, retryMs: Math.ceil(busyMs) } : { outcome: Outcome.SETTLED, retryMs: 0 };
  }
  const { record, revision } = change.after;
  if (!isUnfinished(record)) {
    if (record.job.state === JobState.FAILED) core.log.warn("job.parked", { job: record.job.id, attempts: record.job.attempts });
    core.background.run("job.settle_failed", () => settle(core, change));
    return { outcome: Outcome.SETTLED, retryMs: 0 };
  }
  core.meter.entered(record);
  if (record.job.attempts === 1) core.meter.waited(record, waitedMs(record));
  return { outcome: Outcome.LEASED, lease: leaseOf(record, revision), retryMs: 0 };
}

/** Keeps the lease alive. Resolves with true when the attempt is not wanted any more. */
export async function heartbeat(core: Core, request: HeartbeatRequest): Promise<boolean> {
  if (!isJobId(request.jobId)) return true;
  const leaseMs = leaseMsOf(core, request.leaseMs);
  const progress = request.progress === undefined ? undefined : Math.min(1, Math.max(0, request.progress));
  const isHeld = (held: Held): boolean => holdsLease(held.record, request.attempt, request.worker);
  const extend = (held: Held): Record | undefined =>
    isHeld(held) ? extended(held.record, core.clock.now() + leaseMs, progress ?? held.progress) : undefined;

  const held = core.projection.get(request.jobId);
  if (held === undefined || !isHeld(held)) return !(await core.records.change(request.jobId, extend)).changed;

  core.projection.extendLease(request.jobId, leaseMs, progress);
  // The store only matters to other processes and after a restart: half a lease's time is often enough.
  const recordedMs = held.record.leaseUntil === undefined ? 0 : timestampMs(held.record.leaseUntil) - core.clock.now();
  if (recordedMs < leaseMs / 2) core.background.run("job.lease_write_failed", () => core.records.change(request.jobId, extend));
  return false;
}

export type Finished = { readonly accepted: boolean; readonly retryInMs?: number };

/**
 * Records the end of an attempt if it still holds the lease. Told twice, the same result is accepted twice.
 *
 * @param signal - Until then an unreachable broker is waited for.
 */
export async function finishAttempt(core: Core, request: FinishAttemptRequest, signal: AbortSignal): Promise<Finished> {
  const result = request.outcome.case === "result" ? request.outcome.value.blob : undefined;
  if (!isJobId(request.jobId)) return { accepted: false };
  const change = await core.records.change(
    request.jobId,
    (held) => (holdsLease(held.record, request.attempt, request.worker) ? afterAttempt(core, held.record, request) : undefined),
    signal,
  );
  if (!change.changed) {
    const isKnown = result !== undefined && change.after?.record.job.result?.id === result.id;
    if (!isKnown) {
      core.log.info("job.fenced", { job: request.jobId, attempt: request.attempt });
      if (result !== undefined) core.background.run("job.tidy_failed", () => core.blobs.remove(result.id));
    }
    return { accepted: isKnown };
  }
  const { record } = change.after;
  if (record.job.state === JobState.QUEUED) return { accepted: true, retryInMs: retryDelayMs(request.attempt, Math.random()) };
  core.background.run("job.settle_failed", () => settle(core, change));
  return { accepted: true };
}

function afterAttempt(core: Core, record: Record, request: FinishAttemptRequest): Record {
  const nowMs = core.clock.now();
  const { outcome } = request;
  switch (outcome.case) {
    case "result":
      if (outcome.value.blob === undefined) return failed(record, unexplained(), request.durationMs, nowMs);
      return succeeded(record, outcome.value, request.durationMs, nowMs);
    case "failure": {
      const { error, retryable } = outcome.value;
      if (retryable && record.job.attempts < core.rules.maxAttempts) return requeued(record);
      return failed(record, error ?? unexplained(), request.durationMs, nowMs);
    }
    case undefined:
      return failed(record, unexplained(), request.durationMs, nowMs);
  }
}

function unexplained() {
  return toErrorMessage(new FilemillError("CONVERSION_FAILED", "The conversion failed without a reason."));
}

function leaseOf({ job, plan, requestId }: Record, revision: number): Lease {
  return create(LeaseSchema, {
    jobId: job.id,
    attempt: job.attempts,
    revision: BigInt(revision),
    requestId,
    ...(plan === undefined ? {} : { plan }),
    ...(job.input === undefined ? {} : { input: job.input }),
  });
}

function leaseMsOf(core: Core, asked: number): number {
  return asked === 0 ? core.rules.leaseMs : Math.min(asked, maxLeaseMs);
}

/** No worker may keep a job for longer without a sign of life. */
export const maxLeaseMs = 600_000;

function waitedMs({ job }: Record): number {
  if (job.createdAt === undefined || job.startedAt === undefined) return 0;
  return Math.max(0, timestampMs(job.startedAt) - timestampMs(job.createdAt));
}
