import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { authenticate } from "#gateway/access/authenticate.ts";
import type { RateLimits } from "#gateway/access/rate-limit.ts";
import { securityHeaders } from "#gateway/http/headers.ts";
import { hasUnreadBody } from "#gateway/http/linger.ts";
import { openapiHandler } from "#gateway/openapi/document.ts";
import { docsHandler, homeHandler, stylesheetHandler } from "#gateway/web/pages.ts";
import { FilemillError } from "#kit/errors.ts";
import { convertHandler } from "./convert.ts";
import { type Endpoint, methodsOf } from "./endpoint.ts";
import { type EndpointId, endpoints } from "./endpoints.ts";
import { publicErrorOf, sendError } from "./errors.ts";
import { jobEventsHandler } from "./events.ts";
import type { Handler, RestContext } from "./exchange.ts";
import { formatsHandler } from "./formats.ts";
import { deleteJobHandler, downloadHandler, getJobHandler, listJobsHandler } from "./jobs.ts";
import { routeHandler } from "./routes.ts";
import { healthHandler, metricsHandler, readyHandler } from "./status.ts";

function handlersOf(context: RestContext): Readonly<Record<EndpointId, Handler>> {
  return {
    convert: convertHandler(context),
    listJobs: listJobsHandler(context),
    getJob: getJobHandler(context),
    deleteJob: deleteJobHandler(context),
    jobEvents: jobEventsHandler(context),
    download: downloadHandler(context),
    formats: formatsHandler(context),
    route: routeHandler(context),
    openapi: openapiHandler(context),
    health: healthHandler(),
    ready: readyHandler(context),
    metrics: metricsHandler(context),
    home: homeHandler(context),
    docs: docsHandler(),
    stylesheet: stylesheetHandler(),
  };
}

/** Turns every declared endpoint into a route, and everything else into 404 or 405. */
export function registerEndpoints(app: FastifyInstance, context: RestContext, limits: RateLimits): void {
  const handlers = handlersOf(context);
  const publicUrl = context.settings.PUBLIC_URL;
  app.decorateRequest("caller", null);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers({ ...securityHeaders, "x-request-id": request.id });
    if (context.draining.aborted) reply.header("connection", "close");
    // RFC 9112 §3.2.
    const lacksHost = request.raw.httpVersion === "1.1" && request.headers.host === undefined;
    done(lacksHost ? new FilemillError("BAD_REQUEST", "A request needs a Host header.") : undefined);
  });
  app.setErrorHandler((error, request, reply) => {
    sendError(request, reply, publicErrorOf(error, request.id, context.deps.log), publicUrl);
  });
  app.setNotFoundHandler((request, reply) => sendError(request, reply, unknownOf(request, reply), publicUrl));
  for (const [id, endpoint] of Object.entries<Endpoint>(endpoints)) {
    if (!isEndpointId(id)) continue;
    app.route({
      method: methodsOf(endpoint),
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      onRequest: async (request, reply) => {
        if (endpoint.access !== "public") await enter(context, limits, endpoint.access, request, reply);
        if (endpoint.body === undefined && hasUnreadBody(request)) {
          throw new FilemillError("BAD_REQUEST", "This endpoint takes no request body.");
        }
      },
      handler: handlers[id],
    });
  }
}

function isEndpointId(id: string): id is EndpointId {
  return Object.hasOwn(endpoints, id);
}

/** Who calls, and whether the account may call once more; before one byte of the body is read. */
async function enter(
  context: RestContext,
  limits: RateLimits,
  policy: Exclude<Endpoint["access"], "public">,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const caller = await authenticate(context.deps.accounts, request.headers.authorization);
  request.caller = caller;
  const verdict = await limits.count(policy, caller.account.id, caller.plan.requestsPerMinute);
  reply.headers(verdict.headers);
  if (verdict.refusal !== undefined) throw verdict.refusal;
}

/** 405 with Allow where the path exists, 404 elsewhere. */
function unknownOf(request: FastifyRequest, reply: FastifyReply): FilemillError {
  const [path = "/"] = (request.raw.url ?? "/").split("?");
  const allowed = Object.values<Endpoint>(endpoints).filter((endpoint) => patternOf(endpoint.path).test(path));
  if (allowed.length === 0) return new FilemillError("NOT_FOUND", "There is nothing at this address; see /docs.");
  const methods = [...new Set(allowed.flatMap(methodsOf))];
  reply.header("allow", methods.join(", "));
  return new FilemillError("METHOD_NOT_ALLOWED", `This address takes ${methods.join(" and ")}.`);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}
