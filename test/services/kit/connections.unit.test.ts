import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { connectionRoom, createConnections } from "#kit/connections.ts";

class Line extends EventEmitter {
  isClosed = false;
  destroy(): void {
    this.isClosed = true;
    // Asynchronous, as with a socket.
    setImmediate(() => this.emit("close"));
  }
}

const line = () => new Line() as Line & Socket;

test("closes idle connections in the order they became idle", () => {
  const connections = createConnections({ total: 3, perClient: 3 });
  const [a, b, c] = [line(), line(), line()];
  for (const each of [a, b, c]) expect(connections.admit(each, "x")).toBe(true);
  connections.begin(a).end();
  const closed = [1, 2, 3].map(() => {
    connections.admit(line(), "y");
    return [a, b, c].filter(({ isClosed }) => isClosed).length;
  });
  expect(closed).toEqual([1, 2, 3]);
  expect([b, c, a].map(({ isClosed }) => isClosed)).toEqual([true, true, true]);
});

test("rejects a new connection only if none is idle, and then holds no slot for it", () => {
  const connections = createConnections({ total: 2, perClient: 2 });
  const [a, b, late] = [line(), line(), line()];
  for (const each of [a, b]) connections.admit(each, "x");
  const exchanges = [a, b].map((each) => connections.begin(each));
  expect(connections.admit(late, "y")).toBe(false);
  expect(late.isClosed).toBe(true);
  exchanges[1]?.end();
  expect(connections.admit(line(), "y")).toBe(true);
  expect([a.isClosed, b.isClosed]).toEqual([false, true]);
});

test("frees nothing twice when an exchange ends after its connection closed", async () => {
  const connections = createConnections({ total: 1, perClient: 1 });
  const a = line();
  connections.admit(a, "x");
  const exchange = connections.begin(a);
  a.emit("close");
  exchange.end();
  expect(connections.admit(line(), "x")).toBe(true);
});

test("allows between 16 and 4096 connections", () => {
  expect(connectionRoom()).toBeGreaterThanOrEqual(16);
  expect(connectionRoom()).toBeLessThanOrEqual(4096);
});
