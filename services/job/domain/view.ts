import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import type { Clock } from "./clock.ts";
import type { History } from "./history.ts";
import type { Held, Projection } from "./projection.ts";
import { dueOf } from "./retention.ts";
import { laneOf, type Record } from "./state.ts";

/** Makes of a record what consumers see: with its place in the queue, an estimate, and expired as soon as it is time. */
export function createView(projection: Projection, history: History, clock: Clock): (held: Held) => Job {
  const queuedMs = (record: Record, position: number): number => {
    const lane = laneOf(record);
    // How many workers a lane has is not known here; what runs at once now is a lower bound.
    const abreast = Math.max(1, projection.lane(lane).runningCount);
    return (position * history.expectLaneMs(lane)) / abreast + history.expectMs(runOf(record));
  };
  const runningMs = (record: Record, progress: number | undefined): number => {
    const startedAtMs = record.job.startedAt === undefined ? clock.now() : timestampMs(record.job.startedAt);
    const elapsedMs = Math.max(0, clock.now() - startedAtMs);
    const byProgress = progress !== undefined && progress > 0.05 ? (elapsedMs * (1 - progress)) / progress : undefined;
    return byProgress ?? Math.max(0, history.expectMs(runOf(record)) - elapsedMs);
  };

  return ({ record, progress }) => {
    const job = { ...record.job, revision: record.version };
    switch (job.state) {
      case JobState.QUEUED: {
        const queuePosition = projection.position(laneOf(record), job.id);
        return { ...job, queuePosition, estimateMs: wholeMs(queuedMs(record, queuePosition - 1)) };
      }
      case JobState.RUNNING:
        return { ...job, queuePosition: 0, estimateMs: wholeMs(runningMs(record, progress)), progress };
      case JobState.DONE:
        return dueOf(record, clock.now()) === undefined ? job : { ...job, state: JobState.EXPIRED };
      default:
        return job;
    }
  };
}

/** What the history knows a job's conversion by. */
export function runOf(record: Record): { from: string; to: string; sizeBytes: number; lane: string } {
  const { from, to, input } = record.job;
  return { from, to, sizeBytes: Number(input?.sizeBytes ?? 0n), lane: laneOf(record) };
}

function wholeMs(ms: number): number {
  return Math.min(0xffff_ffff, Math.max(0, Math.round(ms)));
}
