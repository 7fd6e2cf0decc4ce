import { crc32 } from "node:zlib";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import type { Clock } from "./clock.ts";
import type { History, Run } from "./history.ts";
import type { Held, Projection } from "./projection.ts";
import { dueOf } from "./retention.ts";
import { laneOf, type Record } from "./state.ts";

/** How many jobs of a lane are estimated one by one. Each further job ahead counts with their mean. */
const mostLookedAt = 32;

/** Turns a record into what consumers see: with its place in the queue, an estimate, and expired as soon as it is due. */
export function createView(projection: Projection, history: History, clock: Clock): (held: Held) => Job {
  /** How many jobs of a lane have run at once: as many as its workers have slots, once there was enough to do. */
  const abreast = new Map<string, number>();

  const runningMs = ({ record, progress }: Held): number => {
    const startedAtMs = record.job.startedAt === undefined ? clock.now() : timestampMs(record.job.startedAt);
    const elapsedMs = Math.max(0, clock.now() - startedAtMs);
    if (progress !== undefined && progress > 0.05) return (elapsedMs * (1 - progress)) / progress;
    // An overdue job is not necessarily about to end.
    return Math.max(history.expectMs(runOf(record)) - elapsedMs, elapsedMs * overdueShare);
  };

  const queuedMs = (record: Record, ahead: number): number => {
    const name = laneOf(record);
    const lane = projection.lane(name);
    // A worker may have claimed the job since this record was read.
    const runningCount = lane.runningCount - Number(projection.get(record.job.id)?.record.job.state === JobState.RUNNING);
    const places = Math.max(1, lane.runningCount, abreast.get(name) ?? 0);
    abreast.set(name, places);
    const own = history.expectMs(runOf(record));
    if (runningCount + ahead < places) return own;
    const heldOf = (ids: Iterable<string>): Held[] =>
      firstOf(ids, mostLookedAt).flatMap((id) => (id === record.job.id ? [] : (projection.get(id) ?? [])));
    const waiting = heldOf(lane.queued()).map((held) => history.expectMs(runOf(held.record)));
    const running = heldOf(lane.running()).map(runningMs);
    return (sumOf(running) + ahead * (sumOf(waiting) / Math.max(1, waiting.length))) / places + own;
  };

  return (held) => {
    const { record, progress } = held;
    const job = { ...record.job, revision: record.version };
    switch (job.state) {
      case JobState.QUEUED: {
        const queuePosition = projection.position(laneOf(record), job.id);
        return { ...job, queuePosition, estimateMs: wholeMs(queuedMs(record, queuePosition - 1)) };
      }
      case JobState.RUNNING:
        return { ...job, queuePosition: 0, estimateMs: wholeMs(runningMs(held)), progress };
      case JobState.DONE:
        return dueOf(record, clock.now()) === undefined ? job : { ...job, state: JobState.EXPIRED };
      default:
        return job;
    }
  };
}

const overdueShare = 0.25;

/** What the history needs to know of a job's conversion. */
export function runOf(record: Record): Run {
  const { from, to, input } = record.job;
  const { pixels = 0n, durationMs = 0n } = record.extent ?? {};
  return {
    ...{ from, to, lane: laneOf(record), sizeBytes: Number(input?.sizeBytes ?? 0n) },
    ...{ pixels: Number(pixels), lastsMs: Number(durationMs) },
    ...{ variant: variantOf(record), provenMs: record.plan?.provenMs ?? 0 },
  };
}

/** A number that plans with the same options share. */
function variantOf({ plan }: Record): number {
  const options = plan?.hops.flatMap((hop) => Object.entries(hop.options).map(([name, { value }]) => `${name}=${String(value.value)}`));
  return crc32((options ?? []).sort().join("&"));
}

function firstOf<T>(items: Iterable<T>, most: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === most) break;
    first.push(item);
  }
  return first;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

function wholeMs(ms: number): number {
  return Math.min(0xffff_ffff, Math.max(0, Math.round(ms)));
}
