/**
 * A cache of small files that this process has just written and that nobody changes, with their bytes (decision 22). A conversion reads its
 * input three times and its result three times; for an icon, opening the files that often takes longer than everything else.
 */

/** A running conversion holds two. */
const maxFiles = 64;
const maxBytes = 8 * 1024 * 1024;

const files = new Map<string, Buffer>();
let cachedBytes = 0;

/**
 * The file belongs to this process and is read-only. Neither the file nor the bytes may change afterwards. The oldest files are evicted.
 */
export function rememberFile(path: string, bytes: Buffer): void {
  forgetFile(path);
  files.set(path, bytes);
  cachedBytes += sizeOf(bytes);
  for (const oldest of files.keys()) {
    if (files.size <= maxFiles && cachedBytes <= maxBytes) return;
    forgetFile(oldest);
  }
}

export function recallFile(path: string): Buffer | undefined {
  return files.get(path);
}

/** The file was renamed. */
export function moveFile(from: string, to: string): void {
  const bytes = files.get(from);
  if (bytes === undefined) return;
  forgetFile(from);
  rememberFile(to, bytes);
}

/** The file is gone, or its bytes are no longer needed. */
export function forgetFile(path: string): void {
  const bytes = files.get(path);
  if (bytes === undefined) return;
  files.delete(path);
  cachedBytes -= sizeOf(bytes);
}

/** A view of a larger buffer keeps the whole buffer in memory. */
function sizeOf(bytes: Buffer): number {
  return bytes.buffer.byteLength;
}
