import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { FilemillError } from "#contract/errors.ts";
import { errorAnswerOf } from "./error-body.ts";
import { securityHeaders } from "./headers.ts";

/** Bounds of the HTTP server itself. */
export const httpOptions = {
  /** Of request line and headers; more answers 431. */
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  noDelay: true,
  /** Refused by our own hook, in the shape of every other error; Node's answer would have neither body nor request id. */
  requireHostHeader: false,
} as const;

/** A connection on which nothing moves in either direction; longer than any wait that a client can ask for. */
export const IDLE_CONNECTION_MS = 90_000;

/** Has the server hold back `100 Continue` until a handler writes it, and ignore expectations it does not know. */
export function tuneServer(server: Server): void {
  const passOn = (...exchange: unknown[]): void => {
    server.emit("request", ...exchange);
  };
  server.on("checkContinue", passOn);
  server.on("checkExpectation", passOn);
  // Nothing is tunnelled; without a listener Node closes the connection and says nothing.
  server.on("connect", (_request, socket: Duplex) => {
    const failure = new FilemillError("METHOD_NOT_ALLOWED", "This server is not a proxy; see /docs.");
    answerRaw(socket, 405, failure, { allow: "GET, HEAD, POST, PUT, PATCH, DELETE" });
  });
}

const answered = new WeakSet<Socket>();

/** Answers what is not HTTP, too long or too slow in the shape of every other error. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // What the client still sends fails to parse again and again until the connection is closed.
  if (answered.has(socket)) return;
  answered.add(socket);
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, failure } = failureOf(error.code);
  answerRaw(socket, status, failure);
}

/** Answers where there is no response to write to, and closes. */
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
