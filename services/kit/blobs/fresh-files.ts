/**
 * Small files that this process wrote moments ago and that nobody changes, with their bytes. A conversion looks at its input three times
 * and at its result three times; opening a file as often took an icon longer than everything else that is done with it. What is not
 * here is on the disk.
 */

/** A conversion under way holds two. */
const maxFiles = 64;
const maxBytes = 8 * 1024 * 1024;

const files = new Map<string, Buffer>();
let heldBytes = 0;

/** The file is ours and read-only; neither it nor the bytes are changed afterwards. The oldest files make room. */
export function rememberFile(path: string, bytes: Buffer): void {
  forgetFile(path);
  files.set(path, bytes);
  heldBytes += sizeOf(bytes);
  for (const oldest of files.keys()) {
    if (files.size <= maxFiles && heldBytes <= maxBytes) return;
    forgetFile(oldest);
  }
}

export function recallFile(path: string): Buffer | undefined {
  return files.get(path);
}

/** The file has another name. */
export function moveFile(from: string, to: string): void {
  const bytes = files.get(from);
  if (bytes === undefined) return;
  forgetFile(from);
  rememberFile(to, bytes);
}

/** The file is gone, or its bytes are not needed any more. */
export function forgetFile(path: string): void {
  const bytes = files.get(path);
  if (bytes === undefined) return;
  files.delete(path);
  heldBytes -= sizeOf(bytes);
}

/** A part of a larger buffer keeps the whole. */
function sizeOf(bytes: Buffer): number {
  return bytes.buffer.byteLength;
}
