import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { departureOf, type Handlers, requestBaseUrlOf } from "#gateway/exchange/exchange.ts";
import { ticketHandlers } from "./ticket-handlers.ts";

export const mcpHandlers = {
  ...ticketHandlers,
  /** POST /mcp: stateless; each message gets a server of its own. */
  async mcp(context, request, reply) {
    // Loaded when the first agent calls, to save memory on servers without agents.
    const { answerMessage } = await import("./answer-message.ts");
    const message = new Request(`${requestBaseUrlOf(context, request)}/mcp`, {
      method: "POST",
      headers: singleHeaders(request.headers),
      signal: departureOf(reply),
    });
    const answer = await answerMessage(context, request, message);
    reply.code(answer.status);
    for (const [name, value] of answer.headers) reply.header(name, value);
    return reply.send(answer.body === null ? undefined : Readable.fromWeb(answer.body as ReadableStream));
  },
} satisfies Handlers;

function singleHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as [string, string]] : []));
}
