import type { FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import { callerOf, type Handler, requestBaseUrlOf, sendJson } from "#gateway/exchange/exchange.ts";
import type { Webhook } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { WebhookEndpointId } from "./endpoints.ts";
import { deliveryJsonOf, type EventName, eventTypes, webhookJsonOf } from "./views.ts";

const maxDeliveries = 100;

type Body = { url?: string; events?: EventName[]; description?: string; enabled?: boolean; rotateSecret?: boolean };

export const webhookHandlers: Readonly<Record<WebhookEndpointId, Handler>> = {
  async listWebhooks({ deps: { webhooks } }, request, reply) {
    const { webhooks: all } = await webhooks.listWebhooks({ accountId: ownerOf(request) });
    return sendJson(reply, 200, { webhooks: all.map(webhookJsonOf) });
  },
  async createWebhook(context, request, reply) {
    const { url = "", description = "", ...body } = request.body as Body;
    // Messages go to programs, so they contain API URLs even if the webhook was created on a page.
    const apiUrl = `${requestBaseUrlOf(context, request)}/api/v1`;
    const wish = { accountId: ownerOf(request), url, description, events: eventsOf(body), apiUrl };
    const { webhook, secret } = await context.deps.webhooks.createWebhook(wish);
    return sendJson(reply, 201, { webhook: shown(webhook), secret });
  },
  async updateWebhook({ deps: { webhooks } }, request, reply) {
    const { events: _, rotateSecret = false, ...changes } = request.body as Body;
    const { webhook, secret } = await webhooks.updateWebhook({
      ...{ ...changes, rotateSecret, accountId: ownerOf(request), webhookId: idsOf(request).id },
      events: eventsOf(request.body as Body),
    });
    return sendJson(reply, 200, { webhook: shown(webhook), secret: secret === "" ? null : secret });
  },
  async deleteWebhook({ deps: { webhooks } }, request, reply) {
    await webhooks.deleteWebhook({ accountId: ownerOf(request), webhookId: idsOf(request).id });
    return reply.code(204).send();
  },
  async listDeliveries({ deps: { webhooks } }, request, reply) {
    const asked = { accountId: ownerOf(request), webhookId: idsOf(request).id, limit: maxDeliveries };
    const { deliveries } = await webhooks.listDeliveries(asked);
    return sendJson(reply, 200, { deliveries: deliveries.map(deliveryJsonOf) });
  },
  async replayDelivery({ deps: { webhooks } }, request, reply) {
    const { id, deliveryId = "" } = idsOf(request);
    const { delivery } = await webhooks.replayDelivery({ accountId: ownerOf(request), webhookId: id, deliveryId });
    return sendJson(reply, 202, { delivery: delivery === undefined ? null : deliveryJsonOf(delivery) });
  },
};

/** Guests cannot own webhooks, because nothing of theirs outlives their cookie. */
function ownerOf(request: FastifyRequest): string {
  const { account, isGuest } = callerOf(request);
  if (isGuest === true) throw new FilemillError("SIGN_IN_REQUIRED", "Sign in first.");
  return account.id;
}

function idsOf(request: FastifyRequest): { id: string; deliveryId?: string } {
  return request.params as { id: string; deliveryId?: string };
}

function eventsOf({ events = [] }: Body) {
  return events.map((name) => eventTypes[name]);
}

function shown(webhook: Webhook | undefined) {
  return webhook === undefined ? null : webhookJsonOf(webhook);
}
