/** Webhooks and deliveries as JSON of the REST API. */
import { instantOf } from "#contract/job-json.ts";
import { type Delivery, DeliveryState, EventType, type Webhook, WebhookState } from "#gen/filemill/webhook/v1/webhook_pb.ts";

/** The API's names for events. */
export const eventTypes = { "job.done": EventType.JOB_DONE, "job.failed": EventType.JOB_FAILED } as const;
export type EventName = keyof typeof eventTypes;

export const webhookStates = {
  enabled: WebhookState.ENABLED,
  disabled: WebhookState.DISABLED,
  gone: WebhookState.GONE,
} as const;

export const deliveryStates = {
  pending: DeliveryState.PENDING,
  delivered: DeliveryState.DELIVERED,
  failed: DeliveryState.FAILED,
} as const;

export function webhookJsonOf({ id, url, events, description, state, createdAt }: Webhook) {
  return {
    id,
    url,
    events: events.map((event) => wordOf(eventTypes, event)),
    description,
    state: wordOf(webhookStates, state),
    createdAt: instantOf(createdAt),
  };
}

export function deliveryJsonOf(delivery: Delivery) {
  return {
    id: delivery.id,
    event: wordOf(eventTypes, delivery.event),
    jobId: delivery.jobId,
    state: wordOf(deliveryStates, delivery.state),
    attempts: delivery.attempts,
    lastStatus: delivery.lastStatus ?? null,
    lastError: delivery.lastError === "" ? null : delivery.lastError,
    createdAt: instantOf(delivery.createdAt),
    lastAttemptAt: instantOf(delivery.lastAttemptAt),
    nextAttemptAt: instantOf(delivery.nextAttemptAt),
  };
}

function wordOf(words: Readonly<Record<string, number>>, value: number): string {
  const word = Object.keys(words).find((key) => words[key] === value);
  if (word === undefined) throw new RangeError(`no word for ${value}`);
  return word;
}
