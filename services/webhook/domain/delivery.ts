/**
 * The life cycle of a delivery. Each arrow is one compare-and-set of its record.
 *
 *   pending ──claim──► pending, claimed ──2xx──► delivered ──replay──► pending
 *      ▲                    │  └──no attempt left, or 410──► failed ──replay──► pending
 *      └───── not 2xx ──────┘
 *
 * If a process dies while it holds a claim, the delivery is retried when the claim expires. A message may therefore arrive twice, with the
 * same id, but is never lost.
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

/** Longer than any attempt takes. */
const claimMs = 60_000;

/** One id per webhook and ended job, whichever process creates the delivery and however often. */
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

/** When the delivery needs attention. Undefined: it has ended. */
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

/** Due again now, with all its attempts. */
export function replayed(record: DeliveryRecord, nowMs: number): DeliveryRecord {
  const { delivery } = record;
  if (delivery === undefined) return record;
  return create(DeliveryRecordSchema, {
    job: record.job,
    delivery: { ...delivery, attempts: 0, state: DeliveryState.PENDING, nextAttemptAt: timestampFromMs(nowMs) },
  });
}

/** Ended without an attempt because its webhook is gone or disabled. */
export function given(record: DeliveryRecord): DeliveryRecord {
  const { delivery } = record;
  if (delivery === undefined) return record;
  const { nextAttemptAt: _next, ...rest } = delivery;
  return create(DeliveryRecordSchema, {
    job: record.job,
    delivery: { ...rest, state: DeliveryState.FAILED, lastError: "the webhook is disabled" },
  });
}
