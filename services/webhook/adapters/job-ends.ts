import { type Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { jobRecordCodec } from "#kit/nats/job-record-codec.ts";
import type { Broker } from "#kit/nats/ports.ts";

const ended: readonly JobState[] = [JobState.DONE, JobState.FAILED, JobState.EXPIRED];

/**
 * Tells of every job that has ended: first those on record, then each as it ends. The records are the log of events: what ended while
 * nobody listened is told at the next start, as long as its owner has not deleted it.
 */
export async function openJobEnds(broker: Broker, onEnd: (job: Job) => void): Promise<AsyncDisposable> {
  const bucket = await broker.bucket("jobs", jobRecordCodec);
  return bucket.watch((_jobId, entry) => {
    const job = entry?.value.deleted === true ? undefined : entry?.value.job;
    if (job !== undefined && ended.includes(job.state)) onEnd(job);
  });
}
