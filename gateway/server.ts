import { isIP, isIPv6 } from "node:net";
import { fastifyMultipart } from "@fastify/multipart";
import fastify, { type FastifyInstance } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import { createBudgets } from "#gateway/access/budget.ts";
import { createDevices } from "#gateway/access/devices.ts";
import { createDiskRoom } from "#gateway/access/disk-room.ts";
import { checkPlanOfNewAccounts, createOidc } from "#gateway/access/oidc.ts";
import { createPeers } from "#gateway/access/peers.ts";
import { createRateLimits } from "#gateway/access/rate-limit.ts";
import { createResumableUploads } from "#gateway/access/resumable-uploads.ts";
import { createThrottle } from "#gateway/access/throttle.ts";
import { createTickets } from "#gateway/access/tickets.ts";
import type { GatewayDeps, GatewaySettings } from "#gateway/context.ts";
import { createCatalogueViews } from "#gateway/exchange/catalogue-view.ts";
import type { RestContext } from "#gateway/exchange/exchange.ts";
import { boundConnections, stalledReaderMs } from "#gateway/http/connections.ts";
import { answerClientError, httpOptions, IDLE_CONNECTION_MS, tuneServer } from "#gateway/http/listener.ts";
import { requestIdOf } from "#gateway/http/request-id.ts";
import { multipartLimits } from "#gateway/rest/upload.ts";
import { endpoints } from "#gateway/routes/endpoints.ts";
import { answerFrameworkError } from "#gateway/routes/refusals.ts";
import { registerEndpoints } from "#gateway/routes/register.ts";
import { createTraffic } from "#gateway/traffic.ts";
import { SettingError } from "#kit/config.ts";
import { connectionRoom } from "#kit/connections.ts";
import type { Log } from "#kit/log.ts";

export type Gateway = AsyncDisposable & {
  /** Begins to accept connections; resolves with the address to call. Rejects when the port is taken. */
  listen(): Promise<{ url: string }>;
  /** Refuses new conversions and resolves when the running requests have been answered or `signal` fires. */
  drain(signal: AbortSignal): Promise<void>;
};

/** After a drain's time is over: for the 202 of conversions that are still waited for. */
const LAST_ANSWERS_MS = 1000;

/** The public door: REST API, pages, health and metrics on one port. Rejects with SettingError. */
export async function createGateway(deps: GatewayDeps, settings: GatewaySettings): Promise<Gateway> {
  const oidc = createOidc(settings);
  await checkPlanOfNewAccounts(oidc, deps.accounts);
  const draining = new AbortController();
  const ending = new AbortController();
  const app = await openListener(deps.log, settings);
  const traffic = createTraffic(app, deps);
  const peers = createPeers(deps.counts);
  const context: RestContext = {
    deps,
    settings,
    limits: createRateLimits(peers),
    throttle: createThrottle(peers),
    devices: createDevices(deps.deviceKey, settings),
    tickets: createTickets(deps.deviceKey),
    uploads: createResumableUploads(settings, deps.deviceKey, deps.log),
    oidc,
    endpoints,
    views: createCatalogueViews(deps.catalogue),
    budgets: createBudgets(deps),
    diskRoom: createDiskRoom(deps, settings),
    draining: draining.signal,
    ending: ending.signal,
  };
  registerEndpoints(app, context);
  await app.ready();
  return {
    async listen() {
      await app.listen({ host: settings.HOST, port: settings.PORT }).catch((cause: unknown) => {
        throw new FilemillError("UNAVAILABLE", `PORT ${settings.PORT} on HOST ${settings.HOST} cannot be listened on: is it taken?`, {
          cause,
        });
      });
      // Read ahead, so that the first caller does not wait for it.
      context.views.known();
      return { url: urlOf(app, settings.HOST) };
    },
    async drain(signal) {
      draining.abort();
      app.server.closeIdleConnections();
      await traffic.quiet(signal);
      ending.abort();
      await traffic.quiet(AbortSignal.timeout(LAST_ANSWERS_MS));
      app.server.closeIdleConnections();
    },
    async [Symbol.asyncDispose]() {
      draining.abort();
      ending.abort();
      context.uploads[Symbol.dispose]();
      await app.close();
    },
  };
}

/** Takes connections and bodies as they may come; no endpoint is there yet. */
async function openListener(log: Log, settings: GatewaySettings): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    http: httpOptions,
    connectionTimeout: IDLE_CONNECTION_MS,
    clientErrorHandler: answerClientError,
    genReqId: (request) => requestIdOf(request.headers["x-request-id"]),
    frameworkErrors: (error, request, reply) => answerFrameworkError(log, settings.PUBLIC_URL, error, request, reply),
    // Draining is our own business: it says so in the shape of every other error.
    return503OnClosing: false,
    trustProxy: trustedProxiesOf(settings),
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    // Bodies are taken as they are or refused; nothing is converted or left out.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    routerOptions: {
      // Ids are judged by their handlers, so that a long one is an unknown job and not another kind of error.
      maxParamLength: httpOptions.maxHeaderSize,
      // Read by hand where it matters (http/query.ts): this keeps hostile query strings from being parsed twice.
      querystringParser: () => ({}),
    },
  });
  tuneServer(app.server);
  const bounds = { total: connectionRoom(), perClient: settings.MAX_CONNECTIONS_PER_CLIENT };
  boundConnections(app.server, { ...bounds, stalledMs: stalledReaderMs });
  app.removeAllContentTypeParsers();
  await app.register(fastifyMultipart, multipartLimits);
  // Other bodies are not read at all.
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  return app;
}

/** Throws SettingError for what is no address: found here, where it names the setting. */
function trustedProxiesOf({ TRUSTED_PROXIES }: GatewaySettings): string[] | false {
  if (TRUSTED_PROXIES === undefined) return false;
  const networks = TRUSTED_PROXIES.split(",");
  for (const network of networks) {
    const [address = "", bits = "0", ...rest] = network.split("/");
    const fits = /^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv6(address) ? 128 : 32);
    if (isIP(address) === 0 || !fits || rest.length > 0)
      throw new SettingError(`TRUSTED_PROXIES: "${network}" is not an IP address or network.`);
  }
  return networks;
}

/** Where a client on this host finds the server. */
function urlOf(app: FastifyInstance, host: string): string {
  const address = app.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
