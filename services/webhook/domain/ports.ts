import type { Readable } from "node:stream";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import type { DeliveryRecord, Webhook, WebhookRecord } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { Entry } from "#kit/nats/ports.ts";

/** How an attempt ended: a status, or why there was no answer. */
export type Outcome = { readonly status: number; readonly error?: undefined } | { readonly status?: undefined; readonly error: string };

/** Errors of attempts that are told apart; others name what went wrong with the connection. */
export const addressNotAllowed = "the address is not allowed";
export const noAnswerInTime = "no answer in time";

export type Sending = {
  readonly method: "POST" | "PUT";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
  /** Of the body. */
  readonly bytes: number;
};

/** One HTTP request to a receiver. Never rejects; ends at its own time limit. */
export type Send = (sending: Sending, signal: AbortSignal) => Promise<Outcome>;

/** A job as the REST API at `apiUrl` shows it. */
export type PublicJob = (job: Job, apiUrl: string) => object;

/** Undefined entry: removed. */
export type DeliveryListener = (webhookId: string, id: string, entry: Entry<DeliveryRecord> | undefined) => void;

/** What is stored, with every change of this process and of others. Reads come from memory. */
export type Store = {
  webhook(id: string): WebhookRecord | undefined;
  /** Oldest first. */
  webhooksOf(accountId: string): readonly Webhook[];
  createWebhook(id: string, record: WebhookRecord): Promise<void>;
  /** `change` may be asked again; resolves with what was stored, undefined when it is gone. */
  changeWebhook(id: string, change: (record: WebhookRecord) => WebhookRecord): Promise<WebhookRecord | undefined>;
  removeWebhook(id: string): Promise<void>;

  /** Tells what is there, and then each change of this process or another. */
  onDelivery(listener: DeliveryListener): void;
  delivery(webhookId: string, id: string): Entry<DeliveryRecord> | undefined;
  /** There is one at most. */
  deliveryOfJob(webhookId: string, jobId: string): Entry<DeliveryRecord> | undefined;
  deliveriesOf(webhookId: string): readonly DeliveryRecord[];
  /** False when it exists already. */
  createDelivery(record: DeliveryRecord): Promise<boolean>;
  /** Resolves with the new entry; undefined when somebody else was faster. */
  updateDelivery(entry: Entry<DeliveryRecord>, next: DeliveryRecord): Promise<Entry<DeliveryRecord> | undefined>;
  removeDelivery(webhookId: string, id: string): Promise<void>;
};
