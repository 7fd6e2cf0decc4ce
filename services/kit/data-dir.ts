import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { SettingError } from "./config.ts";

const advice: Readonly<Record<string, string>> = {
  EROFS: "is on a read-only file system: mount it read-write, or choose another folder",
  EACCES: "is not writable by this user: change its owner, or choose another folder",
  ENOSPC: "has no space left: free some, or choose another folder",
  EDQUOT: "has no space left for this user: free some, or choose another folder",
};

/**
 * Creates DATA_DIR if necessary and writes to it once. Resolves with its absolute path.
 *
 * @throws SettingError that says what is wrong. Found later, the same problem would appear as an error about some unknown file.
 */
export async function openDataDir(dir: string): Promise<string> {
  const path = resolve(dir);
  await makeFolder(path).catch((cause: unknown) => {
    throw new SettingError(`DATA_DIR ${path} cannot be created: choose a writable folder.`, { cause });
  });
  const probe = join(path, `.probe-${randomUUID()}`);
  try {
    await writeFile(probe, "x", { mode: 0o600 });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    throw new SettingError(`DATA_DIR ${path} ${advice[code] ?? `cannot be written (${code}): choose another folder`}.`, { cause });
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
  return path;
}

/** Like `recursive: true`, which never returns on a file system that cannot create folders, such as /proc. */
async function makeFolder(path: string): Promise<void> {
  const make = (): Promise<void> => mkdir(path, { mode: 0o711 });
  await make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") return;
    if (error.code !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await make();
  });
}
