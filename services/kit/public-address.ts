import type { lookup as resolveHost } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/** The only part of IPv6 that is routed on the internet (IANA IPv6 address space registry). */
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/**
 * Whether this is an address on the public internet. A receiver's address comes from a stranger, and a request from here could reach what
 * only this network can reach: loopback, private, link-local (a cloud's metadata), shared, multicast, and IPv6 that wraps any of those.
 * Wrapped IPv4 (mapped, compatible, NAT64, 6to4, Teredo) is refused whatever it wraps, because no public receiver needs it.
 *
 * @see IANA IPv4 and IPv6 special-purpose address registries (RFC 6890)
 */
export function isPublicAddress(address: string): boolean {
  // Only the notation that a resolver writes. Programs disagree about "010.0.0.1" and "127.1".
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || parsed.match(globalUnicast));
}

/** Error message of a connection that was refused because of its address. */
export const notPublic = "the address is not public";

/** For a connection: resolves a name, and fails unless all of its addresses are public, because any of them may be used. */
export function publicLookup(resolve: typeof resolveHost): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(new Error(notPublic), "");
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
