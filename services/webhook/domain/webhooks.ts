/** Operations on webhooks, as their owners see them. */
import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { ulid } from "ulid";
import { FilemillError } from "#contract/errors.ts";
import {
  EventType,
  type SigningSecret,
  type Webhook,
  type WebhookRecord,
  WebhookRecordSchema,
  WebhookState,
} from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { Store } from "./ports.ts";
import { parseReceiverUrl, type ReceiverRules } from "./receiver-url.ts";

const maxWebhooks = 20;
const maxDescription = 100;
const overlapMs = 24 * 3600 * 1000;
const allEvents: readonly EventType[] = [EventType.JOB_DONE, EventType.JOB_FAILED];

export type Wish = { readonly url?: string | undefined; readonly events: readonly EventType[]; readonly description?: string | undefined };
export type Change = Wish & { readonly enabled?: boolean | undefined; readonly rotateSecret: boolean };

type Owner = { readonly accountId: string };
type Ref = Owner & { readonly webhookId: string };

/** @throws FilemillError BAD_REQUEST */
export async function createWebhook(
  store: Store,
  rules: ReceiverRules,
  { accountId, apiUrl, ...wish }: Owner & Wish & { readonly apiUrl: string },
  nowMs: number,
) {
  if (store.webhooksOf(accountId).length >= maxWebhooks) {
    throw new FilemillError("BAD_REQUEST", `An account has at most ${maxWebhooks} webhooks; delete one first.`);
  }
  const id = `wh_${ulid(nowMs).toLowerCase()}`;
  const now = timestampFromMs(nowMs);
  const secret = newSecret();
  const record = create(WebhookRecordSchema, {
    webhook: {
      id,
      accountId,
      url: parseReceiverUrl(wish.url ?? "", rules, "webhook"),
      events: parseEvents(wish.events),
      description: parseDescription(wish.description ?? ""),
      state: WebhookState.ENABLED,
      createdAt: now,
      since: now,
      apiUrl,
    },
    secrets: [{ secret }],
  });
  await store.createWebhook(id, record);
  return { webhook: record.webhook, secret };
}

/** @throws FilemillError WEBHOOK_NOT_FOUND, also for a webhook of another account */
export function ownWebhook(store: Store, { accountId, webhookId }: Ref): Webhook {
  const webhook = store.webhook(webhookId)?.webhook;
  if (webhook?.accountId === accountId) return webhook;
  throw notFound();
}

/** @throws FilemillError WEBHOOK_NOT_FOUND, BAD_REQUEST */
export async function updateWebhook(store: Store, rules: ReceiverRules, { accountId, webhookId, ...change }: Ref & Change, nowMs: number) {
  ownWebhook(store, { accountId, webhookId });
  const url = change.url === undefined ? undefined : parseReceiverUrl(change.url, rules, "webhook");
  const description = change.description === undefined ? undefined : parseDescription(change.description);
  const events = change.events.length === 0 ? undefined : parseEvents(change.events);
  const secret = change.rotateSecret ? newSecret() : "";
  const changed = await store.changeWebhook(webhookId, (record) => {
    if (record.webhook === undefined) return record;
    const webhook = { ...record.webhook };
    if (url !== undefined) webhook.url = url;
    if (description !== undefined) webhook.description = description;
    if (events !== undefined) webhook.events = events;
    if (change.enabled === false) webhook.state = WebhookState.DISABLED;
    if (change.enabled === true && webhook.state !== WebhookState.ENABLED) {
      webhook.state = WebhookState.ENABLED;
      webhook.since = timestampFromMs(nowMs);
    }
    return create(WebhookRecordSchema, { webhook, secrets: secret === "" ? record.secrets : rotated(record, secret, nowMs) });
  });
  if (changed?.webhook === undefined) throw notFound();
  return { webhook: changed.webhook, secret };
}

/** Removes the deliveries first, so that the call can be repeated after a crash in between. @throws FilemillError WEBHOOK_NOT_FOUND */
export async function deleteWebhook(store: Store, ref: Ref): Promise<void> {
  ownWebhook(store, ref);
  await removeWithDeliveries(store, ref.webhookId);
}

export async function deleteWebhooksOf(store: Store, accountId: string): Promise<void> {
  for (const { id } of store.webhooksOf(accountId)) await removeWithDeliveries(store, id);
}

async function removeWithDeliveries(store: Store, webhookId: string): Promise<void> {
  for (const { delivery } of store.deliveriesOf(webhookId)) if (delivery !== undefined) await store.removeDelivery(webhookId, delivery.id);
  await store.removeWebhook(webhookId);
}

/** The currently valid signing secrets, newest first. */
export function signingSecrets({ secrets }: WebhookRecord, nowMs: number): string[] {
  return secrets
    .filter(({ until }) => until === undefined || timestampMs(until) > nowMs)
    .sort((a, b) => Number(a.until !== undefined) - Number(b.until !== undefined))
    .map(({ secret }) => secret);
}

function rotated(record: WebhookRecord, secret: string, nowMs: number): Pick<SigningSecret, "secret" | "until">[] {
  const until = timestampFromMs(nowMs + overlapMs);
  const [present] = signingSecrets(record, nowMs);
  return present === undefined ? [{ secret }] : [{ secret }, { secret: present, until }];
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

function parseEvents(events: readonly EventType[]): EventType[] {
  const chosen = events.length === 0 ? [...allEvents] : [...new Set(events)];
  if (chosen.every((event) => allEvents.includes(event))) return chosen;
  throw new FilemillError("BAD_REQUEST", "The events are job.done and job.failed.", { details: { field: "events" } });
}

function parseDescription(text: string): string {
  if (text.length <= maxDescription && !/\p{Cc}/u.test(text)) return text;
  throw new FilemillError("BAD_REQUEST", `The description has at most ${maxDescription} characters and no control characters.`, {
    details: { field: "description" },
  });
}

export function notFound(): FilemillError {
  return new FilemillError("WEBHOOK_NOT_FOUND", "There is no such webhook or delivery.");
}
