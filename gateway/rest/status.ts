import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import { type Handlers, sendJson } from "#gateway/exchange/exchange.ts";
import { isLoopback } from "#kit/loopback.ts";
import { notReady } from "#kit/readiness.ts";

export const statusHandlers = {
  /** GET /healthz: the process is alive. */
  async health(_context, _request, reply) {
    return sendJson(reply, 200, { alive: true });
  },
  /**
   * GET /readyz: conversions are accepted, or the names of the parts that prevent it. Engine versions are shown only to programs on this
   * host.
   */
  async ready(context, request, reply) {
    const readiness = context.draining.aborted ? notReady("draining") : await context.deps.readiness();
    const { unproven: _, ...forAll } = readiness;
    const told = isLocal(request) ? readiness : forAll;
    return sendJson(reply.headers(readiness.ready ? {} : { "retry-after": "1" }), readiness.ready ? 200 : 503, told);
  },
  /**
   * GET /metrics in Prometheus' text format, for programs on this host and for clients with METRICS_TOKEN. A request through a proxy is
   * refused even if the proxy is on this host; it is recognised by its forwarding headers.
   */
  async metrics(context, request, reply) {
    if (!(isLocal(request) || hasToken(request, context.settings.METRICS_TOKEN)))
      throw new FilemillError("NOT_FOUND", "There is nothing at this address.");
    const { metrics } = context.deps;
    return reply.header("content-type", metrics.contentType).send(await metrics.metrics());
  },
} satisfies Handlers;

function hasToken({ headers }: FastifyRequest, token: string | undefined): boolean {
  if (token === undefined) return false;
  const digestOf = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digestOf(headers.authorization ?? ""), digestOf(`Bearer ${token}`));
}

/**
 * Checks the connection and the host name. The name matters because a browser on this host could be led here by a page's own host name (DNS
 * rebinding).
 */
function isLocal(request: FastifyRequest): boolean {
  const peer = request.raw.socket.remoteAddress ?? "";
  if (!isLoopback(request.hostname)) return false;
  const forwarded = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => request.headers[name] !== undefined);
  return !forwarded && (peer === "::1" || /^(::ffff:)?127\./.test(peer));
}
