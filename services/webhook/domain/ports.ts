import type { Readable } from "node:stream";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import type { DeliveryRecord, Webhook, WebhookRecord } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { Entry } from "#kit/nats/ports.ts";

/** How an attempt ended: with a status, or with the reason why there was no response. */
export type Outcome = { readonly status: number; readonly error?: undefined } | { readonly status?: undefined; readonly error: string };

/** Errors that callers distinguish. Any other text names a connection problem. */
export const addressNotAllowed = "the address is not allowed";
export const noAnswerInTime = "no answer in time";

export type Sending = {
  readonly method: "POST" | "PUT";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
  /** Size of the body. */
  readonly bytes: number;
};

/** One HTTP request to a receiver. Never rejects, and has its own timeout. */
export type Send = (sending: Sending, signal: AbortSignal) => Promise<Outcome>;

/** The job as the REST API at `apiUrl` shows it. */
export type PublicJob = (job: Job, apiUrl: string) => object;

/** Undefined entry: the delivery was removed. */
export type DeliveryListener = (webhookId: string, id: string, entry: Entry<DeliveryRecord> | undefined) => void;

/** Stored records, including every change by this and other processes. Reads come from memory. */
export type Store = {
  webhook(id: string): WebhookRecord | undefined;
  /** Oldest first. */
  webhooksOf(accountId: string): readonly Webhook[];
  /** False if it exists already. */
  createWebhook(id: string, record: WebhookRecord): Promise<boolean>;
  /** `change` may run several times. Resolves with what was stored, or undefined if the webhook is gone. */
  changeWebhook(id: string, change: (record: WebhookRecord) => WebhookRecord): Promise<WebhookRecord | undefined>;
  removeWebhook(id: string): Promise<void>;

  /** Reports the existing deliveries, then each change by this or another process. */
  onDelivery(listener: DeliveryListener): void;
  delivery(webhookId: string, id: string): Entry<DeliveryRecord> | undefined;
  /** There is at most one. */
  deliveryOfJob(webhookId: string, jobId: string): Entry<DeliveryRecord> | undefined;
  deliveriesOf(webhookId: string): readonly DeliveryRecord[];
  /** False if it exists already. */
  createDelivery(record: DeliveryRecord): Promise<boolean>;
  /** Resolves with the new entry, or undefined if another process was faster. */
  updateDelivery(entry: Entry<DeliveryRecord>, next: DeliveryRecord): Promise<Entry<DeliveryRecord> | undefined>;
  removeDelivery(webhookId: string, id: string): Promise<void>;
};
