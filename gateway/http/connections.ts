/** Limits what one client may occupy: connections, and memory for answers it does not read. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { isIPv6, type Socket } from "node:net";
import { type ConnectionBounds, createConnections } from "#kit/connections.ts";

/**
 * A client that reads nothing for this long only occupies a connection. Progress is visible only in steps: the kernel reports it when a
 * third of its send buffer is free, and that buffer has tens to hundreds of kilobytes for a slow link.
 */
export const stalledReaderMs = 60_000;

export type DoorBounds = ConnectionBounds & {
  /** How long an answer may stall because its client does not read. */
  readonly stalledMs: number;
};

/**
 * Makes room for new connections by closing idle ones, and closes connections whose client has stopped reading. An address above its share
 * loses its own idle connections. A connection is idle unless a request is running on it; waiting for a job, following events and sending a
 * file are requests.
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
      // Written bytes minus those still queued. Grows only when a whole buffer is accepted, and a buffer can be a whole answer.
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

/** Bytes of the current buffer that the kernel has not accepted yet. Node uses the same figure to decide whether a socket is idle. */
function inHandOf(socket: Socket): number {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  return typeof handle === "object" && handle !== null && "writeQueueSize" in handle ? Number(handle.writeQueueSize) : 0;
}

/** Identifies a client: its address, or its /64 network for IPv6, because one host is given a whole /64. */
export function clientOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(address) ? networkOf(address) : address;
}

/** The first four groups of an IPv6 address. */
function networkOf(address: string): string {
  const [head = "", tail = ""] = address.split("%")[0]?.split("::") ?? [];
  const groups = (side: string): string[] => (side === "" ? [] : side.split(":"));
  const zeros = Math.max(0, 8 - groups(head).length - groups(tail).length);
  const all = address.includes("::") ? [...groups(head), ...Array<string>(zeros).fill("0"), ...groups(tail)] : groups(head);
  return all.slice(0, 4).join(":");
}
