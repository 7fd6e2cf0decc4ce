/**
 * A delivery's life. Each arrow is one compare-and-set of its record.
 *
 *   pending ──claim──► pending, claimed ──2xx──► delivered ──replay──► pending
 *      ▲                    │  └──no attempt left, or 410──► failed ──replay──► pending
 *      └───── not 2xx ──────┘
 *
 * Whoever dies while it holds a claim is given up when the claim is over: a message may come twice, with the same id, and is never lost.
 */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import {
  type DeliveryRecord,
  DeliveryRecordSchema,
  DeliverySchema,
  DeliveryState,
  type EventType,
} from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { Outcome } from "./ports.ts";
import type { Schedule } from "./schedule.ts";

/** Longer than an attempt can take. */
const claimMs = 60_000;

/** One id for a job's end at one webhook, whoever makes it and how often. */
export function deliveryIdOf(webhookId: string, jobId: string): string {
  return `msg_${webhookId.replace(/^wh_/, "")}_${jobId}`;
}

export function newDelivery(webhook: { readonly id: string; readonly accountId: string }, event: EventType, job: Job, nowMs: number) {
  const now = timestampFromMs(nowMs);
  const delivery = create(DeliverySchema, {
    id: deliveryIdOf(webhook.id, job.id),
    webhookId: webhook.id,
    accountId: webhook.accountId,
    event,
    jobId: job.id,
    state: DeliveryState.PENDING,
    createdAt: now,
    nextAttemptAt: now,
  });
  return create(DeliveryRecordSchema, { delivery, job });
}

/** When it is to be looked at; undefined: it has ended. */
export function dueMsOf({ delivery, claimedUntil }: DeliveryRecord): number | undefined {
  if (delivery?.state !== DeliveryState.PENDING || delivery.nextAttemptAt === undefined) return undefined;
  const dueMs = timestampMs(delivery.nextAttemptAt);
  return claimedUntil === undefined ? dueMs : Math.max(dueMs, timestampMs(claimedUntil));
}

export function claimed(record: DeliveryRecord, nowMs: number): DeliveryRecord {
  return { ...record, claimedUntil: timestampFromMs(nowMs + claimMs) };
}

export function settled(record: DeliveryRecord, outcome: Outcome, schedule: Schedule, nowMs: number): DeliveryRecord {
  const { delivery } = record;
  if (delivery === undefined) return record;
  const attempts = delivery.attempts + 1;
  const isDelivered = outcome.status !== undefined && outcome.status >= 200 && outcome.status < 300;
  const pauseMs = isDelivered || outcome.status === 410 ? undefined : schedule.nextMs(attempts);
  const ended = isDelivered ? DeliveryState.DELIVERED : DeliveryState.FAILED;
  const { lastStatus: _status, nextAttemptAt: _next, ...rest } = delivery;
  return create(DeliveryRecordSchema, {
    job: record.job,
    delivery: {
      ...rest,
      attempts,
      state: pauseMs === undefined ? ended : DeliveryState.PENDING,
      lastError: outcome.error ?? "",
      lastAttemptAt: timestampFromMs(nowMs),
      ...(outcome.status === undefined ? {} : { lastStatus: outcome.status }),
      ...(pauseMs === undefined ? {} : { nextAttemptAt: timestampFromMs(nowMs + pauseMs) }),
    },
  });
}

/** To be sent again now, all attempts before it. */
export function replayed(record: DeliveryRecord, nowMs: number): DeliveryRecord {
  const { delivery } = record;
  if (delivery === undefined) return record;
  return create(DeliveryRecordSchema, {
    job: record.job,
    delivery: { ...delivery, attempts: 0, state: DeliveryState.PENDING, nextAttemptAt: timestampFromMs(nowMs) },
  });
}

/** Ended without an attempt: its webhook is not there any more, or is disabled. */
export function given(record: DeliveryRecord): DeliveryRecord {
  const { delivery } = record;
  if (delivery === undefined) return record;
  const { nextAttemptAt: _next, ...rest } = delivery;
  return create(DeliveryRecordSchema, {
    job: record.job,
    delivery: { ...rest, state: DeliveryState.FAILED, lastError: "the webhook is disabled" },
  });
}
