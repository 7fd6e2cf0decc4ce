import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import type { Meter } from "../domain/ports.ts";
import type { Projection } from "../domain/projection.ts";
import { laneOf } from "../domain/state.ts";

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 600];

/** The counters count what this process did. The gauge shows every job in its projection. */
export function createMeter(registry: Registry, projection: Projection, lanes: readonly string[]): Meter {
  const registers = [registry];
  const entered = new Counter({
    name: "filemill_jobs_total",
    help: "Jobs by the state they entered",
    labelNames: ["state", "lane"],
    registers,
  });
  const duration = new Histogram({
    name: "filemill_job_duration_seconds",
    help: "Time from start to end of the last attempt, for jobs that are done",
    labelNames: ["lane"],
    buckets,
    registers,
  });
  const wait = new Histogram({
    name: "filemill_job_queue_wait_seconds",
    help: "Time from the creation of a job to its first attempt",
    labelNames: ["lane"],
    buckets,
    registers,
  });
  const refusals = new Counter({
    name: "filemill_quota_refusals_total",
    help: "Uploads and results refused because of a caller's quota, by quota (stored, result, processor)",
    labelNames: ["class", "quota"],
    registers,
  });
  showGauges(registers, projection, lanes);
  return {
    entered(record, durationMs) {
      const lane = laneOf(record);
      entered.inc({ state: stateName(record.job.state), lane });
      if (durationMs !== undefined) duration.observe({ lane }, durationMs / 1000);
    },
    refused: (isGuest, quota) => refusals.inc({ class: isGuest ? "guest" : "account", quota }),
    waited: (record, waitedMs) => wait.observe({ lane: laneOf(record) }, waitedMs / 1000),
  };
}

function showGauges(registers: Registry[], projection: Projection, lanes: readonly string[]): void {
  new Gauge({
    name: "filemill_jobs_unfinished",
    help: "Queued and running jobs",
    labelNames: ["lane", "state"],
    registers,
    collect() {
      for (const lane of lanes) {
        const { queuedCount, runningCount } = projection.lane(lane);
        this.set({ lane, state: "queued" }, queuedCount);
        this.set({ lane, state: "running" }, runningCount);
      }
    },
  });
  new Gauge({
    name: "filemill_queue_age_seconds",
    help: "Age of the oldest queued job",
    labelNames: ["lane"],
    registers,
    collect() {
      for (const lane of lanes) this.set({ lane }, ageOfQueue(projection, lane) / 1000);
    },
  });
  new Gauge({
    name: "filemill_stored_bytes",
    help: "Stored inputs of unfinished jobs and results, by owner (account, guest)",
    labelNames: ["class"],
    registers,
    collect() {
      for (const [name, bytes] of Object.entries(projection.ledger.totals())) this.set({ class: name }, bytes);
    },
  });
}

/** In ms; 0 if nothing is queued. */
function ageOfQueue(projection: Projection, lane: string): number {
  const created = [...projection.lane(lane).queued()].flatMap((id) => {
    const at = projection.get(id)?.record.job.createdAt;
    return at === undefined ? [] : [timestampMs(at)];
  });
  const oldest = created.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  return created.length === 0 ? 0 : Math.max(0, Date.now() - oldest);
}

function stateName(state: JobState): string {
  const name = Object.entries(JobState).find(([, value]) => value === state)?.[0];
  return (name ?? "unknown").toLowerCase();
}
