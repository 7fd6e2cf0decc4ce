import type { FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";

/**
 * Refuses with CROSS_SITE_REQUEST what another site may have made a browser send. A browser tells where a request comes
 * from (Sec-Fetch-Site, Origin), and no page can send the header X-Filemill to another origin without being asked first
 * (CORS), which is never granted. Where the browser tells nothing, as old ones and programs do, the header decides.
 *
 * @param baseUrl - Of the address that people use.
 */
export function checkSameOrigin(request: FastifyRequest, baseUrl: string): void {
  const { headers } = request;
  const site = headers["sec-fetch-site"];
  const fromElsewhere = site !== undefined && site !== "same-origin";
  const otherOrigin = headers.origin !== undefined && hostOf(headers.origin) !== hostOf(baseUrl);
  if (fromElsewhere || otherOrigin || headers["x-filemill"] !== "1")
    throw new FilemillError("CROSS_SITE_REQUEST", "Send this request from Filemill's own pages, with the header `X-Filemill: 1`.");
}

/** The scheme is left out: behind a proxy that speaks HTTPS, PUBLIC_URL may be unset. */
function hostOf(url: string): string | undefined {
  try {
    return new URL(url).host;
  } catch {
    return undefined;
  }
}
