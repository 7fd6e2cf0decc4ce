/** Creates deliveries for ended jobs and sends those that are due. */

import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { type DeliveryRecord, EventType, WebhookRecordSchema, WebhookState } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { Log } from "#kit/log.ts";
import type { Entry } from "#kit/nats/ports.ts";
import { type Agenda, hostOf, type Task } from "./agenda.ts";
import { claimed, dueMsOf, given, newDelivery, settled } from "./delivery.ts";
import { messageOf } from "./message.ts";
import type { PublicJob, Send, Store } from "./ports.ts";
import type { Schedule } from "./schedule.ts";
import { signingSecrets } from "./webhooks.ts";

/** How long deliveries are kept. A job that ended earlier would be announced a second time. */
export const keepDeliveriesMs = 7 * 24 * 3600 * 1000;
const tellMs = keepDeliveriesMs - 12 * 3600 * 1000;

export type DispatcherDeps = {
  readonly store: Store;
  readonly agenda: Agenda;
  readonly send: Send;
  readonly schedule: Schedule;
  readonly publicJob: PublicJob;
  readonly log: Log;
  now(): number;
};

export type Dispatcher = {
  /** Called for every ended job, any number of times. `isNews`: the job ended just now, even if the clock has been set back since. */
  jobEnded(job: Job, isNews: boolean): void;
};

export function openDispatcher(deps: DispatcherDeps): Dispatcher {
  const { store, agenda, now } = deps;
  store.onDelivery((webhookId, id, entry) => {
    const atMs = entry === undefined ? undefined : dueMsOf(entry.value);
    const task = entry === undefined || atMs === undefined ? undefined : { atMs, ...sending(deps, entry) };
    agenda.put(`${webhookId}.${id}`, task);
  });
  return {
    jobEnded: (job, isNews) =>
      agenda.track("event", Promise.all(deliveriesFor(store, job, isNews, now()).map((record) => store.createDelivery(record)))),
  };
}

function sending(deps: DispatcherDeps, entry: Entry<DeliveryRecord>): Omit<Task, "atMs"> {
  return {
    host: () => hostOf(deps.store.webhook(entry.value.delivery?.webhookId ?? "")?.webhook?.url ?? ""),
    run: (signal) => attempt(deps, entry, signal),
  };
}

function deliveriesFor(store: Store, job: Job, isNews: boolean, nowMs: number): DeliveryRecord[] {
  const event = eventOf(job);
  const endedMs = job.finishedAt === undefined ? undefined : timestampMs(job.finishedAt);
  if (event === undefined || endedMs === undefined || nowMs - endedMs > tellMs) return [];
  return store
    .webhooksOf(job.accountId)
    .filter(({ state, events, since }) => {
      const sinceMs = since === undefined ? Number.POSITIVE_INFINITY : timestampMs(since);
      // The clock was set back after the webhook was created, so it cannot tell which came first.
      const isAfter = sinceMs <= endedMs || (isNews && sinceMs > nowMs);
      return state === WebhookState.ENABLED && events.includes(event) && isAfter;
    })
    .filter((webhook) => store.deliveryOfJob(webhook.id, job.id) === undefined)
    .map((webhook) => newDelivery(webhook, event, job, nowMs));
}

function eventOf({ state }: Job): EventType | undefined {
  if (state === JobState.DONE || state === JobState.EXPIRED) return EventType.JOB_DONE;
  return state === JobState.FAILED ? EventType.JOB_FAILED : undefined;
}

/** Claims, sends and records one attempt. Does nothing if another node was faster. */
async function attempt({ store, send, schedule, publicJob, now, log }: DispatcherDeps, entry: Entry<DeliveryRecord>, signal: AbortSignal) {
  const { delivery } = entry.value;
  if (delivery === undefined) return;
  const { webhookId, id } = delivery;
  const record = store.webhook(webhookId);
  if (record?.webhook === undefined) return store.removeDelivery(webhookId, id);
  if (record.webhook.state !== WebhookState.ENABLED) {
    await store.updateDelivery(entry, given(entry.value));
    return;
  }
  const { apiUrl } = record.webhook;
  const claim = await store.updateDelivery(entry, claimed(entry.value, now()));
  if (claim === undefined) return;
  const { headers, body } = messageOf(entry.value, signingSecrets(record, now()), (job) => publicJob(job, apiUrl), now());
  const outcome = await send({ method: "POST", url: record.webhook.url, headers, body, bytes: Buffer.byteLength(body) }, signal);
  // This process cancelled the attempt, not the receiver. It does not count and is repeated when the claim expires.
  if (signal.aborted && outcome.status === undefined) return;
  await store.updateDelivery(claim, settled(entry.value, outcome, schedule, now()));
  log.debug("webhook.attempt", { webhook: webhookId, delivery: id, status: outcome.status, error: outcome.error });
  if (outcome.status === 410) await store.changeWebhook(webhookId, gone);
}

function gone(record: Parameters<Parameters<Store["changeWebhook"]>[1]>[0]) {
  if (record.webhook === undefined) return record;
  return create(WebhookRecordSchema, { ...record, webhook: { ...record.webhook, state: WebhookState.GONE } });
}
