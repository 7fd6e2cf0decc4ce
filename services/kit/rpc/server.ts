import { timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import { fastify } from "fastify";
import { Health } from "#gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "#gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "#gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { SettingError } from "../config.ts";
import { FilemillError } from "../errors.ts";
import type { Log } from "../log.ts";
import { errorInterceptor } from "./errors.ts";
import { addHealth } from "./health.ts";
import { createOnePortServer, type OnePortServer } from "./one-port.ts";
import { addReflection } from "./reflection.ts";
import { maxMessageBytes } from "./transport.ts";

export type RpcServer = AsyncDisposable & { readonly url: string };

export type RpcServerOptions = {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Bearer token that every call but health and reflection must carry. */
  readonly token: string | undefined;
  /** Finds the services that health and reflection speak of in what `routes` adds. */
  routes(router: ConnectRouter): void;
  isReady(): boolean;
  readonly log: Log;
};

/** How long open calls may go on once the server is disposed. */
const closeGraceMs = 2000;

/**
 * Serves Connect, gRPC and gRPC-Web on one cleartext port, with health and reflection.
 * Rejects with a SettingError when it would be open to other machines without a token, and with UNAVAILABLE when the port is taken.
 */
export async function openRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const loopback = isLoopback(options.host);
  if (!loopback && options.token === undefined) throw new SettingError("RPC_TOKEN must be set when RPC_HOST is not a loopback address.");
  const shutdown = new AbortController();
  let port: OnePortServer | undefined;
  const app = fastify({
    logger: false,
    serverFactory: (handler) => {
      port = createOnePortServer(handler);
      // Fastify only listens on it and closes it, which every net.Server can.
      return port.server as never;
    },
  });
  if (loopback) {
    // A page that a browser loaded from elsewhere must not reach this port by DNS rebinding.
    app.addHook("onRequest", async (request, reply) => {
      if (!isLoopback(request.hostname)) await reply.code(403).send();
    });
  }
  await app.register(fastifyConnectPlugin, {
    routes: (router) => addRoutes(router, options),
    interceptors: [errorInterceptor(options.log)],
    requestGate: gateOf(options.token),
    acceptCompression: [],
    readMaxBytes: maxMessageBytes,
    shutdownSignal: shutdown.signal,
  });
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (cause) {
    throw new FilemillError("UNAVAILABLE", `RPC_PORT ${options.port} on ${options.host} cannot be listened on: is it taken?`, { cause });
  }
  const address = app.server.address();
  return {
    url: `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${typeof address === "object" && address !== null ? address.port : options.port}`,
    async [Symbol.asyncDispose]() {
      shutdown.abort(new ConnectError("The server is shutting down.", Code.Unavailable));
      await port?.close(AbortSignal.timeout(closeGraceMs));
      await app.close();
    },
  };
}

function addRoutes(router: ConnectRouter, options: RpcServerOptions): void {
  options.routes(router);
  const services = new Set<DescService>(router.handlers.map((handler) => handler.service));
  services.add(Health);
  addHealth(router, [...services], options.isReady);
  addReflection(router, [...services, ServerReflection, ServerReflectionAlpha]);
}

function gateOf(token: string | undefined): (context: HandlerContext) => void {
  const open = new Set([Health.typeName, ServerReflection.typeName, ServerReflectionAlpha.typeName]);
  const expected = Buffer.from(`Bearer ${token ?? ""}`);
  return (context) => {
    if (token === undefined || open.has(context.service.typeName)) return;
    const given = Buffer.from(context.requestHeader.get("authorization") ?? "");
    if (given.length === expected.length && timingSafeEqual(given, expected)) return;
    throw new ConnectError("The internal services need the bearer token of RPC_TOKEN.", Code.Unauthenticated);
  };
}

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  return bare === "localhost" || bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."));
}
