import type { Settings } from "#kit/settings.ts";

/** The settings that the webhook service reads. */
export type WebhookSettings = Pick<Settings, "WEBHOOK_PRIVATE_ADDRESSES" | "WEBHOOK_PORTS" | "WEBHOOK_RETRY_SECONDS">;
