/**
 * Small files that this process wrote moments ago and that nobody changes, with their bytes. A conversion looks at its input three times
 * and at its result three times; opening a file as often took an icon longer than everything else that is done with it. What is not
 * here is on the disk.
 *
 * A held file is here alone: making a file is dear, and nobody has to wait for it (decision 29).
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A conversion under way holds two. */
const maxFiles = 64;
const maxBytes = 8 * 1024 * 1024;

/** How a held file comes onto the disk: written under another name first, which a sweep removes should it stay. */
export type Held = { readonly partial: string; readonly mode: number; readonly folderMode: number };
type Fresh = { readonly bytes: Buffer; readonly held: Held | undefined };

const files = new Map<string, Fresh>();
let heldBytes = 0;

/** The file is ours and read-only; neither it nor the bytes are changed afterwards. The oldest files make room. */
export function rememberFile(path: string, bytes: Buffer): void {
  add(path, { bytes, held: undefined });
}

/** The same for a file that is not on the disk yet and comes there by `putOnDisk`, at the latest when it makes room. */
export function holdFile(path: string, bytes: Buffer, held: Held): void {
  add(path, { bytes, held });
}

function add(path: string, fresh: Fresh): void {
  forgetFile(path);
  files.set(path, fresh);
  heldBytes += sizeOf(fresh.bytes);
  for (const oldest of files.keys()) {
    if (files.size <= maxFiles && heldBytes <= maxBytes) return;
    // What cannot be put there is all there is of it.
    if (quietly(() => putOnDisk(oldest))) forgetFile(oldest);
  }
}

export function recallFile(path: string): Buffer | undefined {
  return files.get(path)?.bytes;
}

/** Does nothing for a file that is there already. Throws as a write does; the file is held on then, and nothing is left. */
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

/** The file has another name. */
export function moveFile(from: string, to: string): void {
  const fresh = files.get(from);
  if (fresh === undefined) return;
  forgetFile(from);
  add(to, fresh);
}

/** The file is gone, or its bytes are not needed any more. */
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

/** A part of a larger buffer keeps the whole. */
function sizeOf(bytes: Buffer): number {
  return bytes.buffer.byteLength;
}
