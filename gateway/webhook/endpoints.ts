/** Webhooks of an account, for programs with a key and for the pages. */
import { type Answer, defineEndpoints, type Parameter, ref, type Schema } from "#gateway/exchange/endpoint.ts";
import { eventTypes } from "./views.ts";

const idOf = (what: string): Parameter => ({
  name: "id",
  in: "path",
  required: true,
  description: `The ${what}'s id.`,
  schema: { type: "string" },
});
const webhookId = idOf("webhook");
const deliveryId: Parameter = { ...idOf("delivery"), name: "deliveryId" };

const members: Readonly<Record<string, Schema>> = {
  url: {
    type: "string",
    maxLength: 2000,
    description: "Where messages are sent: a public https URL.",
    examples: ["https://hooks.example.org/filemill"],
  },
  events: { type: "array", minItems: 1, uniqueItems: true, items: { enum: Object.keys(eventTypes) }, description: "Default: all." },
  description: { type: "string", maxLength: 100, description: "For people.", examples: ["the shop"] },
};

const answer = (description: string, schema: string): Answer => ({ description, mediaType: "application/json", schema: ref(schema) });
const own = { access: "read", scope: "convert", forPages: true } as const;
const unknown = ["WEBHOOK_NOT_FOUND"] as const;

export const webhookEndpoints = defineEndpoints({
  listWebhooks: {
    ...own,
    ...{ method: "GET", path: "/api/v1/webhooks", summary: "List the account's webhooks", head: true },
    ...{ answers: { 200: answer("The webhooks, oldest first.", "WebhookList") }, errors: [] },
  },
  createWebhook: {
    ...own,
    ...{ method: "POST", path: "/api/v1/webhooks", summary: "Create a webhook that notifies your server when a job ends" },
    description:
      "Messages are signed as Standard Webhooks 1.0 defines (`webhook-id`, `webhook-timestamp`, `webhook-signature`). A message without a 2xx answer is retried with growing delays for several days; 410 disables the webhook. A message can arrive twice, with the same `webhook-id`.",
    body: {
      mediaType: "application/json",
      schema: { type: "object", additionalProperties: false, required: ["url"], properties: members },
    },
    answers: { 201: answer("The webhook and its secret, which is shown only once.", "NewWebhook") },
    errors: [],
  },
  updateWebhook: {
    ...own,
    ...{ method: "PATCH", path: "/api/v1/webhooks/{id}", summary: "Change a webhook, enable or disable it, or rotate its secret" },
    parameters: [webhookId],
    body: {
      mediaType: "application/json",
      schema: {
        type: "object",
        additionalProperties: false,
        properties: {
          ...members,
          enabled: { type: "boolean", description: "false: nothing is sent. true: events from now on are sent." },
          rotateSecret: {
            type: "boolean",
            description: "true: creates a new secret, shown in the answer; the old one stays valid for 24 hours.",
          },
        },
      },
    },
    answers: { 200: answer("The webhook, with a new secret if one was requested.", "NewWebhook") },
    errors: unknown,
  },
  deleteWebhook: {
    ...own,
    ...{ method: "DELETE", path: "/api/v1/webhooks/{id}", summary: "Delete a webhook and its deliveries", parameters: [webhookId] },
    ...{ answers: { 204: { description: "Gone." } }, errors: unknown },
  },
  listDeliveries: {
    ...own,
    ...{ method: "GET", path: "/api/v1/webhooks/{id}/deliveries", summary: "List a webhook's deliveries of the last 7 days", head: true },
    ...{ parameters: [webhookId], answers: { 200: answer("At most 100, newest first.", "DeliveryList") }, errors: unknown },
  },
  replayDelivery: {
    ...own,
    ...{ method: "POST", path: "/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay", summary: "Resend a message now" },
    ...{ parameters: [webhookId, deliveryId], answers: { 202: answer("The message is being sent.", "DeliveryAnswer") }, errors: unknown },
  },
});

export type WebhookEndpointId = keyof typeof webhookEndpoints;
