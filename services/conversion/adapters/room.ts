/** Whether the disk ran full while an attempt was made: an engine that cannot write calls a good file damaged. */
import { statfs } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import type { BlobStore } from "#kit/blobs/store.ts";
import type { Failure } from "../domain/failure.ts";

/** Below this the next write of an engine may fail. */
const shortBytes = 16 * 1024 * 1024;
/** An engine that failed takes its files with it, and there is room again. */
const lookMs = 100;

export type RoomWatch = Disposable & {
  /** The failure as it is, or as ours where there was too little room at any moment. */
  judge(failure: Failure): Promise<Failure>;
};

/** Looks at the disk that engines write to, and at that of the blobs, until it is disposed. */
export function watchRoom(scratchDir: string, blobs: Pick<BlobStore, "freeBytes">): RoomWatch {
  let wasShort = false;
  const look = async (): Promise<void> => {
    const found = await Promise.allSettled([freeBytesOf(scratchDir), blobs.freeBytes()]);
    if (found.some((free) => free.status === "fulfilled" && free.value < shortBytes)) wasShort = true;
  };
  const timer = setInterval(() => void look(), lookMs).unref();
  return {
    async judge(failure) {
      // Who met the bound of their plan would meet it again.
      if (failure.retryable || failure.error.code === "QUOTA_EXCEEDED") return failure;
      await look();
      if (!wasShort) return failure;
      const error = new FilemillError("UNAVAILABLE", "The disk ran full during the conversion; try again later.", { cause: failure.error });
      return { error, retryable: true, unexpected: false };
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Whether an engine would have nowhere to write. */
export async function isShort(scratchDir: string): Promise<boolean> {
  return (await freeBytesOf(scratchDir)) < shortBytes;
}

async function freeBytesOf(dir: string): Promise<number> {
  const volume = await statfs(dir);
  return volume.bavail * volume.bsize;
}
