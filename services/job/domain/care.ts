/**
 * The service's maintenance: it wakes lost jobs, ends jobs whose time is over and removes what nobody needs. Several processes may do this
 * at once.
 */
import type { BlobStore } from "#kit/blobs/store.ts";
import { tellMoment } from "#kit/moments.ts";
import { settle } from "./end-job.ts";
import type { Core } from "./ports.ts";
import type { Held } from "./projection.ts";
import { dueOf, neededBlobsOf, orphanAgeMs } from "./retention.ts";
import { retryDelayMs } from "./retry.ts";
import { cancelled, expired, isUnfinished, laneOf, lost, type Record } from "./state.ts";

/** A queued job is left alone for this long after its last activity. */
const quietMs = 10_000;
/** How many jobs to check before yielding to other work. */
const slice = 500;
const lookupsAtOnce = 16;

export type Reconciler = {
  /**
   * Takes back the jobs of dead workers, and republishes wake-ups for jobs that have neither a worker nor a message. Resolves with the
   * number of jobs.
   */
  reconcile(): Promise<number>;
  close(): void;
};

/** The first round checks every job that is unfinished when this starts. */
export function openReconciler(core: Core): Reconciler {
  const touchedMs = new Map<string, number>();
  const stop = core.projection.onChange((after, before) => {
    if (after !== undefined && isUnfinished(after.record) && !after.record.deleted) {
      touchedMs.set(after.record.job.id, core.clock.monotonicMs());
    } else if (before !== undefined) touchedMs.delete(before.record.job.id);
  });
  const isForgotten = ({ record, leaseEndsMs }: Held): boolean => {
    const nowMs = core.clock.monotonicMs();
    const touched = touchedMs.get(record.job.id) ?? Number.NEGATIVE_INFINITY;
    // If there is a message for the lost attempt, the queue redelivers it by itself after a while.
    const patienceMs = record.wakeUp === "" ? 0 : core.rules.leaseMs;
    return isUnfinished(record) && nowMs - touched > quietMs && nowMs - leaseEndsMs > patienceMs;
  };
  const wake = async ({ record }: Held): Promise<boolean> => {
    const lane = laneOf(record);
    const present = await core.records.refresh(record.job.id);
    if (present === undefined || !isForgotten(present)) return false;
    await core.wakeUps.publish(lane, record.job.id, { again: true });
    touchedMs.set(record.job.id, core.clock.monotonicMs());
    core.log.info("job.woken_again", { job: record.job.id, lane });
    return true;
  };
  return {
    async reconcile() {
      let published = await takeBack(core);
      const byLane = Map.groupBy([...core.projection.unfinished()].filter(isForgotten), ({ record }) => laneOf(record));
      for (const [lane, forgotten] of byLane) {
        const { queuedCount, runningCount } = core.projection.lane(lane);
        // Any message wakes any job of its lane. So only missing messages are published, and a long queue is left alone.
        const missing = Math.max(0, queuedCount + runningCount - (await core.wakeUps.waiting(lane)));
        for (let start = 0; start < Math.min(missing, forgotten.length); start += lookupsAtOnce) {
          const woken = await Promise.all(forgotten.slice(start, Math.min(missing, start + lookupsAtOnce)).map(wake));
          published += woken.filter(Boolean).length;
        }
      }
      return published;
    },
    close: stop,
  };
}

/** Requeues the jobs of workers whose process is certainly dead (decision 31). Resolves with the number of jobs. */
async function takeBack(core: Core): Promise<number> {
  const held = [...core.projection.unfinished()].filter(({ record }) => record.worker !== "");
  let count = 0;
  for (const [worker, jobs] of Map.groupBy(held, ({ record }) => record.worker)) {
    if (!core.isGone(worker)) continue;
    for (let start = 0; start < jobs.length; start += lookupsAtOnce) {
      const back = await Promise.all(jobs.slice(start, start + lookupsAtOnce).map(({ record }) => takeFrom(core, worker, record.job.id)));
      count += back.filter(Boolean).length;
    }
  }
  return count;
}

/** False if another process was faster. */
async function takeFrom(core: Core, worker: string, jobId: string): Promise<boolean> {
  const change = await core.records.change(jobId, ({ record }) =>
    record.worker === worker ? lost(record, notBeforeMsOf(core, record)) : undefined,
  );
  if (!change.changed) return false;
  tellMoment("job taken back", jobId);
  const { record } = change.after;
  core.log.warn("job.worker_lost", { job: jobId, worker, attempts: record.job.attempts });
  // A message for the lost attempt is redelivered only after the lease. Until then it counts as a waiting one.
  await core.wakeUps.publish(laneOf(record), jobId, { again: true });
  return true;
}

/** A job that has lost more than one worker may be what killed them. */
function notBeforeMsOf({ clock, rules }: Core, { job: { attempts } }: Record): number | undefined {
  const isSuspect = attempts > 1 && attempts < rules.maxAttempts;
  return isSuspect ? clock.now() + retryDelayMs(attempts, Math.random()) : undefined;
}

/** Cancels, expires and removes jobs that are due. */
export async function expireJobs(core: Core, signal: AbortSignal): Promise<void> {
  let looked = 0;
  for (const { record } of core.projection.all()) {
    looked += 1;
    if (looked % slice === 0) await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) return;
    const due = dueOf(record, core.clock.now());
    if (due === "remove") await forget(core, record);
    else if (due !== undefined) await end(core, record.job.id);
  }
}

async function end(core: Core, jobId: string): Promise<void> {
  const change = await core.records.change(jobId, ({ record }) => {
    const nowMs = core.clock.now();
    const due = dueOf(record, nowMs);
    if (due === "cancel") return cancelled(record, nowMs);
    return due === "expire" ? expired(record) : undefined;
  });
  // The record says "expired" before any bytes are removed, so that no download starts that could not finish.
  if (change.changed) await settle(core, change);
}

async function forget(core: Core, record: Record): Promise<void> {
  if (record.deleted && record.idempotencyEntry !== "") await core.keys.free(record.idempotencyEntry, record.job.id);
  await core.records.remove(record.job.id);
}

/** Removes blobs that no job needs and aborted uploads, both after an hour. Resolves with the number of removed blobs. */
export async function sweepBlobs(core: Core, blobs: BlobStore): Promise<number> {
  const orphans = await orphansOf(core, blobs);
  for (const { blobId, partial } of orphans) await (partial ? blobs.removePartial(blobId) : blobs.remove(blobId));
  if (orphans.length > 0) core.log.info("blobs.swept", { removed: orphans.length });
  return orphans.length;
}

type Orphan = { readonly blobId: string; readonly partial: boolean };

/** What the sweep would remove. */
export async function orphansOf(core: Core, blobs: BlobStore): Promise<readonly Orphan[]> {
  const old: Orphan[] = [];
  for await (const blob of blobs.list()) if (core.clock.now() - blob.modifiedAt.getTime() > orphanAgeMs) old.push(blob);
  // Read the jobs after the blobs, so that a job created in between is known.
  const needed = new Set<string>();
  for (const { record } of core.projection.all()) for (const id of neededBlobsOf(record)) needed.add(id);
  return old.filter(({ blobId, partial }) => partial || !needed.has(blobId));
}
