/** Detects whether the disk ran full during an attempt, because an engine that cannot write calls an intact file damaged. */
import { statfs } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import type { BlobStore } from "#kit/blobs/store.ts";
import type { Failure } from "../domain/failure.ts";

/** Below this, an engine's next write may fail. */
const shortBytes = 16 * 1024 * 1024;
/** A failed engine's files are removed with it, so there is room again. Check often. */
const lookMs = 100;

export type RoomWatch = Disposable & {
  /** Returns the failure unchanged, or as the server's own if there was too little room at any time. */
  judge(failure: Failure): Promise<Failure>;
};

/** Monitors the disk that engines write to, and that of the blobs, until it is disposed. */
export function watchRoom(scratchDir: string, blobs: Pick<BlobStore, "freeBytes">): RoomWatch {
  let wasShort = false;
  const look = async (): Promise<void> => {
    const found = await Promise.allSettled([freeBytesOf(scratchDir), blobs.freeBytes()]);
    if (found.some((free) => free.status === "fulfilled" && free.value < shortBytes)) wasShort = true;
  };
  const timer = setInterval(() => void look(), lookMs).unref();
  return {
    async judge(failure) {
      // A job that reached the limit of its plan would reach it again.
      if (failure.retryable || failure.error.code === "QUOTA_EXCEEDED") return failure;
      await look();
      if (!wasShort) return failure;
      const error = new FilemillError("UNAVAILABLE", "The disk ran full during the conversion; try again later.", { cause: failure.error });
      return { error, retryable: true, unexpected: false };
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Whether engines have no room to write. */
export async function isShort(scratchDir: string): Promise<boolean> {
  return (await freeBytesOf(scratchDir)) < shortBytes;
}

async function freeBytesOf(dir: string): Promise<number> {
  const volume = await statfs(dir);
  return volume.bavail * volume.bsize;
}
