import type { DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import { type FastifyInstance, fastify } from "fastify";
import type { Registry } from "prom-client";
import { Health } from "#gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "#gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "#gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { cannotListen } from "../cannot-listen.ts";
import type { Log } from "../log.ts";
import { isLoopback } from "../loopback.ts";
import { gateOf, isFromPage } from "./access.ts";
import { errorInterceptor } from "./errors.ts";
import { maxMessageBytes } from "./grpc-transport.ts";
import { addHealth } from "./health.ts";
import { createOnePortServer, type OnePortServer } from "./one-port.ts";
import { addReflection } from "./reflection.ts";
import type { RpcTls } from "./tls.ts";
import { traceHandler } from "./traced-calls.ts";
import { listenAtPath } from "./unix-socket.ts";

export type RpcServer = AsyncDisposable & { readonly url: string };

/** Where the server listens besides its port. */
export type RpcSocket = {
  readonly path: string;
  /** Whether opening the server fails without the socket. Otherwise a line is logged. */
  readonly isNeeded: boolean;
};

export type RpcServerOptions = {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly socket?: RpcSocket | undefined;
  /** Bearer token that every call must carry, including health and reflection. */
  readonly token: string;
  /** The port speaks TLS and only accepts clients with a certificate from the same authority. The socket is unaffected. */
  readonly tls?: RpcTls | undefined;
  /** Health and reflection cover the services that `routes` adds. */
  routes(router: ConnectRouter): void;
  isReady(): boolean | Promise<boolean>;
  /** Served by GET /metrics in Prometheus' text format, to callers with the token. */
  readonly metrics?: Pick<Registry, "contentType" | "metrics">;
  readonly log: Log;
};

/** How long open calls may continue once the server is disposed. */
const closeGraceMs = 2000;

/** Serves Connect, gRPC and gRPC-Web on one port, with health and reflection. Rejects with UNAVAILABLE if the port is taken. */
export async function openRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const loopback = isLoopback(options.host);
  const shutdown = new AbortController();
  let port: OnePortServer | undefined;
  const app = fastify({
    logger: false,
    serverFactory: (handler) => {
      port = createOnePortServer(handler, options.tls);
      // Fastify only needs to listen on it and close it, which works with any net.Server.
      return port.server as never;
    },
  });
  // Read no body before the token is checked. By default, Fastify waits for the body of types that it knows.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.addHook("onRequest", async ({ headers, hostname, socket }, reply) => {
    // A page loaded from elsewhere could point its own host name here (DNS rebinding). A Unix socket has no address and accepts any name.
    const isRebound = loopback && socket.remoteAddress !== undefined && !isLoopback(hostname);
    if (isRebound || isFromPage(headers)) await reply.code(403).send();
  });
  await app.register(fastifyConnectPlugin, {
    routes: (router) => addRoutes(router, options),
    interceptors: [traceHandler, errorInterceptor(options.log)],
    requestGate: gateOf(options.token),
    acceptCompression: [],
    readMaxBytes: maxMessageBytes,
    shutdownSignal: shutdown.signal,
  });
  addMetrics(app, options);
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (cause) {
    throw cannotListen("RPC_PORT", options, cause);
  }
  const socket = await openSocket(port, options).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  const address = app.server.address();
  return {
    url: `${options.tls === undefined ? "http" : "https"}://${options.host.includes(":") ? `[${options.host}]` : options.host}:${typeof address === "object" && address !== null ? address.port : options.port}`,
    async [Symbol.asyncDispose]() {
      shutdown.abort(new ConnectError("The server is shutting down.", Code.Unavailable));
      await socket?.[Symbol.asyncDispose]();
      await port?.close(AbortSignal.timeout(closeGraceMs));
      await app.close();
    },
  };
}

async function openSocket(port: OnePortServer | undefined, { socket, log }: RpcServerOptions): Promise<AsyncDisposable | undefined> {
  if (port === undefined || socket === undefined) return undefined;
  try {
    return await listenAtPath(port.twin, socket.path);
  } catch (error) {
    if (socket.isNeeded) throw error;
    log.warn("rpc.no_socket", { error: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

function addMetrics(app: FastifyInstance, { metrics, token }: RpcServerOptions): void {
  if (metrics === undefined) return;
  const gate = gateOf(token);
  app.get("/metrics", async ({ headers }, reply) => {
    try {
      gate({ requestHeader: new Headers({ authorization: headers.authorization ?? "" }) });
    } catch {
      return reply.code(401).send();
    }
    return reply.header("content-type", metrics.contentType).send(await metrics.metrics());
  });
}

function addRoutes(router: ConnectRouter, options: RpcServerOptions): void {
  options.routes(router);
  const services = new Set<DescService>(router.handlers.map((handler) => handler.service));
  services.add(Health);
  addHealth(router, [...services], options.isReady);
  addReflection(router, [...services, ServerReflection, ServerReflectionAlpha]);
}
