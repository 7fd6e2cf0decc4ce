/** Checks the host name that a request uses. */
import { FilemillError } from "#contract/errors.ts";
import { isLoopback } from "#kit/loopback.ts";
import type { Settings } from "#kit/settings.ts";
import { baseUrlOf } from "./base-url.ts";

export type HostSettings = Pick<Settings, "HOST" | "PUBLIC_URL" | "ALLOWED_HOSTS">;

/**
 * Refuses requests for unknown host names, which prevents DNS rebinding: a web page could point its own name at this server and would then
 * be of the same origin. If the server listens on loopback, its names are known: those of this host, of PUBLIC_URL and in ALLOWED_HOSTS.
 * Otherwise every name is accepted unless ALLOWED_HOSTS lists them.
 */
export function createHostCheck({ HOST, PUBLIC_URL, ALLOWED_HOSTS }: HostSettings): (hosts: readonly string[] | undefined) => void {
  if (!isLoopback(HOST) && ALLOWED_HOSTS === undefined) return () => undefined;
  const listed = [...(ALLOWED_HOSTS?.split(",").map((host) => `http://${host}`) ?? []), ...(PUBLIC_URL === undefined ? [] : [PUBLIC_URL])];
  const names = new Set(listed.map(nameOf));
  return (hosts) => {
    // HTTP/1.0, which no browser uses.
    if (hosts === undefined) return;
    const name = nameOf(baseUrlOf(undefined, hosts));
    if (isLoopback(name) || names.has(name)) return;
    throw new FilemillError("BAD_REQUEST", "This server does not answer to that host name; its operator can add it to ALLOWED_HOSTS.");
  };
}

/** Ignores the port, because the server does not know its public port if ports are mapped. */
function nameOf(url: string): string {
  return (URL.parse(url)?.hostname ?? "").replace(/\.$/, "");
}
