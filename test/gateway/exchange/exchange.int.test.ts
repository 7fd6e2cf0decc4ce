import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { expect, it } from "vitest";
import { departureOf } from "#gateway/exchange/exchange.ts";
import { openRaw } from "#test/gateway/raw-client.ts";

it("reports a client as departed even if it left earlier, but not after it was answered", async () => {
  const met = Promise.withResolvers<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.url === "/hold") met.resolve(response);
    else response.end("ok");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const client = await openRaw(typeof address === "object" && address !== null ? address.port : 0);
  const answered = once(server, "request");
  client.send("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n");
  const [, quick] = await answered;
  const stayed = departureOf({ raw: quick } as FastifyReply);
  await client.until((text) => text.endsWith("ok"));
  client.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  const held = await met.promise;
  const closed = once(held, "close");
  client.socket.destroy();
  await closed;
  expect(departureOf({ raw: held } as FastifyReply).reason).toMatchObject({ code: "BAD_REQUEST" });
  expect(departureOf({ raw: quick } as FastifyReply).aborted).toBe(false);
  expect(stayed.aborted).toBe(false);
  server.close();
});
