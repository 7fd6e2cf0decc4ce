import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { Registry } from "prom-client";
import { FilemillError } from "#contract/errors.ts";
import type { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { JobService, JobState, LeaseService } from "#gen/filemill/job/v1/job_pb.ts";
import type { BlobStore } from "#kit/blobs/store.ts";
import type { Log } from "#kit/log.ts";
import type { Broker } from "#kit/nats/ports.ts";
import { isGone } from "#kit/process-identity.ts";
import { notReady } from "#kit/readiness.ts";
import type { Service } from "#kit/service.ts";
import { openBackground } from "./adapters/background.ts";
import { openIdempotencyKeys } from "./adapters/idempotency-keys.ts";
import { openJobRecords } from "./adapters/job-records.ts";
import { createMeter } from "./adapters/meter.ts";
import { createPlanner } from "./adapters/planner.ts";
import { openTimers } from "./adapters/timers.ts";
import { openTimings } from "./adapters/timings.ts";
import { type Cadence, defaultCadence, type JobSettings, lanes } from "./config.ts";
import { createAdmission } from "./domain/admission.ts";
import { expireJobs, openReconciler, sweepBlobs } from "./domain/care.ts";
import { type Clock, systemClock } from "./domain/clock.ts";
import { createHistory } from "./domain/history.ts";
import { createJobIds } from "./domain/job-id.ts";
import { maxLeaseMs } from "./domain/lease-job.ts";
import { createRoomMaker } from "./domain/make-room.ts";
import { payerOf } from "./domain/payer.ts";
import type { Core, Passwords } from "./domain/ports.ts";
import { createProjection, type Projection } from "./domain/projection.ts";
import { createSpending, type Spending } from "./domain/spending.ts";
import { isUnfinished } from "./domain/state.ts";
import { createView, runOf } from "./domain/view.ts";
import { jobServiceOf, leaseServiceOf } from "./rpc.ts";

export type JobDeps = {
  readonly broker: Broker;
  readonly blobs: BlobStore;
  readonly catalogue: Client<typeof CatalogueService>;
  readonly log: Log;
  readonly metrics: Registry;
  readonly clock?: Clock;
  readonly cadence?: Cadence;
};

/** JobService and LeaseService: what is requested, its progress, and its result. */
export function createJobService(deps: JobDeps, settings: JobSettings): Service {
  const { log } = deps;
  const stack = new AsyncDisposableStack();
  let core: Core | undefined;
  let settled: (() => Promise<void>) | undefined;
  let draining = false;

  const coreFor = (purpose?: "create"): Core => {
    if (core !== undefined && !(draining && purpose === "create")) return core;
    throw new FilemillError("UNAVAILABLE", "The service is starting or shutting down; try again.", { retryAfterMs: 2000 });
  };

  return {
    name: "job",
    routes(router) {
      router.service(JobService, jobServiceOf(coreFor, deps.blobs));
      router.service(LeaseService, leaseServiceOf(coreFor));
    },
    async start() {
      const opened = await openCore(deps, settings, stack);
      const reconciler = openReconciler(opened.core);
      stack.defer(reconciler.close);
      const cadence = cadenceOf(deps);
      const timers = stack.use(openTimers(log));
      timers.every("job.reconcile", cadence.reconcileMs, reconciler.reconcile);
      timers.every("job.expire", cadence.expireMs, (signal) => expireJobs(opened.core, signal));
      timers.every("job.sweep", cadence.sweepMs, () => sweepBlobs(opened.core, deps.blobs));
      timers.every("job.room", cadence.roomMs, () => opened.core.makeRoom());
      timers.every("job.timings", cadence.timingsMs, opened.rememberTimings);
      ({ core, settled } = opened);
    },
    async drain(signal) {
      draining = true;
      if (settled === undefined || signal.aborted) return;
      const late = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => late.resolve(), { once: true });
      await Promise.race([settled(), late.promise]);
    },
    readiness() {
      return core === undefined || draining ? notReady("job") : { ready: true };
    },
    async [Symbol.asyncDispose]() {
      draining = true;
      await stack.disposeAsync();
    },
  };
}

/** Includes what was recorded before the start. */
function followSpending(projection: Projection, clock: Clock): Spending {
  const spending = createSpending();
  projection.onChange((after, before) => {
    if (after === undefined) return;
    const { processorMs, job } = after.record;
    const atMs = job.finishedAt === undefined ? clock.now() : Math.min(clock.now(), timestampMs(job.finishedAt));
    spending.add(payerOf(after.record), Number(processorMs - (before?.record.processorMs ?? 0n)), atMs);
  });
  return spending;
}

const cadenceOf = ({ cadence = defaultCadence }: JobDeps): Cadence => cadence;

async function openCore(deps: JobDeps, settings: JobSettings, stack: AsyncDisposableStack) {
  const { broker, blobs, log } = deps;
  const clock = deps.clock ?? systemClock;
  const projection = createProjection(clock, maxLeaseMs);
  const history = createHistory();
  const rememberTimings = await openTimings(broker, history);
  const passwords = new Map<string, Passwords>();
  const spending = followSpending(projection, clock);
  projection.onChange((after, before) => {
    const ended = after ?? before;
    if (ended !== undefined && (after === undefined || !isUnfinished(ended.record))) passwords.delete(ended.record.job.id);
    const isNew = after?.record.job.state === JobState.DONE && before?.record.job.state !== JobState.DONE;
    // Several results of one job are no measure for one conversion.
    const isUsual = after?.record.job.resultFormat === "";
    // The stored history already includes jobs from before this start.
    if (isNew && isUsual && isPresent) history.record(runOf(after.record), after.record.job.durationMs);
  });
  let isPresent = false;
  const wakeUps = await broker.workQueue("JOBS", lanes, { ackWaitMs: settings.LEASE_MS });
  const keys = await openIdempotencyKeys(broker);
  const records = stack.use(await openJobRecords(broker, projection));
  isPresent = true;
  const background = stack.use(openBackground(log));
  const rules = {
    retentionSeconds: settings.RETENTION_SECONDS,
    maxAttempts: settings.MAX_ATTEMPTS,
    leaseMs: settings.LEASE_MS,
    maxUnfinished: settings.MAX_UNFINISHED_JOBS,
    unwrittenMs: cadenceOf(deps).unwrittenMs,
  };
  const core: Core = {
    ...{ rules, clock, log, projection, history, records, keys, wakeUps, blobs, background },
    beginnings: new Map(),
    waitingHere: new Map(),
    ...{ passwords, spending },
    admission: createAdmission(projection, rules.maxUnfinished),
    plan: createPlanner(deps.catalogue, lanes),
    meter: createMeter(deps.metrics, projection, lanes),
    nextId: createJobIds(),
    view: createView(projection, history, clock),
    isGone,
    makeRoom: () => roomMaker(),
    flush: () => broker.flushToDisk(),
  };
  const leastBytes = (settings.MIN_FREE_DISK_MB + settings.GUEST_RESERVE_MB) * 1e6;
  const roomMaker = createRoomMaker(core, async () => leastBytes - (await blobs.freeBytes()));
  const settled = async (): Promise<void> => {
    await background.settled();
    await rememberTimings().catch((error: unknown) => log.warn("job.timings_failed", { err: error }));
  };
  return { core, settled, rememberTimings };
}
