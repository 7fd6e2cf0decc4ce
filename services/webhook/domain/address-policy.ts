import ipaddr from "ipaddr.js";

/**
 * Is this an address of the public internet? A receiver's address is written by a stranger, and a request from here could reach what
 * only this network can: loopback, private, link-local (a cloud's metadata), shared, multicast, and IPv6 that wraps any of those.
 *
 * @see IANA IPv4 and IPv6 special-purpose address registries (RFC 6890)
 */
export function isPublicAddress(address: string): boolean {
  try {
    const parsed = ipaddr.parse(address);
    // Wrapped IPv4 (mapped, NAT64, 6to4, Teredo) is not told apart by what it wraps: nobody public needs it.
    return parsed.range() === "unicast";
  } catch {
    return false;
  }
}
