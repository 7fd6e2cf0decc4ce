/** A connection between a client and a server that breaks or stalls, as a phone's does. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type CuttingLine = Disposable & {
  readonly url: string;
  cuts(): number;
  /** Bytes sent by the client so far. */
  sent(): number;
  /** From now on everything passes. */
  release(): void;
};

type Fault = {
  /** The connection is cut each time this many bytes were sent ... */
  readonly everyBytes: number;
  /** ... this often. Without it, nothing more passes after the first time. */
  readonly times?: number;
};

export async function openCuttingLine(port: number, { everyBytes, times }: Fault): Promise<CuttingLine> {
  let [cuts, sent, sinceCut] = [0, 0, 0];
  let isHolding = times === undefined;
  const sockets = new Set<Socket>();
  const held = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    far.pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.on("data", (chunk) => {
      sent += chunk.length;
      sinceCut += chunk.length;
      const isFull = sinceCut >= everyBytes;
      if (isFull && times !== undefined && cuts < times) {
        sinceCut = 0;
        cuts += 1;
        near.resetAndDestroy();
        return;
      }
      const isHeld = isHolding && isFull && chunk.length > 1000;
      if (isHeld) held.add(near.pause());
      if (far.write(chunk) || isHeld) return;
      near.pause();
      far.once("drain", () => near.resume());
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    sent: () => sent,
    release() {
      isHolding = false;
      for (const socket of held) socket.resume();
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
