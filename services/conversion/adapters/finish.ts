/** Ends an attempt: reports its end to the job service until it answers, then settles the wake-up. */
import { setTimeout as sleep } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type ErrorCode, fromConnectError } from "#contract/errors.ts";
import type { Blob } from "#gen/filemill/common/v1/blob_pb.ts";
import type { Error as ErrorMessage } from "#gen/filemill/common/v1/error_pb.ts";
import type { FinishAttemptRequestSchema, FinishAttemptResponse, Lease } from "#gen/filemill/job/v1/job_pb.ts";
import type { Log } from "#kit/log.ts";
import { tellMoment } from "#kit/moments.ts";
import type { Delivery } from "#kit/nats/ports.ts";
import type { WorkerParts } from "./worker-parts.ts";

export type AttemptEnd = { /** CPU time of its engines. */ readonly processorMs: number } & (
  | { readonly kind: "done"; readonly blob: Blob; readonly notes: readonly { readonly code: string; readonly message: string }[] }
  | { readonly kind: "failed"; readonly error: ErrorMessage; readonly retryable: boolean }
);

export type Attempt = {
  readonly parts: Pick<WorkerParts, "leases" | "node">;
  readonly lease: Lease;
  readonly delivery: Delivery;
  readonly log: Log;
  /** Fires when the worker must stop. An end that was not accepted by then is left to another worker. */
  readonly leaving: AbortSignal;
};

const firstPauseMs = 200;
const longestPauseMs = 5000;
const leavingGraceMs = 5000;
/** The job service itself waits for an unreachable broker for as long as this timeout allows. */
const callMs = 30_000;

export async function finishAttempt(attempt: Attempt, end: AttemptEnd, elapsedMs: number): Promise<void> {
  const { delivery, lease, log, parts } = attempt;
  const { jobId, attempt: number } = lease;
  const answer = await tellEnd(attempt, {
    jobId,
    attempt: number,
    worker: parts.node,
    durationMs: Math.round(elapsedMs),
    processorMs: BigInt(Math.round(end.processorMs)),
    outcome:
      end.kind === "done"
        ? { case: "result", value: { blob: end.blob, notes: [...end.notes] } }
        : { case: "failure", value: { error: end.error, retryable: end.retryable } },
  });
  tellMoment("end told", jobId);
  if (answer === undefined) {
    // Whether the end was recorded is unknown. The result stays, and the sweep removes it if no record names it.
    log.warn("attempt.unfinished");
    delivery.retry(0);
    return;
  }
  if (answer.accepted && answer.retryInMs !== undefined) {
    delivery.retry(answer.retryInMs);
    return;
  }
  // With the call, the result became the job service's. It removes the result of an attempt that was not accepted.
  if (!answer.accepted) log.info("attempt.fenced_out");
  delivery.ack();
}

/** Answers that a retry cannot change. */
const finalCodes: ReadonlySet<ErrorCode> = new Set(["JOB_NOT_FOUND", "BAD_REQUEST"]);

/** Undefined: the worker had to stop before anyone answered. */
async function tellEnd(
  { parts, leaving, log }: Attempt,
  request: MessageInitShape<typeof FinishAttemptRequestSchema>,
): Promise<Pick<FinishAttemptResponse, "accepted" | "retryInMs"> | undefined> {
  let lastTryAt = Number.POSITIVE_INFINITY;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await parts.leases.finishAttempt(request, { timeoutMs: leaving.aborted ? leavingGraceMs : callMs });
    } catch (error) {
      const { code } = fromConnectError(error);
      if (finalCodes.has(code)) return { accepted: false };
      log.warn("finish.failed", { code, err: error });
      if (leaving.aborted) lastTryAt = Math.min(lastTryAt, performance.now() + leavingGraceMs);
      if (performance.now() + pauseMs > lastTryAt) return undefined;
      await sleep(pauseMs, undefined, leaving.aborted ? {} : { signal: leaving }).catch(() => undefined);
    }
  }
}
