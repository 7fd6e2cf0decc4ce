/** User ids for sandboxed programs, so that no two runs on this host share one. */
import { createServer, type Server } from "node:net";
import { FilemillError } from "#contract/errors.ts";

const poolSize = 500;
/** Released ids rest while others are available, in case a process of their last user is still ending. */
const reserve = 16;

export type UserIds = AsyncDisposable & {
  /** Rejects with UNAVAILABLE if all of them are in use here. */
  claim(): Promise<number>;
  release(uid: number): void;
};

/**
 * The five hundred ids from `firstUid` on. Another Filemill on this host, or the command line tool beside the server, uses other ids. The
 * kernel counts processes by user, so a fork bomb in one would otherwise stop the engines of the other. Ids are shared only when none are
 * left.
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

/** An abstract socket name disappears with its process, however it ends. A file would stay. */
function lockOf(uid: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => resolve(undefined));
    server.listen({ path: `\0filemill-user-${uid}` }, () => resolve(server.unref()));
  });
}

/** Two processes start at different places, in case ids must be shared, as with a Filemill in a container. */
function shuffled(uids: number[]): number[] {
  const start = Math.floor(Math.random() * uids.length);
  return [...uids.slice(start), ...uids.slice(0, start)];
}
