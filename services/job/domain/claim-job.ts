import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type ClaimAttemptRequest,
  JobState,
  type Lease,
  LeaseSchema,
  ClaimAttemptResponse_Outcome as Outcome,
} from "#gen/filemill/job/v1/job_pb.ts";
import { roomOf } from "./budget.ts";
import { settle } from "./end-job.ts";
import type { Turn } from "./fair-lane.ts";
import { isJobId, madeAtMs } from "./job-id.ts";
import { leaseMsOf } from "./lease-job.ts";
import { payerOf } from "./payer.ts";
import type { Core } from "./ports.ts";
import { attemptUnder, type Held, isUnwritten } from "./projection.ts";
import { quarantineOf } from "./quarantine.ts";
import { dueOf } from "./retention.ts";
import { cancelled, claimed, isUnfinished, laneOf, type Record } from "./state.ts";

export type Claimed = { readonly outcome: Outcome; readonly lease?: Lease; readonly retryMs: number };

/** How long after its id was created a job's record may still arrive, and how often to check for it. */
const arrivalMs = 10_000;
const arrivalPauseMs = 100;
/** When to check again for a job that must not run beside another one. */
const quarantinePauseMs = 1000;

const nothing: Claimed = { outcome: Outcome.SETTLED, retryMs: 0 };

/**
 * Claims one attempt for the next job of the lane; in an otherwise empty queue this is the requested job. A wake-up stands for any
 * unfinished job of its lane. It is settled with the attempt that runs under it, or when no job is left. A request without a job id comes
 * from a worker of this process that was woken for a job on the short path.
 */
export async function claimAttempt(core: Core, request: ClaimAttemptRequest): Promise<Claimed> {
  const isByMessage = request.jobId !== "";
  if (isByMessage && !isJobId(request.jobId)) return nothing;
  const named = isByMessage ? await core.records.find(request.jobId) : undefined;
  const lane = request.lane === "" ? named && laneOf(named.record) : request.lane;
  if (lane === undefined) return nothing;
  const tried = new Set<string>();
  let isFresh = false;
  for (;;) {
    const turn = nextOf(core, lane, request.jobId, tried);
    // The account with the fewest running jobs comes first, so if that one is not idle, none is.
    if (turn !== undefined && request.idleAccountOnly && !turn.isIdleAccount) return { outcome: Outcome.BUSY, retryMs: 0 };
    if (turn !== undefined) {
      const { jobId } = turn;
      const lease = await begin(core, jobId, request);
      if (lease !== undefined) return { outcome: Outcome.LEASED, lease, retryMs: 0 };
      tried.add(jobId);
      continue;
    }
    if (!isByMessage) return nothing;
    const beginning = core.beginnings.get(request.jobId);
    if (beginning !== undefined) {
      await beginning.settled;
      continue;
    }
    const inTheWay = attemptUnder(core.projection, lane, request.jobId)?.record ?? core.projection.get(request.jobId)?.record;
    // Memory may lag behind another process. Only an ended job is certain not to have changed.
    if (isFresh || inTheWay === undefined || !isUnfinished(inTheWay)) return waitOf(core, lane, request.jobId);
    await core.records.refresh(inTheWay.job.id);
    isFresh = true;
  }
}

function nextOf(core: Core, lane: string, wakeUp: string, tried: ReadonlySet<string>): Turn | undefined {
  const { projection, beginnings } = core;
  const nowMs = core.clock.monotonicMs();
  const isFree = (id: string): boolean => !tried.has(id) && !beginnings.has(id);
  const mustWait = quarantineOf(core);
  // The wake-up was redelivered: its attempt is running or has lost its worker.
  const attempt = wakeUp === "" ? undefined : attemptUnder(projection, lane, wakeUp);
  if (attempt !== undefined) {
    const { id } = attempt.record.job;
    // An attempt that lost its worker does not count as running.
    return attempt.leaseEndsMs <= nowMs && isFree(id) && !mustWait(id) ? { jobId: id, isIdleAccount: true } : undefined;
  }
  return projection.lane(lane).next({
    isDue: (id) => isFree(id) && (projection.get(id)?.dueMs ?? 0) <= nowMs && !mustWait(id),
    isLapsed: (id) => (projection.get(id)?.leaseEndsMs ?? 0) <= nowMs,
    beginning: (payer) => beginningOf(core, payer),
  });
}

/** Whether the payer has nothing running in the lane. */
export function isIdle(core: Core, lane: string, payer: string): boolean {
  return core.projection.lane(lane).runningOf(payer) + beginningOf(core, payer) === 0;
}

function beginningOf({ beginnings }: Core, payer: string): number {
  let count = 0;
  for (const each of beginnings.values()) if (each.payer === payer) count += 1;
  return count;
}

