import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import { authenticate, type Caller } from "#gateway/access/authenticate.ts";
import { operatorOf, pageCallerOf, signedInOf } from "#gateway/access/page-caller.ts";
import type { RatePolicy } from "#gateway/access/rate-limit.ts";
import { checkSameOrigin } from "#gateway/access/same-origin.ts";
import { accountHandlers } from "#gateway/account/handlers.ts";
import { methodsOf } from "#gateway/exchange/endpoint.ts";
import { type Handler, type RestContext, requestBaseUrlOf } from "#gateway/exchange/exchange.ts";
import { publicErrorOf } from "#gateway/exchange/public-error.ts";
import { limitBodyTime } from "#gateway/http/body-pace.ts";
import { clientOf } from "#gateway/http/connections.ts";
import { securityHeaders } from "#gateway/http/headers.ts";
import { createHostCheck } from "#gateway/http/host-names.ts";
import { hasUnreadBody } from "#gateway/http/linger.ts";
import { mcpHandlers } from "#gateway/mcp/handlers.ts";
import { ticketOf } from "#gateway/mcp/ticket-handlers.ts";
import { openapiHandler } from "#gateway/openapi/document.ts";
import { operatorHandlers } from "#gateway/operator/handlers.ts";
import { convertHandler } from "#gateway/rest/convert.ts";
import { convertUrlHandler } from "#gateway/rest/convert-url.ts";
import { jobEventsHandler } from "#gateway/rest/events.ts";
import { formatsHandler } from "#gateway/rest/formats.ts";
import { jobHandlers } from "#gateway/rest/jobs.ts";
import { routeHandler } from "#gateway/rest/routes.ts";
import { statusHandlers } from "#gateway/rest/status.ts";
import { uploadHandlers } from "#gateway/rest/uploads.ts";
import { pageHandlers } from "#gateway/web/handlers.ts";
import { webhookHandlers } from "#gateway/webhook/handlers.ts";
import { type Mount, mounts } from "./mounts.ts";
import { refuse } from "./refusals.ts";

/** Default limit for a JSON body; uploads have their own limits. */
const MAX_JSON_BYTES = 16 * 1024;
const MAX_JSON_MS = 10_000;

const handlers: Readonly<Record<Mount["id"], Handler>> = {
  convert: convertHandler,
  convertUrl: convertUrlHandler,
  ...jobHandlers,
  jobEvents: jobEventsHandler,
  ...uploadHandlers,
  formats: formatsHandler,
  route: routeHandler,
  openapi: openapiHandler,
  ...statusHandlers,
  ...pageHandlers,
  ...webhookHandlers,
  ...mcpHandlers,
  ...accountHandlers,
  ...operatorHandlers,
};

/** Registers a route for every declared endpoint; everything else is answered with 404 or 405. */
export function registerEndpoints(app: FastifyInstance, context: RestContext): void {
  const publicUrl = context.settings.PUBLIC_URL;
  const checkHost = createHostCheck(context.settings);
  app.decorateRequest("caller", null);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers({ ...securityHeaders, "x-request-id": request.id });
    if (context.draining.aborted) reply.header("connection", "close");
    // Required by RFC 9112 §3.2.
    const lacksHost = request.raw.httpVersion === "1.1" && request.headers.host === undefined;
    if (lacksHost) return done(new FilemillError("BAD_REQUEST", "A request needs a Host header."));
    checkHost(request.raw.headersDistinct.host);
    // With two headers, a proxy in front may check one and the gateway the other.
    const isTwofold = request.headers.authorization !== undefined && request.raw.headersDistinct["authorization"]?.length !== 1;
    done(isTwofold ? new FilemillError("BAD_REQUEST", "Send the Authorization header once.") : undefined);
  });
  app.setErrorHandler((error, request, reply) => refuse(request, reply, publicErrorOf(error, request.id, context.deps.log), publicUrl));
  app.setNotFoundHandler((request, reply) => refuse(request, reply, unknownOf(request, reply), publicUrl));
  for (const mount of mounts) {
    if (mount.endpoint.body?.mediaType !== "application/json") addRoute(app, context, mount);
  }
  app.register((scope, _options, done) => {
    scope.addContentTypeParser("application/json", { parseAs: "string" }, scope.getDefaultJsonParser("error", "error"));
    for (const mount of mounts) {
      if (mount.endpoint.body?.mediaType === "application/json") addRoute(scope, context, mount);
    }
    done();
  });
}

function addRoute(app: FastifyInstance, context: RestContext, mount: Mount): void {
  const { endpoint } = mount;
  const isJson = endpoint.body?.mediaType === "application/json";
  app.route({
    method: methodsOf(endpoint),
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    onRequest: async (request, reply) => {
      await enter(context, mount, request, reply);
      if (endpoint.body === undefined && hasUnreadBody(request)) {
        throw new FilemillError("BAD_REQUEST", "This endpoint takes no request body.");
      }
      if (isJson && !/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")) {
        throw new FilemillError("UNSUPPORTED_MEDIA_TYPE", "Send a JSON body as application/json.");
      }
      if (isJson) limitBodyTime(request.raw, MAX_JSON_MS);
    },
    ...(isJson ? { schema: { body: endpoint.body?.schema }, bodyLimit: endpoint.body?.maxBytes ?? MAX_JSON_BYTES } : {}),
    handler: (request, reply) => handlers[mount.id](context, request, reply),
  });
}

/** Authenticates the caller and counts the request, before any byte of the body is read. */
async function enter(context: RestContext, mount: Mount, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { access } = mount.endpoint;
  const isSafe = request.method === "GET" || request.method === "HEAD";
  if (mount.door === "page" && !isSafe) checkSameOrigin(request, requestBaseUrlOf(context, request));
  if (access === "public") return;
  const caller = await enteringCaller(context, mount, access, request, reply);
  request.caller = caller;
  // Guests are counted by address, because a cookie is easily discarded.
  const counted = caller.isGuest === true ? `guest ${clientOf(request.ip)}` : caller.account.id;
  const verdict = await context.limits.count(
    access === "session" || access === "operator" ? "read" : access,
    counted,
    caller.plan.requestsPerMinute,
  );
  reply.headers(verdict.headers);
  if (verdict.refusal !== undefined) throw verdict.refusal;
}

function enteringCaller(
  context: RestContext,
  { endpoint, door }: Mount,
  policy: RatePolicy | "session" | "operator",
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  if (policy === "session") return signedInOf(context, request);
  if (policy === "operator") return operatorOf(context, request);
  if (door === "page") return pageCallerOf(context, request, reply);
  const { authorization } = endpoint.byTicket === undefined ? request.headers : ticketOf(context, request, endpoint.byTicket);
  return authenticate(context.deps.accounts, authorization, endpoint.scope ?? policy);
}

/** 405 with Allow if the path exists, otherwise 404. */
function unknownOf(request: FastifyRequest, reply: FastifyReply): FilemillError {
  const [path = "/"] = (request.raw.url ?? "/").split("?");
  const allowed = mounts.map(({ endpoint }) => endpoint).filter((endpoint) => patternOf(endpoint.path).test(path));
  if (allowed.length === 0) return new FilemillError("NOT_FOUND", "There is nothing at this address; see /docs.");
  const methods = [...new Set(allowed.flatMap(methodsOf))];
  reply.header("allow", methods.join(", "));
  return new FilemillError("METHOD_NOT_ALLOWED", `This address accepts only ${new Intl.ListFormat("en").format(methods)}.`);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}
