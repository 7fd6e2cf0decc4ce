import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import { type Handler, type RestContext, sendJson } from "#gateway/exchange/exchange.ts";
import { isLoopback } from "#kit/loopback.ts";
import { notReady } from "#kit/readiness.ts";

/** GET /healthz: the process lives. */
export function healthHandler(): Handler {
  return async (_request, reply) => sendJson(reply, 200, { alive: true });
}

/**
 * GET /readyz: conversions are accepted, or the names of the parts that keep them from it. Which versions of engines are here is for
 * programs on this host alone.
 */
export function readyHandler(context: RestContext): Handler {
  return async (request, reply) => {
    const readiness = context.draining.aborted ? notReady("draining") : await context.deps.readiness();
    const { unproven: _, ...forAll } = readiness;
    const told = isLocal(request) ? readiness : forAll;
    return sendJson(reply.headers(readiness.ready ? {} : { "retry-after": "1" }), readiness.ready ? 200 : 503, told);
  };
}

/**
 * GET /metrics in Prometheus' text format, for programs on this host, and elsewhere for who has METRICS_TOKEN. A request that came through
 * a proxy names itself by its forwarding headers and is refused, though its connection is a local one.
 */
export function metricsHandler(context: RestContext): Handler {
  return async (request, reply) => {
    if (!(isLocal(request) || hasToken(request, context.settings.METRICS_TOKEN)))
      throw new FilemillError("NOT_FOUND", "There is nothing at this address.");
    const { metrics } = context.deps;
    return reply.header("content-type", metrics.contentType).send(await metrics.metrics());
  };
}

function hasToken({ headers }: FastifyRequest, token: string | undefined): boolean {
  if (token === undefined) return false;
  const digestOf = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digestOf(headers.authorization ?? ""), digestOf(`Bearer ${token}`));
}

/** By its connection, and by the name that it calls: a page that led its own name here comes from a browser on this host. */
function isLocal(request: FastifyRequest): boolean {
  const peer = request.raw.socket.remoteAddress ?? "";
  if (!isLoopback(request.hostname)) return false;
  const forwarded = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => request.headers[name] !== undefined);
  return !forwarded && (peer === "::1" || /^(::ffff:)?127\./.test(peer));
}
