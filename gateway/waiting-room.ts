/** Answers at the gateway's address until the broker is reached. Nothing else can be served without it. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { FilemillError } from "#contract/errors.ts";
import { notReady } from "#kit/readiness.ts";
import type { Settings } from "#kit/settings.ts";
import { errorAnswerOf } from "./http/error-body.ts";
import { securityHeaders } from "./http/headers.ts";

/**
 * `/healthz` reports that the process is alive, `/readyz` that the broker is missing. A taken port is ignored here, because the gateway
 * reports it.
 */
export async function openWaitingRoom({ HOST, PORT }: Pick<Settings, "HOST" | "PORT">): Promise<AsyncDisposable> {
  const server = createServer(answer);
  server.on("error", () => undefined);
  server.listen({ host: HOST, port: PORT });
  await Promise.race([once(server, "listening"), once(server, "close")]).catch(() => undefined);
  return {
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const answer: RequestListener = (request, response) => {
  const [path = "/"] = (request.url ?? "/").split("?");
  const headers = { ...securityHeaders, "content-type": "application/json", connection: "close" };
  if (path === "/healthz") return void response.writeHead(200, headers).end(JSON.stringify({ alive: true }));
  const again = { ...headers, "retry-after": "1" };
  if (path === "/readyz") return void response.writeHead(503, again).end(JSON.stringify(notReady("broker")));
  const requestId = randomUUID();
  const failure = new FilemillError("UNAVAILABLE", "Filemill is starting and has not reached its broker yet; try again.");
  const { status, body, headers: own } = errorAnswerOf(failure, { requestId, problem: false, path, baseUrl: "" });
  response.writeHead(status, { ...again, ...own, "x-request-id": requestId }).end(body);
};
