/** Caches what is detected about this machine, for the many tests that would detect the same. */
import { randomUUID } from "node:crypto";
import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

const foundDir = resolve(".tmp/found");

/**
 * What a start detects about the machine: the engines, the inspectors' program,
 * and that the sandbox held (decisions 32, 75 and 88). It would be the same for every test.
 */
const foundByStart = ["engines.json", "inspector.cjs", "sandbox-held.full", "sandbox-held.degraded"];

/** Copies, since each owner writes its own. Stale entries are detected again. @param folder - DATA_DIR, which is made if it is not there. */
export async function putFound(folder: string, names: readonly string[] = foundByStart): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  for (const name of names) await copyFile(join(foundDir, name), join(folder, name)).catch(() => undefined);
}

export async function keepFound(folder: string, names: readonly string[] = foundByStart): Promise<void> {
  // Another user than the clone's keeps nothing.
  await mkdir(foundDir, { recursive: true }).catch(() => undefined);
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
