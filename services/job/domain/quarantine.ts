/**
 * A job that was started before and never ended may have killed its process. It must not start beside another such job. Otherwise, jobs
 * that merely ran at the same time would be lost with it each time, and be parked like it (decision 35).
 */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import type { Core } from "./ports.ts";
import type { Record } from "./state.ts";

/** A job that has run for this long no longer blocks others. */
const quarantineMs = 60_000;

/** Tells whether a job has to wait for another one. Inspects the running jobs once, on first use. */
export function quarantineOf(core: Core): (jobId: string) => boolean {
  let isTaken: boolean | undefined;
  return (jobId) => {
    if (attemptsOf(core, jobId) === 0) return false;
    isTaken ??= [...core.beginnings.keys()].some((id) => attemptsOf(core, id) > 0) || runs(core);
    return isTaken;
  };
}

function attemptsOf({ projection }: Core, jobId: string): number {
  return projection.get(jobId)?.record.job.attempts ?? 0;
}

function runs({ projection, clock }: Core): boolean {
  const isNear = ({ job }: Record): boolean =>
    job.state === JobState.RUNNING &&
    job.attempts > 1 &&
    clock.now() - (job.startedAt === undefined ? 0 : timestampMs(job.startedAt)) < quarantineMs;
  for (const { record, leaseEndsMs } of projection.unfinished()) {
    if (isNear(record) && leaseEndsMs > clock.monotonicMs()) return true;
  }
  return false;
}
