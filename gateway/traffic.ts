import type { FastifyInstance, FastifyRequest } from "fastify";
import { Counter, Gauge, Histogram } from "prom-client";
import type { GatewayDeps } from "#gateway/context.ts";
import { type OpenSpan, openSpan } from "#kit/tracing.ts";

/** Tracks running requests, for metrics, the log line of each request and the drain. */
export type Traffic = {
  /** Resolves when no request is running or the signal fires. */
  quiet(signal: AbortSignal): Promise<void>;
};

export function createTraffic(app: FastifyInstance, { metrics, log }: Pick<GatewayDeps, "metrics" | "log">): Traffic {
  const registers = [metrics];
  const requests = new Counter({
    name: "filemill_http_requests_total",
    help: "Answered requests",
    labelNames: ["endpoint", "method", "status"],
    registers,
  });
  const seconds = new Histogram({
    name: "filemill_http_request_seconds",
    help: "Time from a request's head to the end of its answer",
    labelNames: ["endpoint"],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
    registers,
  });
  const runningGauge = new Gauge({ name: "filemill_http_requests_running", help: "Requests being answered", registers });
  let running = 0;
  const onQuiet = new Set<() => void>();
  app.addHook("onRequest", (request, reply, done) => {
    runningGauge.set(++running);
    const span = spanOf(request);
    // 'close' fires in every case, even if the client disconnects before the answer.
    reply.raw.once("close", () => {
      runningGauge.set(--running);
      const endpoint = request.routeOptions.url ?? "unknown";
      const status = reply.raw.writableFinished ? reply.raw.statusCode : 499;
      requests.inc({ endpoint, method: request.method, status });
      span?.end({ failed: status >= 500, attributes: { "http.response.status_code": status } });
      seconds.observe({ endpoint }, reply.elapsedTime / 1000);
      log.info("gateway.request", { requestId: request.id, method: request.method, endpoint, status, ms: Math.round(reply.elapsedTime) });
      if (running === 0) for (const resolve of onQuiet) resolve();
    });
    if (span === undefined) done();
    else span.run(done);
  });
  return {
    quiet(signal) {
      if (running === 0 || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        onQuiet.add(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    },
  };
}

/** Polled every few seconds by monitoring, so not worth a trace. */
const untold: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/** Continues the caller's trace if the request carries one. */
function spanOf({ id, method, headers, routeOptions }: FastifyRequest): OpenSpan | undefined {
  const endpoint = routeOptions.url ?? "unknown";
  if (untold.has(endpoint)) return undefined;
  const attributes = { "http.request.method": method, "http.route": endpoint, "filemill.request_id": id };
  const { traceparent } = headers;
  const parent = typeof traceparent === "string" ? traceparent : undefined;
  return openSpan({ name: `${method} ${endpoint}`, kind: "server", parent, isFirst: true, attributes });
}
