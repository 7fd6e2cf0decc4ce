import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { boundConnections } from "#gateway/http/connections.ts";
import { openRaw } from "#test/gateway/raw-client.ts";

const stalledMs = 1500;
let server: Server;
let port: number;
const sources = new Set<Readable>();
/** Of the newest connection, the server's end. */
let served: Socket;
beforeEach(async () => {
  // Time goes by when a test says so, and not while this process has to wait for its turn.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  server = createServer((_request, response) => {
    const source = Readable.from(endless(), { objectMode: false });
    sources.add(source);
    response.on("close", () => source.destroy());
    source.on("close", () => sources.delete(source)).on("error", () => undefined);
    source.pipe(response);
  });
  boundConnections(server, { perClient: 3, stalledMs });
  server.on("connection", (socket: Socket) => {
    served = socket;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  vi.useRealTimers();
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
    const later = (): Promise<number> => {
      vi.advanceTimersByTime(stalledMs / 4);
      return open();
    };
    await expect.poll(later).toBe(0);
    await expect.poll(() => sources.size).toBe(0);
    client.socket.destroy();
  });

  it("is left alone while it reads on, also in small sips", async () => {
    const client = await openRaw(port);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await client.until((text) => text.length > 0);
    const taken = (): number => served.bytesWritten - served.writableLength;
    for (let sip = 0; sip < 40; sip += 1) {
      const before = taken();
      client.socket.resume();
      await expect.poll(taken, { interval: 2 }).toBeGreaterThan(before);
      client.socket.pause();
      vi.advanceTimersByTime(stalledMs / 2);
    }
    const before = client.socket.bytesRead;
    client.socket.resume();
    await expect.poll(() => client.socket.bytesRead, { interval: 2 }).toBeGreaterThan(before + 20_000_000);
    client.socket.destroy();
  });

  it("does not count one that has nothing to read", async () => {
    const client = await openRaw(port);
    await expect.poll(open).toBe(1);
    vi.advanceTimersByTime(10 * stalledMs);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await client.until((text) => text.includes("200 OK"))).toContain("200 OK");
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
