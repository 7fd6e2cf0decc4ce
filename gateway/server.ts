import { isIP, isIPv6 } from "node:net";
import { fastifyMultipart } from "@fastify/multipart";
import fastify, { type FastifyInstance } from "fastify";
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
import { cannotListen } from "#kit/cannot-listen.ts";
import { SettingError } from "#kit/config.ts";
import { connectionRoom } from "#kit/connections.ts";
import type { Log } from "#kit/log.ts";

export type Gateway = AsyncDisposable & {
  /** Starts accepting connections and resolves with the address to call. Rejects if the port is taken. */
  listen(): Promise<{ url: string }>;
  /** Refuses new conversions. Resolves when all running requests are answered or `signal` fires. */
  drain(signal: AbortSignal): Promise<void>;
};

/** Time after the drain limit for sending 202 to clients that still wait for a conversion. */
const LAST_ANSWERS_MS = 1000;

/** The public HTTP server: REST API, pages, health and metrics on one port. Rejects with SettingError. */
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
        throw cannotListen("PORT", { host: `HOST ${settings.HOST}`, port: settings.PORT }, cause);
      });
      // Read in advance, so that the first caller does not wait for it.
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

/** Creates the server with its limits for connections and bodies, before any endpoint is registered. */
async function openListener(log: Log, settings: GatewaySettings): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    http: httpOptions,
    connectionTimeout: IDLE_CONNECTION_MS,
    clientErrorHandler: answerClientError,
    genReqId: (request) => requestIdOf(request.headers["x-request-id"]),
    frameworkErrors: (error, request, reply) => answerFrameworkError(log, settings.PUBLIC_URL, error, request, reply),
    // The gateway answers while draining itself, in the same format as every other error.
    return503OnClosing: false,
    trustProxy: trustedProxiesOf(settings),
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    // Bodies are accepted as they are or refused: nothing is coerced or removed.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    routerOptions: {
      // Handlers check ids, so that an overlong id is an unknown job and not another kind of error.
      maxParamLength: httpOptions.maxHeaderSize,
      // http/query.ts parses query strings where they are needed. This keeps hostile ones from being parsed twice.
      querystringParser: () => ({}),
    },
  });
  tuneServer(app.server);
  const bounds = { total: connectionRoom(), perClient: settings.MAX_CONNECTIONS_PER_CLIENT };
  boundConnections(app.server, { ...bounds, stalledMs: stalledReaderMs });
  app.removeAllContentTypeParsers();
  await app.register(fastifyMultipart, multipartLimits);
  // No other body is read.
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  return app;
}

/** Checks the addresses here, so that the error names the setting. Throws SettingError. */
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

/** The URL of the server for a client on this host. */
function urlOf(app: FastifyInstance, host: string): string {
  const address = app.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
