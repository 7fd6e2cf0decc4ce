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

test("what is idle goes in the order in which it fell idle", () => {
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

test("whoever comes is refused only where nothing is idle, and holds nothing then", () => {
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

test("an exchange that ends after its connection was closed brings nothing back", async () => {
  const connections = createConnections({ total: 1, perClient: 1 });
  const a = line();
  connections.admit(a, "x");
  const exchange = connections.begin(a);
  a.emit("close");
  exchange.end();
  expect(connections.admit(line(), "x")).toBe(true);
});

test("there is room for connections, and as much for everything else", () => {
  expect(connectionRoom()).toBeGreaterThanOrEqual(16);
  expect(connectionRoom()).toBeLessThanOrEqual(4096);
});
