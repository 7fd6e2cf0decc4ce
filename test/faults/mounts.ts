/** File systems of a fault's own: small, on a file, or gone bad. Only root may mount. */
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Mount = AsyncDisposable & { readonly path: string };

/** Why nothing can be mounted here; undefined when it can. */
export async function mountRefusal(home: string): Promise<string | undefined> {
  try {
    await using _probe = await mountMemory(join(home, "probe"), 1);
    return undefined;
  } catch (error) {
    return `nothing can be mounted here (${String(error).split("\n")[0]?.slice(0, 120)})`;
  }
}

export async function mountMemory(path: string, sizeMb: number): Promise<Mount> {
  return mounted(path, ["-t", "tmpfs", "-o", `size=${sizeMb}m,mode=711`, "tmpfs"]);
}

/** An ext4 file system on a new file. */
export async function mountImage(path: string, image: string, sizeMb: number): Promise<Mount> {
  await run("truncate", ["-s", `${sizeMb}M`, image]);
  await run("mkfs.ext4", ["-q", "-F", image]);
  return remountImage(path, image);
}

/** One that is there already, as a boot finds it: checked first, which replays its journal. */
export async function remountImage(path: string, image: string): Promise<Mount> {
  // 1 and 2: it was mended.
  await run("fsck.ext4", ["-f", "-y", image]).catch((error: { code?: number }) => {
    if ((error.code ?? 8) > 2) throw error;
  });
  return mounted(path, ["-o", "loop", image]);
}

const mountPoints = new Set<string>();
// Nothing stays mounted when the suite is interrupted.
process.on("exit", () => {
  for (const path of mountPoints) spawnSync("umount", ["-l", path]);
});

async function mounted(path: string, how: readonly string[]): Promise<Mount> {
  mkdirSync(path, { recursive: true });
  await run("mount", [...how, path]);
  mountPoints.add(path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      // Lazily: whoever still has a file open there keeps nothing of it in the tree.
      await run("umount", ["-l", path]);
      mountPoints.delete(path);
    },
  };
}

/** Makes an ext4 file system read-only at once, as the kernel does it when the disk fails. */
export async function breakMount({ path }: Mount): Promise<void> {
  await run("mount", ["-o", "remount,abort", path]);
}

/** Takes all room but so many bytes. */
export async function fillUp(path: string, leaveBytes: number): Promise<void> {
  const filler = await open(join(path, "filler"), "a");
  try {
    const volume = await statfs(path);
    for (let left = volume.bavail * volume.bsize - leaveBytes; left > 0; left -= 2 ** 18)
      await filler.write(Buffer.alloc(Math.min(left, 2 ** 18)));
  } catch (error) {
    // Somebody else took the last bytes.
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    await filler.close();
  }
}

export async function makeRoom(path: string): Promise<void> {
  await rm(join(path, "filler"), { force: true });
}
