/** Moves a file and never loses one: neither the moved file, nor one that has its name already. */
import { copyFile, mkdir, open, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, extname } from "node:path";

/** Moves a file to the path, or next to it if the path is taken: `a (2).png`. Resolves with the path. */
export async function moveFile(from: string, wanted: string): Promise<string> {
  await mkdir(dirname(wanted), { recursive: true });
  const to = await claimed(wanted);
  try {
    await rename(from, to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EXDEV") throw error;
      return copyThenDelete(from, to);
    });
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
  return to;
}

/** Creates the file empty, because a path that is only found to be free can be taken before the move. */
async function claimed(wanted: string): Promise<string> {
  const extension = extname(wanted);
  const stem = wanted.slice(0, wanted.length - extension.length);
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : `${stem} (${number})${extension}`;
    try {
      await (await open(path, "wx")).close();
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** For a folder on another filesystem. */
async function copyThenDelete(from: string, to: string): Promise<void> {
  const before = await stat(from);
  await copyFile(from, to);
  // Otherwise the copy would look like a new file.
  await utimes(to, before.atime, before.mtime);
  const after = await stat(from);
  if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) {
    throw Object.assign(new Error("the file changed while it was copied"), { code: "EBUSY" });
  }
  await rm(from);
}
