import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { FilemillError } from "#contract/errors.ts";
import { errorAnswerOf } from "./error-body.ts";
import { securityHeaders } from "./headers.ts";

/** Limits of the HTTP server itself. */
export const httpOptions = {
  /** Limit for request line and headers; more is answered with 431. */
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  noDelay: true,
  /**
   * The gateway's own hook refuses such requests, so that the error has the usual format. Node's answer has neither body nor request id.
   */
  requireHostHeader: false,
} as const;

/** Closes a connection without traffic in either direction. Longer than any wait that a client can request. */
export const IDLE_CONNECTION_MS = 90_000;

/** Makes the server delay `100 Continue` until a handler writes it, and ignore unknown expectations. */
export function tuneServer(server: Server): void {
  const passOn = (...exchange: unknown[]): void => {
    server.emit("request", ...exchange);
  };
  server.on("checkContinue", passOn);
  server.on("checkExpectation", passOn);
  // CONNECT is not supported. Without a listener, Node closes the connection without an answer.
  server.on("connect", (_request, socket: Duplex) => {
    const failure = new FilemillError("METHOD_NOT_ALLOWED", "This server is not a proxy; see /docs.");
    answerRaw(socket, 405, failure, { allow: "GET, HEAD, POST, PUT, PATCH, DELETE" });
  });
}

const answered = new WeakSet<Socket>();

/** Answers requests that are malformed, too long or too slow, in the usual error format. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // Further data from the client keeps failing to parse until the connection is closed.
  if (answered.has(socket)) return;
  answered.add(socket);
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, failure } = failureOf(error.code);
  answerRaw(socket, status, failure);
}

/** Answers on the raw socket, because there is no response object, and closes it. */
function answerRaw(
  socket: Duplex,
  status: keyof typeof reasons,
  failure: FilemillError,
  more: Readonly<Record<string, string>> = {},
): void {
  const requestId = randomUUID();
  const { body, headers: own } = errorAnswerOf(failure, { requestId, problem: false, path: "/", baseUrl: "" }, {}, status);
  const headers = {
    ...securityHeaders,
    ...own,
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": requestId,
    connection: "close",
    ...more,
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on("error", () => {});
  socket.end(`HTTP/1.1 ${status} ${reasons[status]}\r\n${head.join("")}\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), 2000);
  socket.once("close", () => clearTimeout(timer));
}

const reasons = { 400: "Bad Request", 405: "Method Not Allowed", 408: "Request Timeout", 431: "Request Header Fields Too Large" } as const;

function failureOf(code: string | undefined): { status: keyof typeof reasons; failure: FilemillError } {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, failure: new FilemillError("REQUEST_TIMEOUT", "The request's headers arrived too slowly.") };
    case "HPE_HEADER_OVERFLOW":
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: 431, failure: new FilemillError("BAD_REQUEST", "The request's headers are longer than 16 KiB; send fewer.") };
    default:
      return { status: 400, failure: new FilemillError("BAD_REQUEST", "This is not a well-formed HTTP/1.1 request.") };
  }
}
