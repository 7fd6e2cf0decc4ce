import { FilemillError, throwKnown } from "#contract/errors.ts";
import type { GatewayDeps, GatewaySettings } from "#gateway/context.ts";

const FRESH_MS = 1000;
const BYTES_PER_MB = 1e6;

export type DiskRoom = {
  /** Rejects with UNAVAILABLE if there is too little space. Guests are refused first, while some is left for accounts. */
  check(isGuest: boolean): Promise<void>;
};

/**
 * Refuses uploads while the disk is nearly full. Checks the free space at most once a second. Deletes guests' results before it refuses an
 * account.
 */
export function createDiskRoom(
  { blobs, jobs }: Pick<GatewayDeps, "blobs" | "jobs">,
  { MIN_FREE_DISK_MB, GUEST_RESERVE_MB }: Pick<GatewaySettings, "MIN_FREE_DISK_MB" | "GUEST_RESERVE_MB">,
): DiskRoom {
  let askedAt = Number.NEGATIVE_INFINITY;
  let free = Promise.resolve(Number.POSITIVE_INFINITY);
  const ask = (): Promise<number> => {
    askedAt = performance.now();
    free = blobs.freeBytes();
    return free;
  };
  const makeRoom = async (): Promise<number> => {
    await jobs.makeRoom({}).catch(throwKnown);
    return ask();
  };
  return {
    async check(isGuest) {
      const left = await (performance.now() - askedAt > FRESH_MS ? ask() : free);
      const least = (MIN_FREE_DISK_MB + (isGuest ? GUEST_RESERVE_MB : 0)) * BYTES_PER_MB;
      if (left >= least || (!isGuest && (await makeRoom()) >= least)) return;
      const message = isGuest
        ? "There is no room for guests' files right now; sign in, or try again later."
        : "There is no room for uploads right now; try again later.";
      throw new FilemillError("UNAVAILABLE", message, { retryAfterMs: 30_000 });
    },
  };
}
