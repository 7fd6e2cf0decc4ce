import { setTimeout as sleep } from "node:timers/promises";
import { equals } from "@bufbuild/protobuf";
import { FilemillError } from "#contract/errors.ts";
import { type JobRecord, JobRecordSchema } from "#gen/filemill/job/v1/job_pb.ts";
import { unlessConflict } from "#kit/nats/entries.ts";
import { jobRecordCodec } from "#kit/nats/job-record-codec.ts";
import { type Broker, type Bucket, RevisionConflict } from "#kit/nats/ports.ts";
import type { Change, JobRecords } from "../domain/ports.ts";
import { type Held, isUnwritten, type Projection } from "../domain/projection.ts";
import { isRecord, isUnfinished, type Record } from "../domain/state.ts";

/** Delay between attempts to reach the broker. */
const pauseMs = 250;

/** Opens the bucket `jobs` and keeps the projection in sync with it. Resolves when the projection holds every job. */
export async function openJobRecords(broker: Broker, projection: Projection): Promise<JobRecords & AsyncDisposable> {
  const bucket = await broker.bucket("jobs", jobRecordCodec);
  const isKnown = (jobId: string, revision: number): boolean => (projection.get(jobId)?.revision ?? 0) >= revision;
  const watch = await bucket.watch((jobId, entry) => {
    if (entry === undefined) projection.drop(jobId);
    else if (isRecord(entry.value)) projection.apply(entry.value, entry.revision);
  }, isKnown);
  const fetch = (jobId: string): Promise<Held | undefined> => fetchRecord(bucket, projection, jobId);
  return {
    async find(jobId) {
      return projection.get(jobId) ?? (await fetch(jobId));
    },
    refresh: fetch,
    async create(record) {
      const revision = await unlessConflict(bucket.create(record.job.id, record));
      if (revision === undefined) return "exists";
      projection.apply(record, revision);
      return "created";
    },
    change: (jobId, decide, signal) => changeRecord({ bucket, projection, fetch }, jobId, decide, signal),
    async remove(jobId) {
      await bucket.remove(jobId);
      projection.drop(jobId);
    },
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
    },
  };
}

async function fetchRecord(bucket: Bucket<JobRecord>, projection: Projection, jobId: string): Promise<Held | undefined> {
  const entry = await bucket.get(jobId);
  if (entry === undefined || !isRecord(entry.value)) {
    const held = projection.get(jobId);
    if (held !== undefined && isUnwritten(held)) return held;
    projection.drop(jobId);
    return undefined;
  }
  return projection.apply(entry.value, entry.revision);
}

type Store = {
  readonly bucket: Bucket<JobRecord>;
  readonly projection: Projection;
  fetch(jobId: string): Promise<Held | undefined>;
};

function isOutage(error: unknown): boolean {
  return error instanceof FilemillError && error.code === "UNAVAILABLE";
}

async function changeRecord(
  { bucket, projection, fetch }: Store,
  jobId: string,
  decide: (held: Held) => Record | undefined,
  signal: AbortSignal | undefined,
): Promise<Change> {
  // Writes whose outcome is unknown because the broker did not answer. The record found later may be one of them.
  const inDoubt: { readonly before: Record; readonly next: Record }[] = [];
  let cached = projection.get(jobId);
  for (;;) {
    try {
      const held = cached ?? (await fetch(jobId));
      const isFresh = cached === undefined;
      cached = undefined;
      if (held === undefined) return { changed: false, before: undefined, after: undefined };
      const done = inDoubt.find(({ next }) => equals(JobRecordSchema, next, held.record));
      if (done !== undefined) return { changed: true, before: done.before, after: held };
      const next = decide(held);
      if (next === undefined) {
        // Memory may lag behind another process. Only an ended job is certain not to have changed.
        if (!isFresh && isUnfinished(held.record)) continue;
        return { changed: false, before: held.record, after: held };
      }
      inDoubt.push({ before: held.record, next });
      const revision = isUnwritten(held) ? await bucket.create(jobId, next) : await bucket.update(jobId, next, held.revision);
      return { changed: true, before: held.record, after: projection.apply(next, revision) };
    } catch (error) {
      if (error instanceof RevisionConflict) {
        // This write was definitely rejected. An earlier one of unknown outcome may be the reason.
        inDoubt.pop();
        continue;
      }
      if (signal === undefined || signal.aborted || !isOutage(error)) throw error;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
