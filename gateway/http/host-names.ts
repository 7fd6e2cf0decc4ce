/** By which names a server may be called. */
import { FilemillError } from "#contract/errors.ts";
import { isLoopback } from "#kit/loopback.ts";
import type { Settings } from "#kit/settings.ts";
import { baseUrlOf } from "./base-url.ts";

export type HostSettings = Pick<Settings, "HOST" | "PUBLIC_URL" | "ALLOWED_HOSTS">;

/**
 * What refuses a request by another name. A page of a browser on this host, or in this network, may lead its own name here by DNS, and would
 * be of the same origin. Where the server listens on loopback its names are known: that of this host, of PUBLIC_URL and those in ALLOWED_HOSTS.
 * Elsewhere every name is taken unless ALLOWED_HOSTS tells which there are.
 */
export function createHostCheck({ HOST, PUBLIC_URL, ALLOWED_HOSTS }: HostSettings): (hosts: readonly string[] | undefined) => void {
  if (!isLoopback(HOST) && ALLOWED_HOSTS === undefined) return () => undefined;
  const listed = [...(ALLOWED_HOSTS?.split(",").map((host) => `http://${host}`) ?? []), ...(PUBLIC_URL === undefined ? [] : [PUBLIC_URL])];
  const names = new Set(listed.map(nameOf));
  return (hosts) => {
    // HTTP/1.0, which no browser speaks.
    if (hosts === undefined) return;
    const name = nameOf(baseUrlOf(undefined, hosts));
    if (isLoopback(name) || names.has(name)) return;
    throw new FilemillError("BAD_REQUEST", "This server does not answer to that host name; its operator can add it to ALLOWED_HOSTS.");
  };
}

/** Without the port: behind a mapped port, the server does not know its own. */
function nameOf(url: string): string {
  return (URL.parse(url)?.hostname ?? "").replace(/\.$/, "");
}
