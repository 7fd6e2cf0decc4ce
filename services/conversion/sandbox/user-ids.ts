/** User ids that sandboxed programs run under, so that no two runs on this host share one. */
import { createServer, type Server } from "node:net";
import { FilemillError } from "#contract/errors.ts";

const poolSize = 500;
/** Released ids rest as long as there are others, in case something of their last user is still ending. */
const reserve = 16;

export type UserIds = AsyncDisposable & {
  /** Rejects with UNAVAILABLE when all are in use here. */
  claim(): Promise<number>;
  release(uid: number): void;
};

/**
 * The five hundred ids from `firstUid` on. Another Filemill on this host, or the command beside the server, takes other ones: the
 * kernel counts processes by user, and one's fork bomb would stop the other's engines. When nothing is left, they are shared.
 */
export function openUserIds(firstUid: number): UserIds {
  const locks: Server[] = [];
  const released: number[] = [];
  const untried = shuffled(Array.from({ length: poolSize }, (_, index) => firstUid + index));
  const taken: number[] = [];

  async function claim(): Promise<number> {
    while (released.length < reserve) {
      const uid = untried.shift();
      if (uid === undefined) break;
      const lock = await lockOf(uid);
      if (lock !== undefined) {
        locks.push(lock);
        return uid;
      }
      taken.push(uid);
    }
    const uid = released.shift() ?? taken.shift();
    if (uid === undefined) throw new FilemillError("UNAVAILABLE", "Too many engine runs at once.", { retryAfterMs: 1000 });
    return uid;
  }

  async function close(): Promise<void> {
    await Promise.all(locks.map((lock) => new Promise((resolve) => lock.close(resolve))));
  }

  return { claim, release: (uid) => void released.push(uid), [Symbol.asyncDispose]: close };
}

/** A name in the kernel's own space is gone with its process, however that ends; a file would stay. */
function lockOf(uid: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => resolve(undefined));
    server.listen({ path: `\0filemill-user-${uid}` }, () => resolve(server.unref()));
  });
}

/** Where ids must be shared, as with a Filemill in a container, two begin at different places. */
function shuffled(uids: number[]): number[] {
  const start = Math.floor(Math.random() * uids.length);
  return [...uids.slice(start), ...uids.slice(0, start)];
}
