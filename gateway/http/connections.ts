/** What one client may hold of the server: connections, and memory of answers that it does not read. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { isIPv6, type Socket } from "node:net";
import { type ConnectionBounds, createConnections } from "#kit/connections.ts";

/**
 * Who takes nothing in this time only holds it. The system tells what was taken when a third of its own buffer is free again: of the
 * tens to hundreds of kilobytes that it has for a slow link.
 */
export const stalledReaderMs = 60_000;

export type DoorBounds = ConnectionBounds & {
  /** How long an answer may wait for its reader without moving on. */
  readonly stalledMs: number;
};

/**
 * Makes room for who comes by closing what is idle, of an address above its share its own, and closes connections whose reader has stopped.
 * A connection is idle unless a request runs on it: waiting for a job, following events and sending a file are requests.
 */
export function boundConnections(server: Server, { stalledMs, ...bounds }: DoorBounds): void {
  const connections = createConnections(bounds);
  const open = new Map<Socket, { taken: number; inHand: number; atMs: number }>();
  server.on("connection", (socket: Socket) => {
    if (!connections.admit(socket, clientOf(socket.remoteAddress ?? ""))) return;
    open.set(socket, { taken: 0, inHand: 0, atMs: performance.now() });
    socket.once("close", () => open.delete(socket));
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const exchange = connections.begin(socket);
    response.once("close", exchange.end);
  });
  const check = (): void => {
    const nowMs = performance.now();
    for (const [socket, seen] of open) {
      // What was written but for what still waits: it grows with each buffer, of up to a whole answer, that was taken whole.
      const taken = socket.bytesWritten - socket.writableLength;
      const inHand = inHandOf(socket);
      const moves = taken !== seen.taken || inHand !== seen.inHand || socket.writableLength === 0;
      if (moves) open.set(socket, { taken, inHand, atMs: nowMs });
      else if (nowMs - seen.atMs > stalledMs) socket.destroy();
    }
  };
  const timer = setInterval(check, stalledMs / 4).unref();
  server.once("close", () => clearInterval(timer));
}

/** Bytes of the buffer under way that the system has not taken yet, by which Node itself tells whether a socket is idle. */
function inHandOf(socket: Socket): number {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  return typeof handle === "object" && handle !== null && "writeQueueSize" in handle ? Number(handle.writeQueueSize) : 0;
}

/** Who counts as one client: an address, or a /64 of IPv6, which is what one host is given. */
export function clientOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(address) ? networkOf(address) : address;
}

/** The first four groups. */
function networkOf(address: string): string {
  const [head = "", tail = ""] = address.split("%")[0]?.split("::") ?? [];
  const groups = (side: string): string[] => (side === "" ? [] : side.split(":"));
  const zeros = Math.max(0, 8 - groups(head).length - groups(tail).length);
  const all = address.includes("::") ? [...groups(head), ...Array<string>(zeros).fill("0"), ...groups(tail)] : groups(head);
  return all.slice(0, 4).join(":");
}
