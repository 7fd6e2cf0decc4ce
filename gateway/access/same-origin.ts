import type { FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";

/**
 * Refuses with CROSS_SITE_REQUEST requests that another site may have triggered in a browser. Browsers state the origin of a request
 * (Sec-Fetch-Site, Origin). In addition, a page can send the header X-Filemill to another origin only after a CORS preflight, which is
 * never granted. The header alone decides for old browsers and programs, which state no origin.
 *
 * @param baseUrl - The URL that people use.
 */
export function checkSameOrigin(request: FastifyRequest, baseUrl: string): void {
  const { headers } = request;
  const site = headers["sec-fetch-site"];
  const fromElsewhere = site !== undefined && site !== "same-origin";
  const otherOrigin = headers.origin !== undefined && hostOf(headers.origin) !== hostOf(baseUrl);
  if (fromElsewhere || otherOrigin || headers["x-filemill"] !== "1")
    throw new FilemillError("CROSS_SITE_REQUEST", "Send this request from Filemill's own pages, with the header `X-Filemill: 1`.");
}

/** Ignores the scheme, because PUBLIC_URL may be unset behind a proxy that terminates HTTPS. */
function hostOf(url: string): string | undefined {
  try {
    return new URL(url).host;
  } catch {
    return undefined;
  }
}
