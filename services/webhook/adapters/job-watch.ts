import { type Job, type JobRecord, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { jobRecordCodec } from "#kit/nats/job-record-codec.ts";
import type { Broker } from "#kit/nats/ports.ts";

const ended: readonly JobState[] = [JobState.DONE, JobState.FAILED, JobState.EXPIRED];

export type JobListeners = {
  /** `isNews`: it ended in this moment, whatever the clock says that its end was written by. */
  onEnd(job: Job, isNews: boolean): void;
  /** Each change of each record; undefined: it is gone. */
  onRecord(jobId: string, record: JobRecord | undefined): void;
};

/**
 * Tells of every job that has ended: first those on record, then each as it ends. The records are the log of events: what ended while
 * nobody listened is told at the next start, as long as its owner has not deleted it.
 */
export async function watchJobs(broker: Broker, { onEnd, onRecord }: JobListeners): Promise<AsyncDisposable> {
  const bucket = await broker.bucket("jobs", jobRecordCodec);
  let newest = Number.POSITIVE_INFINITY;
  let latest = 0;
  const watch = await bucket.watch((jobId, entry) => {
    onRecord(jobId, entry?.value);
    if (entry === undefined) return;
    // After a lost connection everything is told again.
    const isNews = entry.revision > newest;
    latest = Math.max(latest, entry.revision);
    if (newest !== Number.POSITIVE_INFINITY) newest = latest;
    const job = entry.value.deleted === true ? undefined : entry.value.job;
    // A result that expires ended long ago.
    if (job !== undefined && ended.includes(job.state)) onEnd(job, isNews && job.state !== JobState.EXPIRED);
  });
  newest = latest;
  return watch;
}
