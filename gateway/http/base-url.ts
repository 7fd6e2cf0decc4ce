import { FilemillError } from "#contract/errors.ts";

const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/**
 * Prefix of absolute URLs in answers: PUBLIC_URL, or the address that the client used. Forwarding headers are ignored, because anybody can
 * send them. Behind a proxy, PUBLIC_URL must be set.
 */
export function baseUrlOf(publicUrl: string | undefined, hosts: readonly string[] | undefined): string {
  if (publicUrl !== undefined) return publicUrl;
  const [host, ...others] = hosts ?? [];
  if (host === undefined || others.length > 0 || !HOST.test(host))
    throw new FilemillError("BAD_REQUEST", "The Host header is missing or malformed.");
  return `http://${host}`;
}
