import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { boundConnections } from "#gateway/http/connections.ts";
import { openRaw } from "#test/gateway/raw-client.ts";

let server: Server;
let port: number;
const sources = new Set<Readable>();
beforeEach(async () => {
  server = createServer((_request, response) => {
    const source = Readable.from(endless(), { objectMode: false });
    sources.add(source);
    response.on("close", () => source.destroy());
    source.on("close", () => sources.delete(source)).on("error", () => undefined);
    source.pipe(response);
  });
  boundConnections(server, { perClient: 3, stalledMs: 1500 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(65_536, 1);
}

const open = async (): Promise<number> => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));

describe("a reader that stops", () => {
  it("is cut off, and holds neither its connection nor its source any more", async () => {
    const client = await openRaw(port);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await client.until((text) => text.length > 0);
    client.socket.pause();
    await expect.poll(open, { timeout: 10_000 }).toBe(0);
    await expect.poll(() => sources.size).toBe(0);
    client.socket.destroy();
  });

  it("is left alone while it reads on, also in small sips", async () => {
    const client = await openRaw(port);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    for (let sip = 0; sip < 40; sip += 1) {
      const before = client.socket.bytesRead;
      client.socket.resume();
      await expect.poll(() => client.socket.bytesRead, { interval: 2 }).toBeGreaterThan(before + 1_000_000);
      client.socket.pause();
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(await open()).toBe(1);
    client.socket.destroy();
  });

  it("does not count one that has nothing to read", async () => {
    const client = await openRaw(port);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(await open()).toBe(1);
    client.socket.destroy();
  });
});

describe("one address", () => {
  it("has its share of connections, and gets it back when it closes one", async () => {
    const clients = [await openRaw(port), await openRaw(port), await openRaw(port)];
    const surplus = await openRaw(port);
    surplus.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await surplus.until(() => false)).toBe("");
    clients[0]?.socket.destroy();
    await expect.poll(open).toBe(2);
    const next = await openRaw(port);
    next.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await next.until((text) => text.includes("200 OK"))).toContain("200 OK");
    for (const client of [...clients, next]) client.socket.destroy();
  });
});
