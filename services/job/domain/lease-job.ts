import { timestampMs } from "@bufbuild/protobuf/wkt";
import { FilemillError, toErrorMessage } from "#contract/errors.ts";
import { type FinishAttemptRequest, type HeartbeatRequest, type Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { tellMoment } from "#kit/moments.ts";
import { resultRefusal } from "./budget.ts";
import { settle } from "./end-job.ts";
import { isJobId } from "./job-id.ts";
import { payerOf } from "./payer.ts";
import type { Change, Core } from "./ports.ts";
import type { Held } from "./projection.ts";
import { retryDelayMs } from "./retry.ts";
import { extended, failed, holdsLease, laneOf, type Record, requeued, spent, succeeded } from "./state.ts";

/** Extends the lease. Resolves with true if the attempt is no longer wanted. */
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
  // The store only matters to other processes and after a restart, so writing at half the lease time is enough.
  const recordedMs = held.record.leaseUntil === undefined ? 0 : timestampMs(held.record.leaseUntil) - core.clock.now();
  if (recordedMs < leaseMs / 2) core.background.run("job.lease_write_failed", () => core.records.change(request.jobId, extend));
  return false;
}

export type Finished = { readonly accepted: boolean; readonly retryInMs?: number };

/**
 * Records the end of an attempt if it still holds the lease. The same end reported twice is accepted twice and counted once.
 *
 * @param signal - Until it fires, this waits for an unreachable broker.
 */
export async function finishAttempt(core: Core, request: FinishAttemptRequest, signal: AbortSignal): Promise<Finished> {
  const result = request.outcome.case === "result" ? request.outcome.value.blob : undefined;
  if (!isJobId(request.jobId)) return { accepted: false };
  const retryMs = retryDelayMs(request.attempt, Math.random());
  const change = await recordEnd(core, request, retryMs, signal);
  if (!change.changed) {
    const recorded = change.after?.record.job;
    const isKnown = recorded !== undefined && wasTold(recorded, request);
    if (!isKnown) {
      core.log.info("job.fenced", { job: request.jobId, attempt: request.attempt });
      if (result !== undefined) core.background.run("job.tidy_failed", () => core.blobs.remove(result.id));
      // The work was done anyway. Cancelling must not be a way around the hourly CPU time limit.
      if (change.before !== undefined) core.spending.add(payerOf(change.before), Number(request.processorMs), core.clock.now());
    }
    return isKnown && recorded.state === JobState.QUEUED ? { accepted: true, retryInMs: retryMs } : { accepted: isKnown };
  }
  tellMoment("end recorded", request.jobId);
  const { record } = change.after;
  if (result !== undefined && record.job.result?.id !== result.id)
    core.background.run("job.tidy_failed", () => core.blobs.remove(result.id));
  if (record.job.state === JobState.QUEUED) {
    if (change.before.wakeUp !== "") return { accepted: true, retryInMs: retryMs };
    // There is no message for it yet.
    core.background.run("job.publish_failed", () => core.wakeUps.publish(laneOf(record), request.jobId, { again: true }));
    return { accepted: true };
  }
  core.background.run("job.settle_failed", () => settle(core, change));
  return { accepted: true };
}

/** Whether this end is already recorded and only the answer was lost. */
function wasTold(job: Job, { attempt, durationMs, outcome }: FinishAttemptRequest): boolean {
  if (outcome.case === "result" && outcome.value.blob !== undefined && job.result?.id === outcome.value.blob.id) return true;
  if (job.attempts !== attempt) return false;
  // A lost attempt has no measured duration.
  if (job.state === JobState.FAILED) return job.durationMs === durationMs;
  return job.state === JobState.QUEUED && outcome.case === "failure";
}

async function recordEnd(core: Core, request: FinishAttemptRequest, retryMs: number, signal: AbortSignal): Promise<Change> {
  const { jobId, attempt, worker } = request;
  const nowMs = core.clock.now();
  using room = openRoom(core, request);
  await core.beginnings.get(jobId)?.settled;
  const next = ({ record }: Held): Record | undefined => {
    if (!holdsLease(record, attempt, worker)) return undefined;
    return spent(afterAttempt(core, record, request, { nowMs, retryMs, refusal: room.refusalOf(record) }), request.processorMs);
  };
  return await core.records.change(jobId, next, signal);
}

/**
 * Reserves storage of the payer for a result. It is checked once and reserved until the result is recorded, so that jobs that end at
 * the same moment do not use the same space.
 */
function openRoom(core: Core, { jobId, outcome }: FinishAttemptRequest) {
  const bytes = outcome.case === "result" ? Number(outcome.value.blob?.sizeBytes ?? 0n) : 0;
  let verdict: { readonly refusal: FilemillError | undefined; readonly letGo: () => void } | undefined;
  return {
    refusalOf(record: Record): FilemillError | undefined {
      if (verdict === undefined) {
        const refusal = bytes === 0 ? undefined : resultRefusal(core, record, bytes);
        const isHeld = bytes > 0 && refusal === undefined;
        verdict = { refusal, letGo: isHeld ? core.projection.ledger.hold(jobId, payerOf(record), bytes) : () => undefined };
      }
      return verdict.refusal;
    },
    [Symbol.dispose]: () => verdict?.letGo(),
  };
}

type Judgement = { readonly nowMs: number; readonly retryMs: number; readonly refusal: FilemillError | undefined };

function afterAttempt(core: Core, record: Record, { outcome, durationMs }: FinishAttemptRequest, judgement: Judgement): Record {
  const { nowMs, retryMs, refusal } = judgement;
  switch (outcome.case) {
    case "result":
      if (outcome.value.blob === undefined) return failed(record, unexplained(), durationMs, nowMs);
      if (refusal !== undefined) return failed(record, toErrorMessage(refusal), durationMs, nowMs);
      return succeeded(record, outcome.value, durationMs, nowMs);
    case "failure": {
      const { error, retryable } = outcome.value;
      if (retryable && record.job.attempts < core.rules.maxAttempts) return requeued(record, nowMs + retryMs);
      return failed(record, error ?? unexplained(), durationMs, nowMs);
    }
    case undefined:
      return failed(record, unexplained(), durationMs, nowMs);
  }
}

function unexplained() {
  return toErrorMessage(new FilemillError("CONVERSION_FAILED", "The conversion failed without a reason."));
}

/** The requested lease, limited; 0 requests the default. */
export function leaseMsOf(core: Core, asked: number): number {
  return asked === 0 ? core.rules.leaseMs : Math.min(asked, maxLeaseMs);
}

/** A worker can never keep a job for longer than this without a heartbeat. */
export const maxLeaseMs = 600_000;
