import ipaddr from "ipaddr.js";
import { FilemillError } from "#contract/errors.ts";
import type { PortRange } from "#kit/config.ts";
import { isPublicAddress } from "#kit/public-address.ts";

/** Where an address comes from, its name there, and its maximum length. Signed URLs that contain a session token are long. */
export const receivers = {
  webhook: { field: "url", name: "The webhook's url", maxLength: 2000 },
  delivery: { field: "deliverTo", name: "deliverTo", maxLength: 8000 },
} as const;

/** Which receivers may be called. */
export type ReceiverRules = {
  /** Also allows http, and addresses in this network. */
  readonly allowPrivate: boolean;
  /** Allowed in addition to the scheme's default port. */
  readonly ports: readonly PortRange[];
};

/**
 * A receiver's address as it is stored and called. Host names are resolved, and the result checked, at each attempt.
 *
 * @throws FilemillError BAD_REQUEST (`details.field`)
 */
export function parseReceiverUrl(text: string, { allowPrivate, ports }: ReceiverRules, purpose: keyof typeof receivers): string {
  const { field, name, maxLength } = receivers[purpose];
  const refused = (wanted: string): FilemillError => new FilemillError("BAD_REQUEST", `${name} must be ${wanted}.`, { details: { field } });
  const url = text.length > maxLength ? null : URL.parse(text);
  if (url === null) throw refused(`an absolute URL of up to ${maxLength} characters`);
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) throw refused("an https URL");
  if (url.username !== "" || url.password !== "") throw refused("a URL without user and password");
  // The URL parser has already converted every notation of an IPv4 address to four decimal numbers.
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (!allowPrivate && ipaddr.isValid(literal) && !isPublicAddress(literal)) throw refused("a public address");
  // Empty for the scheme's default port, 443 or 80.
  const port = Number(url.port);
  if (url.port !== "" && !ports.some(({ first, last }) => first <= port && port <= last)) {
    throw refused("on the port of its scheme, or on one that the operator allows");
  }
  url.hash = "";
  return url.href;
}
