import type { FastifyReply, FastifyRequest } from "fastify";

const MAX_DISCARDED_BYTES = 1 << 20;
const MAX_LINGER_MS = 2000;

/** True if bytes of the request's body may still arrive. */
export function hasUnreadBody(request: FastifyRequest): boolean {
  const { headers, complete } = request.raw;
  return !complete && (headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0");
}

/**
 * Answers a request whose body is not wanted, so that the client sees the answer. Closing immediately would reset the connection while the
 * client is still sending. Sends the whole answer, then reads and discards at most 1 MiB. Closes the connection when the body ends, the
 * client disconnects, or after two seconds.
 */
export function answerAndLinger(request: FastifyRequest, reply: FastifyReply, status: number, body: string): void {
  const { raw: incoming } = request;
  const { raw: outgoing } = reply;
  reply.hijack();
  outgoing.on("error", () => {});
  incoming.on("error", () => {});
  outgoing.writeHead(status, { ...outgoingHeadersOf(reply), connection: "close", "content-length": Buffer.byteLength(body) });
  outgoing.write(body);
  const close = (): void => {
    clearTimeout(timer);
    outgoing.end(() => incoming.destroy());
  };
  const timer = setTimeout(close, MAX_LINGER_MS);
  let discarded = 0;
  incoming.unpipe();
  incoming.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    // Unread data fills the client's send window. The client then stops sending and reads the answer, or the timeout closes the connection.
    if (discarded > MAX_DISCARDED_BYTES) incoming.pause();
  });
  incoming.once("end", close);
  incoming.once("close", () => clearTimeout(timer));
  incoming.resume();
}

function outgoingHeadersOf(reply: FastifyReply): Record<string, number | string | string[]> {
  const headers: Record<string, number | string | string[]> = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) headers[name] = value;
  return headers;
}
