/** Sends results to the addresses that their owners chose (decision 86). */
import type { Readable } from "node:stream";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type DeliveryClaim, type JobRecord, JobState, ResultDelivery_Failure, ResultDelivery_State } from "#gen/filemill/job/v1/job_pb.ts";
import { following } from "#kit/following.ts";
import type { Log } from "#kit/log.ts";
import { notPublic } from "#kit/public-address.ts";
import { type Agenda, hostOf, type Task } from "./agenda.ts";
import { addressNotAllowed, noAnswerInTime, type Outcome, type Send } from "./ports.ts";
import type { Schedule } from "./schedule.ts";

/** Time until another process may repeat an attempt whose process died. */
const claimMs = 60_000;
const renewMs = 20_000;

/** What the job service records about an attempt. */
export type Ending = { readonly status?: number; readonly failure: ResultDelivery_Failure; readonly retryInMs?: number };

/** The job service, which owns the records. */
export type Claims = {
  /** @param attempt - 0 claims a new attempt; any other number extends that attempt's claim. */
  claim(jobId: string, attempt: number, claimMs: number): Promise<DeliveryClaim | undefined>;
  settle(jobId: string, attempt: number, ending: Ending): Promise<unknown>;
};

export type ResultDeliveryDeps = {
  readonly agenda: Agenda;
  readonly claims: Claims;
  readonly send: Send;
  /** The bytes of a result. Rejects if they are gone. */
  readonly read: (blobId: string) => Promise<Readable>;
  readonly typeOf: (format: string) => string;
  readonly schedule: Schedule;
  readonly log: Log;
};

/** The returned function takes every record of a job, any number of times. */
export function createResultDeliveries(deps: ResultDeliveryDeps): (jobId: string, record: JobRecord | undefined) => void {
  return (jobId, record) => deps.agenda.put(`result.${jobId}`, record === undefined ? undefined : taskOf(deps, jobId, record));
}

function taskOf(deps: ResultDeliveryDeps, jobId: string, { job, deleted, deliverTo, deliveryClaimedUntil }: JobRecord): Task | undefined {
  const { delivery } = job ?? {};
  if (deleted || job?.state !== JobState.DONE || delivery?.state !== ResultDelivery_State.PENDING) return undefined;
  const moments = [delivery.nextAttemptAt, deliveryClaimedUntil].flatMap((at) => (at === undefined ? [] : [timestampMs(at)]));
  return { atMs: Math.max(0, ...moments), host: () => hostOf(deliverTo), run: (signal) => attempt(deps, jobId, signal) };
}

async function attempt(deps: ResultDeliveryDeps, jobId: string, signal: AbortSignal): Promise<void> {
  const { claims, schedule, log } = deps;
  const claim = await claims.claim(jobId, 0, claimMs);
  if (claim === undefined) return;
  const { attempt: number } = claim;
  using over = following(signal);
  using _renewal = setInterval(() => {
    claims.claim(jobId, number, claimMs).then(
      (kept) => kept ?? over.abort(),
      () => undefined,
    );
  }, renewMs);
  const outcome = await sent(deps, claim, over.signal);
  // This process cancelled the attempt, not the receiver. It is repeated when the claim expires.
  if (over.signal.aborted && outcome.status === undefined) return;
  const ending = endingOf(outcome, schedule.nextMs(number));
  await claims.settle(jobId, number, ending);
  // Never log the address: whoever reads it can write there.
  log.debug("webhook.result_sent", { job: jobId, attempt: number, status: ending.status, failure: ending.failure });
}

async function sent({ read, typeOf, send }: ResultDeliveryDeps, { deliverTo, job }: DeliveryClaim, signal: AbortSignal): Promise<Outcome> {
  if (job?.result === undefined) return { error: resultGone };
  const { id, sizeBytes } = job.result;
  const body = await read(id).catch(() => undefined);
  if (body === undefined) return { error: resultGone };
  const headers = {
    "content-type": typeOf(job.resultFormat === "" ? job.to : job.resultFormat),
    "user-agent": "Filemill",
    // Azure Blob Storage requires this header for a PUT. Other stores ignore it.
    "x-ms-blob-type": "BlockBlob",
  };
  const outcome = await send({ method: "PUT", url: deliverTo, headers, body, bytes: Number(sizeBytes) }, signal);
  body.destroy();
  return outcome;
}

const resultGone = "the result is gone";

/** @param retryInMs - Defined while attempts are left. */
function endingOf({ status, error }: Outcome, retryInMs: number | undefined): Ending {
  const again = retryInMs === undefined ? {} : { retryInMs };
  if (status !== undefined) {
    if (status >= 200 && status < 300) return { status, failure: ResultDelivery_Failure.UNSPECIFIED };
    return { status, failure: ResultDelivery_Failure.DELIVERY_REFUSED, ...(mayChange(status) ? again : {}) };
  }
  if (error === resultGone) return { failure: ResultDelivery_Failure.RESULT_EXPIRED };
  if (error === addressNotAllowed || error === notPublic) return { failure: ResultDelivery_Failure.ADDRESS_NOT_ALLOWED };
  const { DELIVERY_TIMEOUT, DELIVERY_UNREACHABLE } = ResultDelivery_Failure;
  return { failure: error === noAnswerInTime ? DELIVERY_TIMEOUT : DELIVERY_UNREACHABLE, ...again };
}

/** Problems of the server itself are temporary. What it says about the address, for example that its signature has expired, is final. */
function mayChange(status: number): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}
