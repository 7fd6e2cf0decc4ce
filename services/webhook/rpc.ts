import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Delivery, WebhookService } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import { replayed } from "./domain/delivery.ts";
import type { Store } from "./domain/ports.ts";
import { parseReceiverUrl, type ReceiverRules } from "./domain/receiver-url.ts";
import { createWebhook, deleteWebhook, deleteWebhooksOf, notFound, ownWebhook, updateWebhook } from "./domain/webhooks.ts";

const defaultLimit = 20;
const maxLimit = 100;

/** `store` throws UNAVAILABLE until the service has started. */
export function createWebhookRpc(store: () => Store, rules: ReceiverRules): ServiceImpl<typeof WebhookService> {
  return {
    createWebhook: (request) => createWebhook(store(), rules, request, Date.now()),
    listWebhooks: ({ accountId }) => ({ webhooks: [...store().webhooksOf(accountId)] }),
    updateWebhook: (request) => updateWebhook(store(), rules, request, Date.now()),
    async deleteWebhook(request) {
      await deleteWebhook(store(), request);
      return {};
    },
    listDeliveries(request) {
      ownWebhook(store(), request);
      const all = store().deliveriesOf(request.webhookId);
      const limit = Math.min(request.limit === 0 ? defaultLimit : request.limit, maxLimit);
      return {
        deliveries: all
          .flatMap(({ delivery }) => delivery ?? [])
          .sort(newestFirst)
          .slice(0, limit),
      };
    },
    async replayDelivery(request) {
      ownWebhook(store(), request);
      for (;;) {
        const entry = store().delivery(request.webhookId, request.deliveryId);
        if (entry === undefined) throw notFound();
        const next = await store().updateDelivery(entry, replayed(entry.value, Date.now()));
        if (next?.value.delivery !== undefined) return { delivery: next.value.delivery };
      }
    },
    checkReceiver: ({ url }) => ({ url: parseReceiverUrl(url, rules, "delivery") }),
    async deleteAccountWebhooks({ accountId }) {
      await deleteWebhooksOf(store(), accountId);
      return {};
    },
  };
}

function newestFirst(a: Delivery, b: Delivery): number {
  const at = ({ createdAt }: Delivery): number => (createdAt === undefined ? 0 : timestampMs(createdAt));
  return at(b) - at(a);
}
