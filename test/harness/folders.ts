/** Folders that others write to while a test looks at them or removes them. */
import type { Dirent } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Removes it with all that is in there, also what a process that is ending still writes. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** The paths of all files under a folder; what goes meanwhile is left out. */
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

/** The sizes of all files under a folder, together. */
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

/** None when the folder is gone. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
