import { isIP } from "node:net";

/** A name or address of this host alone. IPv6 addresses may have the brackets of a URL. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  return bare === "localhost" || bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."));
}
