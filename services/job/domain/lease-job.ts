import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type FinishAttemptRequest, type HeartbeatRequest, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { FilemillError, toErrorMessage } from "#kit/errors.ts";
import type { Arrival } from "./arrival.ts";
import { settle } from "./end-job.ts";
import { isJobId } from "./job-id.ts";
import type { Core } from "./ports.ts";
import type { Held } from "./projection.ts";
import { retryDelayMs } from "./retry.ts";
import { extended, failed, holdsLease, isUnfinished, type Record, requeued, succeeded } from "./state.ts";

/** Keeps the lease alive. Resolves with true when the attempt is not wanted any more. */
export async function heartbeat(core: Core, request: HeartbeatRequest): Promise<boolean> {
  if (!isJobId(request.jobId)) return true;
  await core.beginnings.get(request.jobId)?.settled;
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
  const arrival = core.arrivals.get(request.jobId);
  if (arrival !== undefined && (await endArriving(core, arrival, request))) return { accepted: true };
  await core.beginnings.get(request.jobId)?.settled;
  const retryMs = retryDelayMs(request.attempt, Math.random());
  const change = await core.records.change(
    request.jobId,
    (held) => (holdsLease(held.record, request.attempt, request.worker) ? afterAttempt(core, held.record, request, retryMs) : undefined),
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
  if (record.job.state === JobState.QUEUED) return { accepted: true, retryInMs: retryMs };
  core.background.run("job.settle_failed", () => settle(core, change));
  return { accepted: true };
}

/** Whether the end was written with the job itself. Where that write failed, the usual way finds out what became of it. */
async function endArriving(core: Core, arrival: Arrival, request: FinishAttemptRequest): Promise<boolean> {
  const isTaken = arrival.end((begun) => {
    const next = holdsLease(begun, request.attempt, request.worker) ? afterAttempt(core, begun, request, 0) : undefined;
    return next === undefined || isUnfinished(next) ? undefined : next;
  });
  if (!isTaken) return false;
  await arrival.written;
  // Who waits for the job is told first.
  await new Promise((resolve) => setImmediate(resolve));
  const written = core.projection.get(request.jobId)?.record;
  return written !== undefined && !isUnfinished(written) && written.job.attempts === request.attempt;
}

function afterAttempt(core: Core, record: Record, request: FinishAttemptRequest, retryMs: number): Record {
  const nowMs = core.clock.now();
  const { outcome } = request;
  switch (outcome.case) {
    case "result":
      if (outcome.value.blob === undefined) return failed(record, unexplained(), request.durationMs, nowMs);
      return succeeded(record, outcome.value, request.durationMs, nowMs);
    case "failure": {
      const { error, retryable } = outcome.value;
      if (retryable && record.job.attempts < core.rules.maxAttempts) return requeued(record, nowMs + retryMs);
      return failed(record, error ?? unexplained(), request.durationMs, nowMs);
    }
    case undefined:
      return failed(record, unexplained(), request.durationMs, nowMs);
  }
}

function unexplained() {
  return toErrorMessage(new FilemillError("CONVERSION_FAILED", "The conversion failed without a reason."));
}

/** What was asked for, within bounds; 0 asks for the usual. */
export function leaseMsOf(core: Core, asked: number): number {
  return asked === 0 ? core.rules.leaseMs : Math.min(asked, maxLeaseMs);
}

/** No worker may keep a job for longer without a sign of life. */
export const maxLeaseMs = 600_000;
