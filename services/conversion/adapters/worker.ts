/** From a wake-up to a settled attempt. Decisions 2 and 5 explain the order of the steps. */
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { FilemillError, fromConnectError, toErrorMessage } from "#contract/errors.ts";
import type { Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { type Lease, ClaimAttemptResponse_Outcome as Outcome } from "#gen/filemill/job/v1/job_pb.ts";
import type { Log } from "#kit/log.ts";
import { tellMoment } from "#kit/moments.ts";
import type { Delivery } from "#kit/nats/ports.ts";
import { traced } from "#kit/tracing.ts";
import type { Alternates } from "../domain/alternates.ts";
import type { ConversionRequest } from "../domain/converter.ts";
import { failureOf, nameless } from "../domain/failure.ts";
import { joinedNote, type NoteCode } from "../domain/notes.ts";
import { type AttemptEnd, finishAttempt } from "./finish.ts";
import { superviseLease } from "./heartbeat.ts";
import type { Guest } from "./places.ts";
import { isShort, watchRoom } from "./room.ts";
import type { WorkerParts } from "./worker-parts.ts";

export type Worker = {
  /** Resolves when the delivery is settled; with false if there was no job that such an account may start. Never rejects. */
  handle(delivery: Delivery, guest: Guest): Promise<boolean>;
  /** Ends the running attempts so that another worker can take them over. */
  abandon(): void;
  /** Stops an attempt whose result is no longer wanted. */
  cancel(jobId: string, attempt: number): void;
};

/** How soon a wake-up is redelivered if it could not be handled. */
const unclaimedRetryMs = 1000;
/** How soon a wake-up is redelivered, to any host, if this host's disk has no room. */
const noRoomRetryMs = 500;

export function createWorker(parts: WorkerParts): Worker {
  const running = new Map<string, { readonly attempt: number; readonly stop: AbortController }>();
  const leaving = new AbortController();

  async function attempt(delivery: Delivery, lease: Lease): Promise<void> {
    tellMoment("attempt begun", lease.jobId);
    const startedAt = performance.now();
    const log = parts.log.with({ jobId: lease.jobId, attempt: lease.attempt, requestId: lease.requestId });
    const stop = new AbortController();
    const entry = { attempt: lease.attempt, stop };
    running.set(lease.jobId, entry);
    const watch = superviseLease(parts, lease, delivery, stop, log);
    try {
      const end = await convert(parts, lease, stop.signal, watch.onProgress, log);
      const elapsedMs = performance.now() - startedAt;
      parts.metrics.attempts.inc({ engine: lease.plan?.hops[0]?.engine ?? "", outcome: outcomeOf(end, stop.signal) });
      await finishAttempt({ parts, lease, delivery, log, leaving: leaving.signal }, end, elapsedMs);
    } finally {
      watch[Symbol.dispose]();
      if (running.get(lease.jobId) === entry) running.delete(lease.jobId);
    }
  }

  return {
    async handle(delivery, guest) {
      const { jobId, lane } = delivery;
      tellMoment("worker woken", jobId);
      try {
        // The job would fail soon and the next one follow: a host without room would drain most of the queue.
        if (parts.hasOthers && (await isShort(dirname(parts.converter.newPath(""))))) {
          delivery.retry(noRoomRetryMs);
          return false;
        }
        const idleAccountOnly = guest === "idle account";
        const { node: worker, leaseMs } = parts;
        const claim = await parts.leases.claimAttempt({ jobId, lane, worker, leaseMs, idleAccountOnly });
        const { lease } = claim;
        if (claim.outcome === Outcome.LEASED && lease !== undefined) await traced(spanOf(lease), () => attempt(delivery, lease));
        else if (claim.outcome === Outcome.SETTLED) delivery.ack();
        else delivery.retry(claim.retryMs);
        return claim.outcome !== Outcome.BUSY;
      } catch (error) {
        parts.log.warn("worker.delivery_failed", { jobId: delivery.jobId, code: fromConnectError(error).code, err: error });
        delivery.retry(unclaimedRetryMs);
        return false;
      }
    },
    abandon() {
      const reason = new FilemillError("UNAVAILABLE", "The converter is stopping; another one takes over.");
      for (const { stop } of running.values()) stop.abort(reason);
      leaving.abort(reason);
    },
    cancel(jobId, attempt) {
      const entry = running.get(jobId);
      if (entry?.attempt === attempt) entry.stop.abort(new FilemillError("JOB_CANCELLED", "The job was cancelled."));
    },
  };
}

function spanOf({ jobId, attempt, traceParent }: Lease): Parameters<typeof traced>[0] {
  return { name: "attempt", parent: traceParent, attributes: { "filemill.job": jobId, "filemill.attempt": attempt } };
}

/** Runs the plan and moves the result into the blob store. Never rejects, because a failure is an end too. */
async function convert(
  parts: WorkerParts,
  lease: Lease,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
  log: Log,
): Promise<AttemptEnd> {
  const notes = new Map<NoteCode, string>();
  using room = watchRoom(dirname(parts.converter.newPath("")), parts.blobs);
  let processorMs = 0;
  try {
    if (lease.plan === undefined || lease.input === undefined) throw new FilemillError("INTERNAL", "The job has no plan or no input.");
    const outputPath = parts.converter.newPath(lease.plan.to);
    await using input = await parts.blobs.fetch(lease.input, parts.converter.newPath(lease.plan.from), signal);
    await parts.converter.run(lease.plan, input.path, outputPath, {
      signal,
      inputBytes: Number(lease.input.sizeBytes),
      password: lease.inputPassword === "" ? undefined : lease.inputPassword,
      outputPassword: lease.outputPassword === "" ? undefined : lease.outputPassword,
      onProgress,
      ...boundOf(lease),
      onSpent: (ms) => {
        processorMs += ms;
      },
      alternates: alternatesOf(parts, signal, log),
      planOf: (from, to) => planOf(parts, { from, to }, signal),
      onNote: (code, message) => void notes.set(code, joinedNote(notes.get(code), message, code)),
    });
    const blob = await parts.blobs.adopt(outputPath).catch(async (error: unknown) => {
      await rm(outputPath, { force: true });
      throw error;
    });
    tellMoment("result stored", lease.jobId);
    return { kind: "done", processorMs, blob, notes: [...notes].map(([code, message]) => ({ code, message })) };
  } catch (thrown) {
    const failure = await room.judge(failureOf(thrown));
    const fields = { code: failure.error.code, retryable: failure.retryable };
    if (failure.unexpected) log.error("attempt.failed", { ...fields, err: nameless(thrown) });
    else log.info("attempt.failed", fields);
    return { kind: "failed", processorMs, error: toErrorMessage(failure.error), retryable: failure.retryable };
  }
}

function boundOf({ budget, roomBytes }: Lease): Pick<ConversionRequest, "bound"> {
  if (budget === undefined) return {};
  const { maxResultMb, maxStoredMb } = budget;
  return { bound: { maxResultMb, maxStoredMb, roomBytes: roomBytes === undefined ? undefined : Number(roomBytes) } };
}

/** Another route is worth a short wait only. If the catalogue does not answer, there is none. */
const planningMs = 5000;

function alternatesOf({ catalogue }: WorkerParts, signal: AbortSignal, log: Log): Alternates {
  return {
    async nextBest({ avoid, ...query }) {
      const request = { ...query, avoid: [...avoid] };
      return (await catalogue.planRoute(request, { signal, timeoutMs: planningMs }).catch(() => undefined))?.plan;
    },
    onFailure: (failed, error) => log.warn("attempt.engine_failed", { ...failed, err: nameless(error) }),
  };
}

async function planOf(
  { catalogue }: WorkerParts,
  query: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<Plan> {
  const { plan } = await catalogue.planRoute(query, { signal, timeoutMs: planningMs }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw fromConnectError(error);
  });
  if (plan === undefined) throw new FilemillError("INTERNAL", "The catalogue answered without a plan.");
  return plan;
}

function outcomeOf(end: AttemptEnd, signal: AbortSignal): string {
  if (end.kind === "done") return "done";
  if (signal.aborted) return "aborted";
  return end.retryable ? "retryable" : "failed";
}
