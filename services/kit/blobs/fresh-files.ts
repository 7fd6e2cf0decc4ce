/**
 * A cache of small files that this process has just written and that nobody changes, with their bytes. A conversion reads its input three
 * times
 * and its result three times. For an icon, opening the files that often took longer than everything else. Anything not cached is on the
 * disk.
 *
 * A held file exists only here: creating a file is expensive, and nobody has to wait for it (decision 29).
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A running conversion holds two. */
const maxFiles = 64;
const maxBytes = 8 * 1024 * 1024;

/** How a held file is written to the disk: first under another name, which a sweep removes if it is left behind. */
export type Held = { readonly partial: string; readonly mode: number; readonly folderMode: number };
type Fresh = { readonly bytes: Buffer; readonly held: Held | undefined };

const files = new Map<string, Fresh>();
let heldBytes = 0;

/**
 * The file belongs to this process and is read-only. Neither the file nor the bytes may change afterwards. The oldest files are evicted.
 */
export function rememberFile(path: string, bytes: Buffer): void {
  add(path, { bytes, held: undefined });
}

/** The same for a file that is not on the disk yet. `putOnDisk` writes it, at the latest when the file is evicted. */
export function holdFile(path: string, bytes: Buffer, held: Held): void {
  add(path, { bytes, held });
}

function add(path: string, fresh: Fresh): void {
  forgetFile(path);
  files.set(path, fresh);
  heldBytes += sizeOf(fresh.bytes);
  for (const oldest of files.keys()) {
    if (files.size <= maxFiles && heldBytes <= maxBytes) return;
    // A file that cannot be written stays here, because there is no other copy.
    if (quietly(() => putOnDisk(oldest))) forgetFile(oldest);
  }
}

export function recallFile(path: string): Buffer | undefined {
  return files.get(path)?.bytes;
}

/**
 * Does nothing for a file that is already on the disk. Throws write errors. After an error the file is still held, and no partial file
 * remains.
 */
export function putOnDisk(path: string): void {
  const fresh = files.get(path);
  if (fresh?.held === undefined) return;
  const { partial, mode, folderMode } = fresh.held;
  try {
    writeFileSync(partial, fresh.bytes, { flag: "wx", mode });
    mkdirSync(dirname(path), { recursive: true, mode: folderMode });
    renameSync(partial, path);
  } catch (error) {
    quietly(() => rmSync(partial, { force: true }));
    throw error;
  }
  files.set(path, { bytes: fresh.bytes, held: undefined });
}

/** The file was renamed. */
export function moveFile(from: string, to: string): void {
  const fresh = files.get(from);
  if (fresh === undefined) return;
  forgetFile(from);
  add(to, fresh);
}

/** The file is gone, or its bytes are no longer needed. */
export function forgetFile(path: string): void {
  const fresh = files.get(path);
  if (fresh === undefined) return;
  files.delete(path);
  heldBytes -= sizeOf(fresh.bytes);
}

function quietly(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** A view of a larger buffer keeps the whole buffer in memory. */
function sizeOf(bytes: Buffer): number {
  return bytes.buffer.byteLength;
}
