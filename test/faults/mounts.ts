/** File systems for faults: small, in a file, or broken. Only root may mount. */
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Mount = AsyncDisposable & { readonly path: string };

/** Why nothing can be mounted here; undefined if it can. */
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

/** An ext4 file system in a new file. */
export async function mountImage(path: string, image: string, sizeMb: number): Promise<Mount> {
  await run("truncate", ["-s", `${sizeMb}M`, image]);
  await run("mkfs.ext4", ["-q", "-F", image]);
  return remountImage(path, image);
}

/** An existing one, as at boot: fsck runs first and replays its journal. */
export async function remountImage(path: string, image: string): Promise<Mount> {
  // 1 and 2: errors were corrected.
  await run("fsck.ext4", ["-f", "-y", image]).catch((error: { code?: number }) => {
    if ((error.code ?? 8) > 2) throw error;
  });
  return mounted(path, ["-o", "loop", image]);
}

const mountPoints = new Set<string>();
// Unmounts everything if the suite is interrupted.
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
      // Lazy, so that processes with open files do not block it.
      await run("umount", ["-l", path]);
      mountPoints.delete(path);
    },
  };
}

/** Makes an ext4 file system read-only at once, as the kernel does when a disk fails. */
export async function breakMount({ path }: Mount): Promise<void> {
  await run("mount", ["-o", "remount,abort", path]);
}

/** Fills all but this many bytes. */
export async function fillUp(path: string, leaveBytes: number): Promise<void> {
  const filler = await open(join(path, "filler"), "a");
  try {
    const volume = await statfs(path);
    for (let left = volume.bavail * volume.bsize - leaveBytes; left > 0; left -= 2 ** 18)
      await filler.write(Buffer.alloc(Math.min(left, 2 ** 18)));
  } catch (error) {
    // Another process took the last bytes.
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    await filler.close();
  }
}

export async function makeRoom(path: string): Promise<void> {
  await rm(join(path, "filler"), { force: true });
}
