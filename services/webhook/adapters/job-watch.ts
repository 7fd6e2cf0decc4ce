import { type Job, type JobRecord, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { jobRecordCodec } from "#kit/nats/job-record-codec.ts";
import type { Broker } from "#kit/nats/ports.ts";

const ended: readonly JobState[] = [JobState.DONE, JobState.FAILED, JobState.EXPIRED];

export type JobListeners = {
  /** `isNews`: the job ended just now, whatever the clock says about its end. */
  onEnd(job: Job, isNews: boolean): void;
  /** Called for each change of each record. Undefined: the record is gone. */
  onRecord(jobId: string, record: JobRecord | undefined): void;
};

/**
 * Reports every ended job: first those on record, then each job as it ends. The job records are the event log: a job that ended while
 * nobody listened is reported at the next start, unless its owner has deleted it.
 */
export async function watchJobs(broker: Broker, { onEnd, onRecord }: JobListeners): Promise<AsyncDisposable> {
  const bucket = await broker.bucket("jobs", jobRecordCodec);
  let newest = Number.POSITIVE_INFINITY;
  let latest = 0;
  const watch = await bucket.watch((jobId, entry) => {
    onRecord(jobId, entry?.value);
    if (entry === undefined) return;
    // After a reconnect, the watch reports every record again.
    const isNews = entry.revision > newest;
    latest = Math.max(latest, entry.revision);
    if (newest !== Number.POSITIVE_INFINITY) newest = latest;
    const job = entry.value.deleted === true ? undefined : entry.value.job;
    // A job whose result expires ended long ago.
    if (job !== undefined && ended.includes(job.state)) onEnd(job, isNews && job.state !== JobState.EXPIRED);
  });
  newest = latest;
  return watch;
}
