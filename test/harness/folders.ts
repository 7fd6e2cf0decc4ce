/** Folders that other processes write to while a test inspects or removes them. */
import type { Dirent } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Removes a folder with everything in it, even what an exiting process still writes. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** Paths of all files under a folder; files that disappear meanwhile are left out. */
export async function filesUnder(folder: string): Promise<string[]> {
  const inner = await Promise.all(
    (await entriesOf(folder)).map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesUnder(path);
      return entry.isFile() ? [path] : [];
    }),
  );
  return inner.flat();
}

/** Total size of all files under a folder. */
export async function bytesUnder(folder: string): Promise<number> {
  const sizes = await Promise.all(
    (await filesUnder(folder)).map((path) =>
      stat(path).then(
        (found) => found.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Empty if the folder does not exist. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
