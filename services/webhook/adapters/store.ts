/**
 * Webhooks and deliveries in two key-value buckets, with a copy of everything in memory, kept current by watches.
 *
 *   webhooks     <webhook id>                   WebhookRecord
 *   deliveries   <webhook id>.<delivery id>     DeliveryRecord, for seven days after its last change
 */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { type DeliveryRecord, DeliveryRecordSchema, type WebhookRecord, WebhookRecordSchema } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import { changeEntry, createMemory } from "#kit/nats/entries.ts";
import { type Broker, type Bucket, type Entry, RevisionConflict } from "#kit/nats/ports.ts";
import { deliveryIdOf } from "../domain/delivery.ts";
import { keepDeliveriesMs } from "../domain/dispatcher.ts";
import type { DeliveryListener, Store } from "../domain/ports.ts";

/** Resolves when the stored records are loaded. */
export async function openStore(broker: Broker): Promise<Store & AsyncDisposable> {
  const webhookBucket = await broker.bucket<WebhookRecord>("webhooks", {
    encode: (record) => toBinary(WebhookRecordSchema, record),
    decode: (bytes) => fromBinary(WebhookRecordSchema, bytes),
  });
  const codec = {
    encode: (record: DeliveryRecord) => toBinary(DeliveryRecordSchema, record),
    decode: (bytes: Uint8Array) => fromBinary(DeliveryRecordSchema, bytes),
  };
  const deliveryBucket = await broker.bucket<DeliveryRecord>("deliveries", codec, { ttlMs: keepDeliveriesMs });
  const webhooks = createMemory<WebhookRecord>();
  const deliveries = createMemory<DeliveryRecord>();
  const listeners: DeliveryListener[] = [];
  const applyDelivery = (key: string, entry: Entry<DeliveryRecord> | undefined): void => {
    if (deliveries.apply(key, entry)) for (const listener of listeners) tell(listener, key, entry);
  };

  await using stack = new AsyncDisposableStack();
  stack.use(await webhookBucket.watch((key, entry) => void webhooks.apply(key, entry), webhooks.isKnown));
  stack.use(await deliveryBucket.watch(applyDelivery, deliveries.isKnown));
  const owned = stack.move();
  return {
    ...webhooksIn(webhookBucket, webhooks),
    ...deliveriesIn(deliveryBucket, deliveries, applyDelivery),
    onDelivery(listener) {
      listeners.push(listener);
      for (const [key] of deliveries.entries()) tell(listener, key, deliveries.entry(key));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

type WebhookPart = Pick<Store, "webhook" | "webhooksOf" | "createWebhook" | "changeWebhook" | "removeWebhook">;

function webhooksIn(bucket: Bucket<WebhookRecord>, table: Table<WebhookRecord>): WebhookPart {
  return {
    webhook: (id) => table.get(id),
    webhooksOf: (accountId) =>
      table
        .entries()
        .flatMap(([, { webhook }]) => (webhook?.accountId === accountId ? [webhook] : []))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    async createWebhook(id, value) {
      table.apply(id, { key: id, value, revision: await bucket.create(id, value) });
    },
    async changeWebhook(id, change) {
      const entry = await changeEntry(bucket, id, change);
      if (entry !== undefined) table.apply(id, entry);
      return entry?.value;
    },
    async removeWebhook(id) {
      await bucket.remove(id);
      table.apply(id, undefined);
    },
  };
}

type DeliveryPart = Pick<Store, "delivery" | "deliveryOfJob" | "deliveriesOf" | "createDelivery" | "updateDelivery" | "removeDelivery">;

function deliveriesIn(
  bucket: Bucket<DeliveryRecord>,
  table: Table<DeliveryRecord>,
  apply: (key: string, entry: Entry<DeliveryRecord> | undefined) => void,
): DeliveryPart {
  const keyOf = (webhookId: string, id: string): string => `${webhookId}.${id}`;
  return {
    delivery: (webhookId, id) => table.entry(keyOf(webhookId, id)),
    deliveryOfJob: (webhookId, jobId) => table.entry(keyOf(webhookId, deliveryIdOf(webhookId, jobId))),
    deliveriesOf: (webhookId) =>
      table
        .entries()
        .filter(([key]) => key.startsWith(`${webhookId}.`))
        .map(([, value]) => value),
    async createDelivery(value) {
      const key = keyOf(value.delivery?.webhookId ?? "", value.delivery?.id ?? "");
      try {
        apply(key, { key, value, revision: await bucket.create(key, value) });
        return true;
      } catch (error) {
        if (error instanceof RevisionConflict) return false;
        throw error;
      }
    },
    async updateDelivery({ key, revision }, value) {
      try {
        const entry = { key, value, revision: await bucket.update(key, value, revision) };
        apply(key, entry);
        return entry;
      } catch (error) {
        if (error instanceof RevisionConflict) return undefined;
        throw error;
      }
    },
    async removeDelivery(webhookId, id) {
      await bucket.remove(keyOf(webhookId, id));
      apply(keyOf(webhookId, id), undefined);
    },
  };
}

function tell(listener: DeliveryListener, key: string, entry: Entry<DeliveryRecord> | undefined): void {
  const [webhookId = "", id = ""] = key.split(".");
  listener(webhookId, id, entry);
}

type Table<T> = ReturnType<typeof createMemory<T>>;
