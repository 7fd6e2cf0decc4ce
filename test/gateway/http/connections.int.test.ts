import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { boundConnections } from "#gateway/http/connections.ts";
import { openRaw, type RawClient } from "#test/gateway/raw-client.ts";

const stalledMs = 1500;
let server: Server;
let port: number;
const sources = new Set<Readable>();
/** The server side of the newest connection. */
let served: Socket;
/** Number of requests that are held without an answer. */
let held: number;
const hold = "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n";
/** Far more than the socket buffers of both ends hold. */
const wholeBytes = 64 * 1024 * 1024;
const quick = "GET /quick HTTP/1.1\r\nHost: a\r\n\r\n";
beforeEach(async () => {
  held = 0;
  // Time advances only when a test says so, not while this process waits to be scheduled.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  server = createServer((request, response) => {
    if (request.url === "/hold") {
      held += 1;
      return;
    }
    if (request.url === "/quick") return void response.end("ok");
    if (request.url === "/whole") return void response.end(Buffer.alloc(wholeBytes));
    const source = Readable.from(endless(), { objectMode: false });
    sources.add(source);
    response.on("close", () => source.destroy());
    source.on("close", () => sources.delete(source)).on("error", () => undefined);
    source.pipe(response);
  });
  boundConnections(server, { total: 6, perClient: 3, stalledMs });
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

describe("a client that stops reading", () => {
  it("is disconnected, which frees its connection and its source", async () => {
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

  it("is kept while it reads on in small amounts", async () => {
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

  it("is kept while it reads one large buffer in parts", async () => {
    const client = await openRaw(port);
    client.send("GET /whole HTTP/1.1\r\nHost: a\r\n\r\n");
    await client.until((text) => text.length > 0);
    for (let part = 0; part < 7; part += 1) {
      const before = client.socket.bytesRead;
      client.socket.resume();
      await expect.poll(() => client.socket.bytesRead, { interval: 2 }).toBeGreaterThan(before + wholeBytes / 10);
      client.socket.pause();
      vi.advanceTimersByTime(stalledMs / 2);
    }
    client.socket.resume();
    await expect.poll(() => client.socket.bytesRead, { interval: 2 }).toBeGreaterThan(wholeBytes);
    client.socket.destroy();
  });

  it("is kept if there is nothing to read", async () => {
    const client = await openRaw(port);
    await expect.poll(open).toBe(1);
    vi.advanceTimersByTime(10 * stalledMs);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await client.until((text) => text.includes("200 OK"))).toContain("200 OK");
    client.socket.destroy();
  });
});

describe("a single address", () => {
  it("is limited to its share of connections until it closes one", async () => {
    const clients = [await openRaw(port), await openRaw(port), await openRaw(port)];
    for (const client of clients) client.send(hold);
    await expect.poll(() => held).toBe(3);
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

  it("has only its own oldest idle connection closed to make room for a new one", async () => {
    const neighbour = await openRaw(port, "127.0.0.9");
    const clients = [await openRaw(port), await openRaw(port), await openRaw(port)];
    clients[0]?.send(quick);
    expect(await clients[0]?.until((text) => text.endsWith("ok"))).toContain("200 OK");
    const next = await openRaw(port);
    next.send(quick);
    expect(await next.until((text) => text.endsWith("ok"))).toContain("200 OK");
    // The second one, because the first has been used since.
    expect(await clients[1]?.until(() => false)).toBe("");
    for (const client of [neighbour, ...[0, 2].flatMap((at) => clients[at] ?? [])]) expect(client.socket.readyState).toBe("open");
    for (const client of [neighbour, ...clients, next]) client.socket.destroy();
  });
});

describe("a full server", () => {
  const everybody = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];

  it("closes the longest-idle connection (silent, slow head or keep-alive) before it refuses a new one", async () => {
    const silent = await openRaw(port, "127.0.0.2");
    const slow = await openRaw(port, "127.0.0.2");
    slow.send("GET /quick HTTP/1.1\r\nHost: a\r\nX-Slow: ");
    const between = await openRaw(port, "127.0.0.3");
    between.send(quick);
    await between.until((text) => text.endsWith("ok"));
    const busy = [await openRaw(port, "127.0.0.3"), await openRaw(port, "127.0.0.4"), await openRaw(port, "127.0.0.4")];
    for (const client of busy) client.send(hold);
    await expect.poll(() => held).toBe(3);
    const newcomers: RawClient[] = [];
    for (const shed of [silent, slow, between]) {
      slow.send("x");
      const newcomer = await openRaw(port, `127.0.0.${10 + newcomers.length}`);
      newcomers.push(newcomer);
      newcomer.send(hold);
      await expect.poll(() => held).toBe(3 + newcomers.length);
      await shed.until(() => false);
      expect(shed.socket.destroyed || shed.socket.readyState !== "open").toBe(true);
    }
    for (const client of [...busy, ...newcomers]) expect(client.socket.readyState).toBe("open");
    // Now all connections have a request in progress.
    const late = await openRaw(port, "127.0.0.20");
    late.send(quick);
    expect(await late.until(() => false)).toBe("");
    expect(await open()).toBe(6);
    for (const client of [...busy, ...newcomers]) client.socket.destroy();
  });

  it("keeps a connection while one of its two requests is still running", async () => {
    const clients = await Promise.all(everybody.flatMap((address) => [openRaw(port, address), openRaw(port, address)]));
    for (const client of clients) client.send(hold);
    await expect.poll(() => held).toBe(6);
    for (const client of clients) client.send(quick);
    const late = await openRaw(port, "127.0.0.20");
    expect(await late.until(() => false)).toBe("");
    for (const client of clients) {
      expect(client.socket.readyState).toBe("open");
      client.socket.destroy();
    }
  });
});
