/** Caches what is detected about this machine, for the many tests that would detect the same. */
import { randomUUID } from "node:crypto";
import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

const foundDir = resolve(".tmp/found");

/** Copies, since each owner writes its own. Stale entries are detected again. */
export async function putFound(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) await copyFile(join(foundDir, name), join(folder, name)).catch(() => undefined);
}

export async function keepFound(folder: string, names: readonly string[]): Promise<void> {
  await mkdir(foundDir, { recursive: true });
  for (const name of names) {
    // Others read it at the same time.
    const partial = join(foundDir, randomUUID());
    // Nothing new was detected, so nothing was written.
    await copyFile(join(folder, name), partial).then(
      () => rename(partial, join(foundDir, name)),
      () => rm(partial, { force: true }),
    );
  }
}
