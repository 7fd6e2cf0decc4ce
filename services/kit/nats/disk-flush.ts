import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";

/**
 * Flushes the volume of `dir` to the disk. Concurrent callers share one flush, but never one that began before their call, because it
 * may already have passed their bytes. Rejects with UNAVAILABLE if the disk rejects the data.
 */
export function createDiskFlush(dir: string): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  return () => {
    if (running === undefined) {
      running = start();
      return running;
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        running = start();
        return running;
      });
    return next;
  };

  function start(): Promise<void> {
    const flush = syncVolume(dir)
      .catch((cause: unknown) => {
        throw new FilemillError("UNAVAILABLE", "The disk cannot be written to; try again later.", {
          retryAfterMs: 10_000,
          cause,
        });
      })
      .finally(() => {
        if (running === flush) running = undefined;
      });
    return flush;
  }
}

/** syncfs(2) through coreutils. Elsewhere (macOS has no `-f`) only the folder itself can be synced. */
async function syncVolume(dir: string): Promise<void> {
  const code = await new Promise<number | null>((resolve) => {
    const child = spawn("sync", ["-f", dir], { stdio: "ignore" });
    child.once("error", () => resolve(null));
    child.once("close", (exitCode) => resolve(exitCode));
  });
  if (code === 0) return;
  const folder = await open(dir);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
