import type { Webhook } from "#client/server/wire.ts";

/** The dialog that is open, and for which webhook. */
export type Open = { readonly name: "create" } | { readonly name: "edit" | "renew" | "remove"; readonly webhook: Webhook } | undefined;

/** What its owner calls it, or where it goes. */
export function nameOf({ description, url }: Webhook): string {
  return description === "" ? new URL(url).host : description;
}
