/** One folder under DATA_DIR/scratch for each living process, which holds its lock; those of dead ones are removed by the next start. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { tryLock } from "#kit/file-lock.ts";

export type ProcessFolder = AsyncDisposable & {
  readonly path: string;
  /** Of this process and of none before it. */
  readonly name: string;
};

const lockName = "lock";
/** What nobody has touched for so long and nobody can hold, as earlier versions left it, has no owner any more. */
const unlockableAgeMs = 24 * 3_600_000;
/** An empty one is locked within moments, unless its process was killed in them. */
const emptyAgeMs = 60_000;

/** What becomes of a folder that is nobody's, and of what still runs of who had it. */
export type Estate = {
  endOrphans(name: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
};

/** Ends and removes what dead processes left under `root`, and makes a folder there that this process owns until it is disposed. */
export async function openProcessFolder(root: string, estate: Estate): Promise<ProcessFolder> {
  await mkdir(root, { recursive: true, mode: 0o711 });
  for (const name of await readdir(root)) await clear(root, name, estate);
  for (;;) {
    const name = randomUUID();
    const path = join(root, name);
    await mkdir(path, { mode: 0o711 });
    const lock = tryLock(join(path, lockName));
    // Another start has taken it for abandoned before it was locked.
    if (lock === undefined) continue;
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
    const ageMs = found === undefined ? 0 : Date.now() - found.mtimeMs;
    if (ageMs > unlockableAgeMs) await estate.removeFolder(path);
    // Not the folder of a process that locks it in this very moment, which has something in it then.
    else if (ageMs > emptyAgeMs) await rmdir(path).catch(() => undefined);
    return;
  }
  using lock = tryLockOf(lockPath);
  if (lock === undefined) return;
  await estate.endOrphans(name);
  await removeAll(path, estate);
}

/** Nothing also where another start, which cleared the folder first, has removed it in this moment. */
function tryLockOf(lockPath: string): ReturnType<typeof tryLock> {
  try {
    return tryLock(lockPath);
  } catch (error) {
    if (!existsSync(lockPath)) return undefined;
    throw error;
  }
}

/** The lock last: whoever is killed meanwhile leaves a folder that the next start takes over. */
async function removeAll(path: string, estate: Estate): Promise<void> {
  for (const name of await readdir(path).catch(() => [])) if (name !== lockName) await estate.removeFolder(join(path, name));
  await estate.removeFolder(path);
}
