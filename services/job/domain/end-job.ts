import { FilemillError } from "#contract/errors.ts";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { tellMoment } from "#kit/moments.ts";
import { isJobId } from "./job-id.ts";
import type { Change, Core } from "./ports.ts";
import { attemptUnder, type Held } from "./projection.ts";
import { releasedBlobsOf } from "./retention.ts";
import { cancelled, deleted, laneOf, type Record } from "./state.ts";

/** The account's job. Rejects with JOB_NOT_FOUND, also for a deleted job or one of another account. */
export async function findOwn(core: Core, accountId: string, jobId: string): Promise<Held> {
  const held = isJobId(jobId) ? await core.records.find(jobId) : undefined;
  if (held === undefined || held.record.deleted || held.record.job.accountId !== accountId) throw notFound();
  return held;
}

/** Cancels an unfinished job. An ended job stays as it is. */
export async function cancelJob(core: Core, accountId: string, jobId: string): Promise<Job> {
  await findOwn(core, accountId, jobId);
  const change = await core.records.change(jobId, (held) => cancelled(held.record, core.clock.now()));
  if (change.after === undefined || change.after.record.deleted) throw notFound();
  if (change.changed) core.background.run("job.settle_failed", () => settle(core, change));
  return core.view(change.after);
}

/** Cancels an unfinished job and removes its files. Resolves when the bytes are gone. */
export async function deleteJob(core: Core, accountId: string, jobId: string): Promise<void> {
  const { record } = await findOwn(core, accountId, jobId);
  const change = await core.records.change(jobId, (held) => deleted(held.record, core.clock.now()));
  // Another request deleted it at the same moment. For both, it is gone.
  if (!change.changed) return;
  if (record.idempotencyEntry !== "") core.background.run("job.free_key_failed", () => core.keys.free(record.idempotencyEntry, jobId));
  await settle(core, change);
}

/** Deletes every job of an account, including those that arrive meanwhile. Resolves with the number of jobs. */
export async function deleteJobs(core: Core, accountId: string): Promise<number> {
  const ids = new Set<string>();
  for (
    let id = core.projection.idsOf(accountId)[0];
    id !== undefined;
    id = core.projection.idsOf(accountId).find((other) => !ids.has(other))
  ) {
    ids.add(id);
    await deleteJob(core, accountId, id).catch((error: unknown) => {
      // Another request deleted it first.
      if (!(error instanceof FilemillError && error.code === "JOB_NOT_FOUND")) throw error;
    });
  }
  return ids.size;
}

/** Cleans up after a job ends or its result expires: its blobs and its message are no longer needed. */
export async function settle(core: Core, change: Extract<Change, { changed: true }>): Promise<void> {
  const { before, after } = change;
  if (before.job.state !== after.record.job.state) meterEnd(core, after.record);
  tellMoment("job settling", before.job.id);
  // Notify those who wait for the end first.
  await new Promise((resolve) => setImmediate(resolve));
  const work: Promise<unknown>[] = releasedBlobsOf(before, after.record).map((id) => core.blobs.remove(id));
  const { id } = before.job;
  // Another job may be running under this job's message. Without the message, it would be lost with its worker.
  const isUsed = attemptUnder(core.projection, laneOf(before), id) !== undefined;
  if (before.job.state === JobState.QUEUED && !isUsed) work.push(core.wakeUps.withdraw(laneOf(before), id));
  const failures = (await Promise.allSettled(work)).filter((end) => end.status === "rejected");
  // The sweep removes the blobs, and a worker acknowledges the message of an ended job. Only the cleanup is late.
  for (const failure of failures) core.log.warn("job.tidy_failed", { job: id, error: String(failure.reason) });
}

function meterEnd(core: Core, record: Record): void {
  core.meter.entered(record, record.job.state === JobState.DONE ? record.job.durationMs : undefined);
}

function notFound(): FilemillError {
  return new FilemillError("JOB_NOT_FOUND", "There is no such job.");
}
