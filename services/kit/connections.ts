/** Decides which connections a server keeps when more arrive than it can hold. */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

/** Above this, the memory that each connection may use matters more than its descriptor. */
const mostConnections = 4096;

export type ConnectionBounds = {
  readonly total: number;
  readonly perClient: number;
};

export type Connections = {
  /**
   * Admits a new connection of the client. If there is no room, closes the connection that has been idle longest: among the client's own if
   * the client has reached its share, otherwise among all. False if none is idle; the new connection is then closed.
   */
  admit(socket: Socket, client: string): boolean;
  /** A request has begun, that is, its headers are complete. Until `end` is called, the connection is not idle. */
  begin(socket: Socket): { end(): void };
};

type Client = { count: number; readonly idle: Set<Socket> };
type Held = { readonly name: string; readonly client: Client; running: number };

export function createConnections({ total, perClient }: ConnectionBounds): Connections {
  const held = new Map<Socket, Held>();
  const clients = new Map<string, Client>();
  // In the order in which they became idle; so is each client's own set.
  const idle = new Set<Socket>();
  const forget = (socket: Socket): void => {
    const own = held.get(socket);
    if (own === undefined) return;
    held.delete(socket);
    idle.delete(socket);
    own.client.idle.delete(socket);
    own.client.count -= 1;
    if (own.client.count === 0) clients.delete(own.name);
  };
  const hasRoom = (name: string): boolean => {
    const client = clients.get(name);
    if (client !== undefined && client.count >= perClient) return shedOldest(client.idle, forget);
    return held.size < total || shedOldest(idle, forget);
  };
  const rest = (socket: Socket, { client }: Held): void => {
    idle.add(socket);
    client.idle.add(socket);
  };
  return {
    admit(socket, name) {
      if (!hasRoom(name)) {
        socket.destroy();
        return false;
      }
      const client = clients.get(name) ?? { count: 0, idle: new Set() };
      client.count += 1;
      clients.set(name, client);
      const own = { name, client, running: 0 };
      held.set(socket, own);
      // Idle from the start, so a connection whose first headers arrive slowly ages like any other.
      rest(socket, own);
      socket.once("close", () => forget(socket));
      return true;
    },
    begin(socket) {
      const own = held.get(socket);
      if (own === undefined) return { end: () => undefined };
      own.running += 1;
      idle.delete(socket);
      own.client.idle.delete(socket);
      return {
        end() {
          own.running -= 1;
          if (own.running === 0 && held.get(socket) === own) rest(socket, own);
        },
      };
    },
  };
}

function shedOldest(idle: Set<Socket>, forget: (socket: Socket) => void): boolean {
  const [oldest] = idle;
  if (oldest === undefined) return false;
  // Uncount it now, because its close event comes later.
  forget(oldest);
  oldest.destroy();
  return true;
}

/** Half of the files that this process may open. The rest is for conversions, blobs and the broker. */
export function connectionRoom(): number {
  return Math.max(16, Math.min(mostConnections, Math.floor(openFilesLimit() / 2)));
}

function openFilesLimit(): number {
  try {
    // Node has already raised its own limit as far as it is allowed to.
    const [, limit = ""] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return limit === "" ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