/** Undefined if the job is already taken or has ended. */
async function begin(core: Core, jobId: string, request: ClaimAttemptRequest): Promise<Lease | undefined> {
  const held = core.projection.get(jobId);
  const isByMessage = request.jobId !== "";
  if (held !== undefined && isUnwritten(held) && !isByMessage) return beginUnwritten(core, held, request);
  const beginning = Promise.withResolvers<void>();
  core.beginnings.set(jobId, { payer: held === undefined ? "" : payerOf(held.record), settled: beginning.promise });
  // The job that the worker was woken for is still waiting.
  if (!isByMessage && [...core.waitingHere.values()].includes(request.lane)) core.wakeUps.wakeHere(request.lane);
  try {
    return await take(core, jobId, request);
  } finally {
    core.beginnings.delete(jobId);
    beginning.resolve();
  }
}

/** Without a write: the first record of such a job is that of its end. */
function beginUnwritten(core: Core, held: Held, request: ClaimAttemptRequest): Lease | undefined {
  const record = claimOf(core, held, request);
  if (record === undefined || !isUnfinished(record)) return undefined;
  core.waitingHere.delete(record.job.id);
  core.projection.hold(record);
  return leaseOf(core, record);
}

function claimOf(core: Core, { record, leaseEndsMs, dueMs }: Held, request: ClaimAttemptRequest): Record | undefined {
  if (Math.max(leaseEndsMs, dueMs) > core.clock.monotonicMs()) return undefined;
  const nowMs = core.clock.now();
  if (dueOf(record, nowMs) === "cancel") return cancelled(record, nowMs);
  const leaseMs = leaseMsOf(core, request.leaseMs);
  return claimed(record, { worker: request.worker, wakeUp: request.jobId, leaseMs, maxAttempts: core.rules.maxAttempts, nowMs });
}

async function take(core: Core, jobId: string, request: ClaimAttemptRequest): Promise<Lease | undefined> {
  const change = await core.records.change(jobId, (held) => claimOf(core, held, request));
  if (!change.changed) return undefined;
  const { record } = change.after;
  if (isUnfinished(record)) return leaseOf(core, record);
  if (record.job.state === JobState.FAILED) core.log.warn("job.parked", { job: jobId, attempts: record.job.attempts });
  core.background.run("job.settle_failed", () => settle(core, change));
  return undefined;
}

/** When to try again in a lane where nothing can start now. */
function waitOf(core: Core, lane: string, wakeUp: string): Claimed {
  const nowMs = core.clock.monotonicMs();
  const busy = (untilMs: number): Claimed => ({ outcome: Outcome.BUSY, retryMs: Math.max(1, Math.ceil(untilMs - nowMs)) });
  const mustWait = quarantineOf(core);
  const attempt = attemptUnder(core.projection, lane, wakeUp);
  if (attempt !== undefined) {
    const soonestMs = mustWait(attempt.record.job.id) ? nowMs + quarantinePauseMs : nowMs;
    return busy(Math.max(attempt.leaseEndsMs, soonestMs));
  }
  let soonestMs = Number.POSITIVE_INFINITY;
  for (const id of core.projection.lane(lane).queued()) {
    const dueMs = core.projection.get(id)?.dueMs ?? Number.NEGATIVE_INFINITY;
    if (dueMs > nowMs) soonestMs = Math.min(soonestMs, dueMs);
    else if (mustWait(id)) soonestMs = Math.min(soonestMs, nowMs + quarantinePauseMs);
  }
  if (soonestMs !== Number.POSITIVE_INFINITY) return busy(soonestMs);
  // The record of a new job may still be on its way from another process.
  const mayArrive = core.projection.get(wakeUp) === undefined && core.clock.now() - madeAtMs(wakeUp) < arrivalMs;
  return mayArrive ? busy(nowMs + arrivalPauseMs) : nothing;
}

function leaseOf(core: Core, record: Record): Lease {
  core.meter.entered(record);
  if (record.job.attempts === 1) core.meter.waited(record, waitedMs(record));
  const { job, plan, requestId, budget, traceParent } = record;
  const room = roomOf(core, payerOf(record), budget, job.id);
  return create(LeaseSchema, {
    jobId: job.id,
    attempt: job.attempts,
    requestId,
    traceParent,
    inputPassword: core.passwords.get(job.id)?.input ?? "",
    outputPassword: core.passwords.get(job.id)?.output ?? "",
    ...(plan === undefined ? {} : { plan }),
    ...(job.input === undefined ? {} : { input: job.input }),
    ...(budget === undefined ? {} : { budget }),
    ...(room === undefined ? {} : { roomBytes: BigInt(Math.floor(room)) }),
  });
}

function waitedMs({ job }: Record): number {
  if (job.createdAt === undefined || job.startedAt === undefined) return 0;
  return Math.max(0, timestampMs(job.startedAt) - timestampMs(job.createdAt));
}
