/**
 * Webhooks and deliveries in two key-value buckets, with a copy of everything in memory, kept current by watches.
 *
 *   webhooks     <webhook id>                   WebhookRecord
 *   deliveries   <webhook id>.<delivery id>     DeliveryRecord, for seven days after its last change
 */
import { type DeliveryRecord, DeliveryRecordSchema, WebhookRecordSchema } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { Broker, Entry } from "#kit/nats/ports.ts";
import { openTable } from "#kit/nats/table.ts";
import { deliveryIdOf } from "../domain/delivery.ts";
import { keepDeliveriesMs } from "../domain/dispatcher.ts";
import type { DeliveryListener, Store } from "../domain/ports.ts";

/** Resolves when the stored records are loaded. */
export async function openStore(broker: Broker): Promise<Store & AsyncDisposable> {
  const listeners: DeliveryListener[] = [];
  const webhooks = await openTable(broker, "webhooks", WebhookRecordSchema);
  const deliveries = await openTable(broker, "deliveries", DeliveryRecordSchema, {
    ttlMs: keepDeliveriesMs,
    onChange(key, entry) {
      for (const listener of listeners) tell(listener, key, entry);
    },
  });

  await using stack = new AsyncDisposableStack();
  stack.use(await webhooks.follow());
  stack.use(await deliveries.follow());
  const owned = stack.move();
  return {
    webhook: webhooks.get,
    webhooksOf: (accountId) =>
      webhooks
        .entries()
        .flatMap(([, { webhook }]) => (webhook?.accountId === accountId ? [webhook] : []))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    createWebhook: webhooks.create,
    changeWebhook: webhooks.change,
    removeWebhook: webhooks.remove,
    onDelivery(listener) {
      listeners.push(listener);
      for (const [key] of deliveries.entries()) tell(listener, key, deliveries.entry(key));
    },
    delivery: (webhookId, id) => deliveries.entry(keyOf(webhookId, id)),
    deliveryOfJob: (webhookId, jobId) => deliveries.entry(keyOf(webhookId, deliveryIdOf(webhookId, jobId))),
    deliveriesOf: (webhookId) =>
      deliveries
        .entries()
        .filter(([key]) => key.startsWith(`${webhookId}.`))
        .map(([, value]) => value),
    createDelivery: (value) => deliveries.create(keyOf(value.delivery?.webhookId ?? "", value.delivery?.id ?? ""), value),
    updateDelivery: deliveries.update,
    removeDelivery: (webhookId, id) => deliveries.remove(keyOf(webhookId, id)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const keyOf = (webhookId: string, id: string): string => `${webhookId}.${id}`;

function tell(listener: DeliveryListener, key: string, entry: Entry<DeliveryRecord> | undefined): void {
  const [webhookId = "", id = ""] = key.split(".");
  listener(webhookId, id, entry);
}
