/** One folder under DATA_DIR/scratch for each live process, which holds its lock. The next start removes those of dead processes. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { tryLock } from "#kit/file-lock.ts";

export type ProcessFolder = AsyncDisposable & {
  readonly path: string;
  /** Unique to this process; no earlier one had it. */
  readonly name: string;
};

const lockName = "lock";
/** A new folder is locked within moments, unless its process was killed in between. */
const emptyAgeMs = 60_000;

/** How to remove an abandoned folder, and whatever its owner left running. */
export type Estate = {
  endOrphans(name: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
};

/** Ends and removes what dead processes left under `root`. Creates a folder there that this process owns until it is disposed. */
export async function openProcessFolder(root: string, estate: Estate): Promise<ProcessFolder> {
  await mkdir(root, { recursive: true, mode: 0o711 });
  for (const name of await readdir(root)) await clear(root, name, estate);
  for (;;) {
    const name = randomUUID();
    const path = join(root, name);
    await mkdir(path, { mode: 0o711 });
    const lockPath = join(path, lockName);
    const lock = tryLockOf(lockPath);
    // Another starting process took it for abandoned before it was locked. It may have removed the file between opening and locking.
    if (lock === undefined || !existsSync(lockPath)) {
      lock?.[Symbol.dispose]();
      continue;
    }
    return {
      path,
      name,
      async [Symbol.asyncDispose]() {
        await removeAll(path, estate);
        lock[Symbol.dispose]();
      },
    };
  }
}

async function clear(root: string, name: string, estate: Estate): Promise<void> {
  const path = join(root, name);
  const lockPath = join(path, lockName);
  if (!existsSync(lockPath)) {
    const found = await stat(path).catch(() => undefined);
    // rmdir spares the folder of a process that is locking it right now, because it is no longer empty.
    if (found !== undefined && Date.now() - found.mtimeMs > emptyAgeMs) await rmdir(path).catch(() => undefined);
    return;
  }
  using lock = tryLockOf(lockPath);
  if (lock === undefined) return;
  await estate.endOrphans(name);
  await removeAll(path, estate);
}

/** Also undefined if another starting process, which cleared the folder first, has just removed it. */
function tryLockOf(lockPath: string): ReturnType<typeof tryLock> {
  try {
    return tryLock(lockPath);
  } catch (error) {
    if (!existsSync(lockPath)) return undefined;
    throw error;
  }
}

/** Removes the lock last, so that the next start takes over the folder of a process killed in between. */
async function removeAll(path: string, estate: Estate): Promise<void> {
  for (const name of await readdir(path).catch(() => [])) if (name !== lockName) await estate.removeFolder(join(path, name));
  await estate.removeFolder(path);
}
