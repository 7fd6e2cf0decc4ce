import type { FastifyReply, FastifyRequest } from "fastify";

const MAX_DISCARDED_BYTES = 1 << 20;
const MAX_LINGER_MS = 2000;

/** True when bytes of the request's body may still be on their way. */
export function hasUnreadBody(request: FastifyRequest): boolean {
  const { headers, complete } = request.raw;
  return !complete && (headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0");
}

/**
 * Answers a request whose body is not wanted, so that the client sees the answer: closing at once would reset the
 * connection under a client that is still sending. The whole answer goes out, at most 1 MiB more is read and thrown
 * away, and the connection closes when the body ends, the client leaves, or after two seconds.
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
    // What is not read fills the client's window; it stops sending and finds the answer, or we close on it.
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
