import { FilemillError } from "#contract/errors.ts";
import { type Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { openChangeQueue } from "./change-queue.ts";
import { findOwn } from "./end-job.ts";
import type { Core } from "./ports.ts";
import type { Held, JobListener } from "./projection.ts";

/** How often a queued job's place is checked. */
const placeMs = 1000;

/**
 * The job now and after each change, until it has ended or is gone. Progress reports that arrive faster than they are consumed are skipped.
 * State changes are never skipped.
 *
 * @param signal - The watcher's. When it fires, the watch ends without an error.
 */
export async function* watchJob(core: Core, accountId: string, jobId: string, signal: AbortSignal): AsyncGenerator<Job> {
  const changes = openChangeQueue<Held | undefined>([signal, core.background.signal]);
  const stop = core.projection.onChange((after) => changes.push(after, isSameState), jobId);
  try {
    let held = await findOwn(core, accountId, jobId);
    // Changes during the look-up are already in the projection.
    changes.clear();
    held = core.projection.get(jobId) ?? held;
    let shown = core.view(held);
    yield shown;
    while (!hasEnded(shown)) {
      const change = await changes.next(shown.state === JobState.QUEUED ? placeMs : undefined);
      if (signal.aborted) return;
      if (core.background.signal.aborted) throw new FilemillError("UNAVAILABLE", "The service is shutting down.", { retryAfterMs: 2000 });
      if (change !== "idle" && change.value === undefined) return;
      held = change === "idle" ? held : (change.value ?? held);
      const next = core.view(held);
      if (change === "idle" && next.queuePosition === shown.queuePosition) continue;
      shown = next;
      yield shown;
    }
  } finally {
    stop();
    changes.close();
  }
}

/** Attempts of a worker that are no longer wanted, as they become known. Ends with the signal. */
export async function* watchCancellations(
  core: Core,
  worker: string,
  signal: AbortSignal,
): AsyncGenerator<{ jobId: string; attempt: number }> {
  const ended = openChangeQueue<{ jobId: string; attempt: number }>([signal, core.background.signal]);
  const listener: JobListener = (after, before) => {
    if (before === undefined || before.record.job.state !== JobState.RUNNING || before.record.worker !== worker) return;
    if (isUnwanted(before, after)) ended.push({ jobId: before.record.job.id, attempt: before.record.job.attempts });
  };
  const stop = core.projection.onChange(listener);
  try {
    for (;;) {
      const next = await ended.next();
      if (next === "idle") return;
      yield next.value;
    }
  } finally {
    stop();
    ended.close();
  }
}

function isUnwanted(before: Held, after: Held | undefined): boolean {
  if (after === undefined || after.record.deleted) return true;
  const { state, attempts } = after.record.job;
  return state === JobState.CANCELLED || (state === JobState.RUNNING && attempts !== before.record.job.attempts);
}

function hasEnded(job: Job): boolean {
  return job.state !== JobState.QUEUED && job.state !== JobState.RUNNING;
}

function isSameState(a: Held | undefined, b: Held | undefined): boolean {
  return a?.record.job.state === b?.record.job.state && a?.record.job.attempts === b?.record.job.attempts;
}
