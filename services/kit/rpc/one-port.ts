/** HTTP/1.1 and HTTP/2 on one port, distinguished by the first bytes of a connection (RFC 9113 §3.4), in cleartext or over TLS. */
import { createServer as createHttp1Server, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, type Http2Server, type Http2Session, type ServerHttp2Stream } from "node:http2";
import { createServer as createNetServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type Connections, connectionRoom, createConnections } from "../connections.ts";
import type { RpcTls } from "./tls.ts";

/** Each may hold a few streams, and each stream a message of up to 8 MiB. */
const maxConnections = 1024;
/** With the default window, an upload stream waits one round trip per 64 KiB. */
const initialWindowBytes = 4 * 1024 * 1024;
/** A connection that sends nothing is closed. */
const firstByteTimeoutMs = 10_000;

export type OnePortServer = {
  readonly server: Server;
  /** A second server that listens elsewhere and accepts connections in the same way. */
  readonly twin: Server;
  /** Ends idle connections and, when the signal fires, all others. */
  close(signal: AbortSignal): Promise<void>;
};

/** @param tls - Accepts only connections with a certificate from the same authority. The twin stays in cleartext. */
export function createOnePortServer(handler: RequestListener, tls?: RpcTls): OnePortServer {
  const http1 = createHttp1Server({ headersTimeout: 10_000, keepAliveTimeout: 60_000, requestTimeout: 0 }, handler);
  // Fastify's handler accepts the compatibility objects of node:http2 just like those of node:http.
  const http2 = createHttp2Server({ settings: { initialWindowSize: initialWindowBytes } }, handler as never);
  const total = Math.min(maxConnections, connectionRoom());
  const connections = createConnections({ total, perClient: total });
  const sessions = new Set<Http2Session>();
  const sockets = new Set<Socket>();
  const silent = new Set<Socket>();
  // It listens through the server below. This event makes it enforce its timeouts and track idle connections.
  http1.emit("listening");
  http2.on("session", (session) => {
    sessions.add(session);
    session.setLocalWindowSize(initialWindowBytes);
    session.once("close", () => sessions.delete(session));
  });
  http1.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const exchange = connections.begin(socket);
    response.once("close", exchange.end);
  });
  const accept = (socket: Socket): void => {
    if (!connections.admit(socket, "")) return;
    sockets.add(socket);
    silent.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      silent.delete(socket);
    });
    socket.on("error", () => socket.destroy());
    socket.setTimeout(firstByteTimeoutMs, () => socket.destroy());
    socket.once("readable", () => {
      socket.setTimeout(0);
      silent.delete(socket);
      const first: unknown = socket.read();
      if (!(first instanceof Uint8Array)) return void socket.destroy();
      socket.unshift(first);
      if (Buffer.from(first.subarray(0, 3)).toString("latin1") === "PRI") serveHttp2(http2, socket, connections);
      else http1.emit("connection", socket);
    });
  };
  const server = tls === undefined ? createNetServer(accept) : createMutualServer(tls, accept, sockets);
  const twin = createNetServer(accept);
  return {
    server,
    twin,
    async close(signal) {
      const closed = Promise.all([server, twin].map((each) => new Promise<void>((resolve) => each.close(() => resolve()))));
      // Closes idle connections and the timeout checks. The error that it never listened is ignored.
      http1.close(() => undefined);
      for (const socket of silent) socket.destroy();
      for (const session of sessions) session.close();
      const destroyAll = (): void => {
        for (const socket of sockets) socket.destroy();
      };
      if (signal.aborted) destroyAll();
      signal.addEventListener("abort", destroyAll, { once: true });
      await closed;
    },
  };
}

function serveHttp2(server: Http2Server, socket: Socket, connections: Connections): void {
  // Emitted synchronously, so it belongs to this connection.
  server.once("session", (session: Http2Session) => {
    session.on("stream", (stream: ServerHttp2Stream) => {
      const exchange = connections.begin(socket);
      stream.once("close", exchange.end);
    });
  });
  server.emit("connection", socket);
}

/** @param sockets - Connections that closing the server does not close: unfinished handshakes. */
function createMutualServer({ ca, cert, key }: RpcTls, accept: (socket: Socket) => void, sockets: Set<Socket>): Server {
  const options = { ca, cert, key, requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.3" } as const;
  const server = createTlsServer({ ...options, ALPNProtocols: ["h2", "http/1.1"], handshakeTimeout: firstByteTimeoutMs }, accept);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return server;
}
