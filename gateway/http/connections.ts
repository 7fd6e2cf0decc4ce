/** What one client may hold of the server: connections, and memory of answers that it does not read. */
import type { Server } from "node:http";
import { isIPv6, type Socket } from "node:net";

/** Who takes less than a buffer (64 to 256 KiB) in this time only holds it; slow mobile links are faster. */
export const stalledReaderMs = 60_000;

export type ConnectionBounds = {
  /** Open connections of one address, or of one /64 of IPv6, which is what one host is given. */
  readonly perClient: number;
  /** How long an answer may wait for its reader without moving on. */
  readonly stalledMs: number;
};

/** Closes the connections of an address above its share at once, and those whose reader has stopped. */
export function boundConnections(server: Server, { perClient, stalledMs }: ConnectionBounds): void {
  const counts = new Map<string, number>();
  const open = new Map<Socket, { taken: number; atMs: number }>();
  server.on("connection", (socket: Socket) => {
    const client = clientOf(socket.remoteAddress ?? "");
    const count = counts.get(client) ?? 0;
    if (count >= perClient) return void socket.destroy();
    counts.set(client, count + 1);
    open.set(socket, { taken: 0, atMs: performance.now() });
    socket.once("close", () => {
      open.delete(socket);
      const left = (counts.get(client) ?? 1) - 1;
      if (left > 0) counts.set(client, left);
      else counts.delete(client);
    });
  });
  const check = (): void => {
    const nowMs = performance.now();
    for (const [socket, seen] of open) {
      // What was written but for what still waits: it grows with each buffer that the client has taken whole.
      const taken = socket.bytesWritten - socket.writableLength;
      if (taken > seen.taken || socket.writableLength === 0) open.set(socket, { taken, atMs: nowMs });
      else if (nowMs - seen.atMs > stalledMs) socket.destroy();
    }
  };
  const timer = setInterval(check, stalledMs / 4).unref();
  server.once("close", () => clearInterval(timer));
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
