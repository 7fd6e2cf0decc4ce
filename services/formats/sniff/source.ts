import { type FileHandle, open } from "node:fs/promises";

/** How much of a file's beginning is looked at. */
export const headBytes = 65_536;
/** No read elsewhere is longer than this. */
const readBytes = 262_144;

/** What detectors see of a file: its beginning, and bounded reads elsewhere. */
export type Source = {
  readonly sizeBytes: number;
  readonly head: Buffer;
  /** At most 256 KiB; shorter at the end of the file, empty beyond it. */
  read(offset: number, length: number): Promise<Buffer>;
};

/** Calls `use` with the file, which is opened and closed here when it is given as a path. */
export async function withSource<T>(file: string | FileHandle, use: (source: Source) => Promise<T>): Promise<T> {
  if (typeof file !== "string") return use(await sourceOf(file));
  const handle = await open(file, "r");
  try {
    return await use(await sourceOf(handle));
  } finally {
    await handle.close();
  }
}

/** The little of a file handle that is needed. */
type Readable = {
  stat(): Promise<{ readonly size: number }>;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly buffer: Buffer; readonly bytesRead: number }>;
};

export async function sourceOf(handle: Readable): Promise<Source> {
  const { size: sizeBytes } = await handle.stat();
  const read = async (offset: number, length: number): Promise<Buffer> => {
    const wanted = Math.min(length, readBytes, sizeBytes - offset);
    if (!Number.isSafeInteger(offset) || offset < 0 || !(wanted > 0)) return Buffer.alloc(0);
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, offset);
    return buffer.subarray(0, bytesRead);
  };
  return { sizeBytes, head: await read(0, headBytes), read };
}
