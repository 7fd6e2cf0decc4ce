import ipaddr from "ipaddr.js";
import { FilemillError } from "#contract/errors.ts";
import type { PortRange } from "#kit/config.ts";
import { isPublicAddress } from "#kit/public-address.ts";

const maxLength = 2000;

/** Which receivers may be called. */
export type ReceiverRules = {
  /** Also http, and addresses of this network. */
  readonly allowPrivate: boolean;
  /** Beside the scheme's own port. */
  readonly ports: readonly PortRange[];
};

/**
 * The address of a receiver as it is stored and called. A name is resolved at each attempt, and what it resolves to is checked then.
 *
 * @throws FilemillError BAD_REQUEST (`details.field` = `url`)
 */
export function parseReceiverUrl(text: string, { allowPrivate, ports }: ReceiverRules): string {
  const url = text.length > maxLength ? null : URL.parse(text);
  if (url === null) throw refused(`an absolute URL of up to ${maxLength} characters`);
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) throw refused("an https URL");
  if (url.username !== "" || url.password !== "") throw refused("a URL without user and password");
  // The URL parser has brought every notation of an IPv4 address into the one with four decimal numbers.
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (!allowPrivate && ipaddr.isValid(literal) && !isPublicAddress(literal)) throw refused("a public address");
  // Empty for the scheme's own, 443 or 80.
  const port = Number(url.port);
  if (url.port !== "" && !ports.some(({ first, last }) => first <= port && port <= last)) {
    throw refused("on the port of its scheme, or on one that the operator allows");
  }
  url.hash = "";
  return url.href;
}

function refused(wanted: string): FilemillError {
  return new FilemillError("BAD_REQUEST", `The webhook's url must be ${wanted}.`, { details: { field: "url" } });
}
