import { closeSync, fstatSync, openSync, read as readCallback, readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { promisify } from "node:util";

const readAt = promisify(readCallback);

/** How much of a file's beginning is examined. */
export const headBytes = 65_536;
/** Limit for each read elsewhere. */
const readBytes = 262_144;

/** A file as detectors see it: its beginning, and limited reads elsewhere. */
export type Source = {
  readonly sizeBytes: number;
  readonly head: Buffer;
  /** At most 256 KiB. Shorter at the end of the file, empty beyond it. */
  read(offset: number, length: number): Promise<Buffer>;
};

/** A file as a path, as an open handle, or as its bytes. */
export type SniffableFile = string | FileHandle | Buffer;

/** Calls `use` with the file. A file given as a path is opened and closed here. */
export async function withSource<T>(file: SniffableFile, use: (source: Source) => Promise<T>): Promise<T> {
  if (Buffer.isBuffer(file)) return use(sourceOfBytes(file));
  if (typeof file !== "string") return use(await sourceOf(file));
  const descriptor = openSync(file, "r");
  try {
    return await use(sourceOfDescriptor(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

function sourceOfBytes(bytes: Buffer): Source {
  const read = async (offset: number, length: number): Promise<Buffer> =>
    Number.isSafeInteger(offset) && offset >= 0 && length > 0
      ? bytes.subarray(offset, offset + Math.min(length, readBytes))
      : Buffer.alloc(0);
  return { sizeBytes: bytes.length, head: bytes.subarray(0, headBytes), read };
}

/** Reads the head synchronously: the file was written moments ago, and rounds through the thread pool cost more than the read. */
function sourceOfDescriptor(descriptor: number): Source {
  const { size: sizeBytes } = fstatSync(descriptor);
  const head = Buffer.allocUnsafe(Math.min(headBytes, sizeBytes));
  const headRead = readSync(descriptor, head, 0, head.length, 0);
  return {
    sizeBytes,
    head: head.subarray(0, headRead),
    read: (offset, length) => readBounded((buffer) => readAt(descriptor, buffer, 0, buffer.length, offset), sizeBytes, offset, length),
  };
}

async function readBounded(
  readInto: (buffer: Buffer) => Promise<{ readonly bytesRead: number }>,
  sizeBytes: number,
  offset: number,
  length: number,
): Promise<Buffer> {
  const wanted = Math.min(length, readBytes, sizeBytes - offset);
  if (!Number.isSafeInteger(offset) || offset < 0 || !(wanted > 0)) return Buffer.alloc(0);
  const buffer = Buffer.allocUnsafe(wanted);
  const { bytesRead } = await readInto(buffer);
  return buffer.subarray(0, bytesRead);
}

/** The part of a file handle that is needed. */
type Readable = {
  stat(): Promise<{ readonly size: number }>;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
};

export async function sourceOf(handle: Readable): Promise<Source> {
  const { size: sizeBytes } = await handle.stat();
  const read = (offset: number, length: number): Promise<Buffer> =>
    readBounded((buffer) => handle.read(buffer, 0, buffer.length, offset), sizeBytes, offset, length);
  return { sizeBytes, head: await read(0, headBytes), read };
}
