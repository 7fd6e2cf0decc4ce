import type { Webhook } from "#client/server/wire.ts";

/** The open dialog, and its webhook. */
export type Open = { readonly name: "create" } | { readonly name: "edit" | "renew" | "remove"; readonly webhook: Webhook } | undefined;

/** The webhook's description, or the host of its URL. */
export function nameOf({ description, url }: Webhook): string {
  return description === "" ? new URL(url).host : description;
}
