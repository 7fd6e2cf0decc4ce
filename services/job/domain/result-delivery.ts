/**
 * Delivery of a result to the address that its owner chose. It is stored in the job's record and ends with it. Each arrow is one
 * compare-and-set.
 *
 *   pending, job done ──claim──► pending, claimed ──arrived──► delivered
 *          ▲                         │  └──no attempt left, or none would help──► failed
 *          └──── to be tried again ──┘
 *
 * If a process dies while it holds a claim, the delivery is free again when the claim expires. A job that ends without a result ends its
 * delivery (state.ts).
 */
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { ClaimDeliveryRequest, DeliveryClaim, Job, SettleDeliveryRequest } from "#gen/filemill/job/v1/job_pb.ts";
import { JobState, ResultDelivery_Failure, ResultDelivery_State } from "#gen/filemill/job/v1/job_pb.ts";
import { isJobId } from "./job-id.ts";
import type { Core } from "./ports.ts";
import { delivering, type Record } from "./state.ts";

const maxClaimMs = 600_000;

type Claim = Omit<DeliveryClaim, "$typeName" | "job"> & { readonly job: Job };

/** Undefined if there is nothing to send, or if another process is sending it. */
export async function claimDelivery(core: Core, asked: Omit<ClaimDeliveryRequest, "$typeName">): Promise<Claim | undefined> {
  const { jobId, attempt } = asked;
  if (!isJobId(jobId)) return undefined;
  const change = await core.records.change(jobId, ({ record }) => {
    const { delivery, state } = record.job;
    const nowMs = core.clock.now();
    if (record.deleted || delivery?.state !== ResultDelivery_State.PENDING || state !== JobState.DONE) return undefined;
    const isFree = attempt === 0 ? !isClaimed(record, nowMs) : attempt === delivery.attempts;
    if (!isFree) return undefined;
    const next = { ...delivery, attempts: attempt === 0 ? delivery.attempts + 1 : attempt };
    return delivering(record, next, nowMs + Math.min(asked.claimMs, maxClaimMs));
  });
  if (!change.changed) return undefined;
  const { job, deliverTo } = change.after.record;
  return { attempt: job.delivery?.attempts ?? 0, deliverTo, job };
}

/** Ends an attempt if it is still in progress. */
export async function settleDelivery(core: Core, asked: Omit<SettleDeliveryRequest, "$typeName">): Promise<void> {
  const { jobId, attempt, status, failure, retryInMs } = asked;
  if (!isJobId(jobId)) return;
  await core.records.change(jobId, ({ record }) => {
    const { delivery } = record.job;
    const isOurs = delivery?.attempts === attempt && record.deliveryClaimedUntil !== undefined;
    if (record.deleted || delivery?.state !== ResultDelivery_State.PENDING || !isOurs) return undefined;
    const lastStatus = status === undefined ? {} : { lastStatus: status };
    if (failure === ResultDelivery_Failure.UNSPECIFIED) {
      return delivering(record, { state: ResultDelivery_State.DELIVERED, attempts: attempt, failure, ...lastStatus });
    }
    if (retryInMs === undefined)
      return delivering(record, { state: ResultDelivery_State.FAILED, attempts: attempt, failure, ...lastStatus });
    const nextAttemptAt = timestampFromMs(core.clock.now() + retryInMs);
    return delivering(record, { state: ResultDelivery_State.PENDING, attempts: attempt, failure, nextAttemptAt, ...lastStatus });
  });
}

function isClaimed({ deliveryClaimedUntil: until }: Record, nowMs: number): boolean {
  return until !== undefined && timestampMs(until) > nowMs;
}
