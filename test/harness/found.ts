/** What is found out about this machine once, for the many tests that would find the same. */
import { randomUUID } from "node:crypto";
import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

const foundDir = resolve(".tmp/found");

/** Copies, since each owner writes its own. What does not hold any more is found anew. */
export async function putFound(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) await copyFile(join(foundDir, name), join(folder, name)).catch(() => undefined);
}

export async function keepFound(folder: string, names: readonly string[]): Promise<void> {
  await mkdir(foundDir, { recursive: true });
  for (const name of names) {
    // Others read it at the same time.
    const partial = join(foundDir, randomUUID());
    // Who found nothing new has written nothing.
    await copyFile(join(folder, name), partial).then(
      () => rename(partial, join(foundDir, name)),
      () => rm(partial, { force: true }),
    );
  }
}
