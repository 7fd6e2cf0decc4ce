import type { BlobStore } from "#kit/blobs/store.ts";
import { FilemillError } from "#kit/errors.ts";

const FRESH_MS = 1000;

export type DiskRoom = {
  /** Rejects with UNAVAILABLE when there is too little room. */
  check(): Promise<void>;
};

/** Refuses uploads while the disk is nearly full; the free space is asked at most once a second. */
export function createDiskRoom(blobs: BlobStore, minFreeMb: number): DiskRoom {
  let askedAt = Number.NEGATIVE_INFINITY;
  let free = Promise.resolve(Number.POSITIVE_INFINITY);
  return {
    async check() {
      if (performance.now() - askedAt > FRESH_MS) {
        askedAt = performance.now();
        free = blobs.freeBytes();
      }
      if ((await free) < minFreeMb * 1e6) {
        throw new FilemillError("UNAVAILABLE", "There is no room for uploads at the moment; try again later.", { retryAfterMs: 30_000 });
      }
    },
  };
}
