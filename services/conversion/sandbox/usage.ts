/** Current resource usage of a process tree and of a folder. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const pageBytes = 4096;
/** More entries than any engine writes. A folder with more counts as full. */
const maxEntries = 100_000;

/** The process and all its descendants. Those that ended meanwhile are left out. */
export function treeOf(pid: number): number[] {
  const tree = [pid];
  for (const parent of tree) {
    for (const child of childrenOf(parent)) tree.push(child);
  }
  return tree;
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      (quietly(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1")) ?? "").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/**
 * Resident bytes of a tree. Shared pages are first counted for each process. Only if that sum exceeds `limitBytes` are the exact shares
 * read, which is more expensive.
 */
export function memoryOf(pid: number, limitBytes = Number.POSITIVE_INFINITY): number {
  const tree = treeOf(pid);
  const resident = sumOf(tree, (member) => Number(readFileSync(`/proc/${member}/statm`, "latin1").split(" ")[1]) * pageBytes);
  if (resident <= limitBytes || tree.length < 3) return resident;
  return sumOf(tree, (member) => 1024 * Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${member}/smaps_rollup`, "latin1"))?.[1] ?? 0));
}

const ticksPerSecond = 100;

/**
 * Measures the CPU time of a tree, in seconds since its processes started. Children that were waited for are included in the count of
 * their parent. Those that end unobserved are remembered as of the last check, so that a chain of short-lived processes is not free.
 */
export function createCpuMeter(pid: number): () => number {
  /** By process id and start time, because ids are reused. */
  const seen = new Map<string, number>();
  return () => {
    let waitedFor = 0;
    for (const member of treeOf(pid)) {
      const fields = quietly(() => statFieldsOf(member));
      if (fields === undefined) continue;
      // utime, stime, cutime, cstime and starttime are fields 14 to 17 and 22.
      const [own = 0, system = 0, ...ofChildren] = fields.slice(11, 15).map(Number);
      seen.set(`${member}.${fields[19]}`, own + system);
      waitedFor += own + system + ofChildren.reduce((sum, ticks) => sum + ticks, 0);
    }
    const remembered = [...seen.values()].reduce((sum, ticks) => sum + ticks, 0);
    // Each of the two may miss something, but neither counts anything twice.
    return Math.max(waitedFor, remembered) / ticksPerSecond;
  };
}

/** The name before the fields may contain spaces and brackets. */
function statFieldsOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function sumOf(tree: readonly number[], measure: (pid: number) => number): number {
  return tree.reduce((sum, member) => sum + (quietly(() => measure(member)) ?? 0), 0);
}

/** Bytes that the tree holds in unlinked files on the folder's disk, which a listing of the folder does not show. */
export function unlinkedBytesOf(pid: number, folder: string): number {
  const device = quietly(() => statSync(folder).dev);
  const seen = new Set<number>();
  return sumOf(treeOf(pid), (member) => {
    let bytes = 0;
    for (const descriptor of readdirSync(`/proc/${member}/fd`)) {
      const file = quietly(() => statSync(`/proc/${member}/fd/${descriptor}`));
      if (file === undefined || file.nlink !== 0 || file.dev !== device || !file.isFile() || seen.has(file.ino)) continue;
      seen.add(file.ino);
      bytes += file.blocks * 512;
    }
    return bytes;
  });
}

/** Bytes on disk under a folder; infinite if a part of it cannot be read or it has too many entries. Never follows a link. */
export async function folderBytesOf(folder: string): Promise<number> {
  let bytes = 0;
  let entries = 0;
  const pending = [folder];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const names = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
      return undefined;
    });
    entries += names?.length ?? 0;
    if (names === undefined || entries > maxEntries) return Number.POSITIVE_INFINITY;
    for (const entry of names) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) pending.push(inner);
      else bytes += ((await lstat(inner).catch(() => undefined))?.blocks ?? 0) * 512;
    }
  }
  return bytes;
}

function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
