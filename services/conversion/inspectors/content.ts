/** The bytes of the files in a question, as the host passes them on. The host moves them without looking at them. */
import { closeSync, constants, fstatSync, openSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { FilemillError } from "#contract/errors.ts";
import { recallFile } from "#kit/blobs/fresh-files.ts";
import type { Content } from "../domain/inspector.ts";

const readAsync = promisify(read);

export type OpenContent = {
  readonly sizeBytes: number;
  /** Synchronous: recently written data is in memory, and a round through the thread pool costs more than the read. */
  readNow(offset: number, length: number): Buffer;
  read(offset: number, length: number): Promise<Buffer>;
  close(): void;
};

/** @throws FilemillError INVALID_INPUT for a path that is no file; whatever `open` throws if there is nothing. */
export function openContent(content: Content): OpenContent {
  if (typeof content !== "string") return Buffer.isBuffer(content) ? ofBytes(content) : ofDescriptor(content.descriptor, content.sizeBytes);
  const fresh = recallFile(content);
  if (fresh !== undefined) return ofBytes(fresh);
  const descriptor = openSync(content, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = fstatSync(descriptor);
  const close = () => closeSync(descriptor);
  if (found.isFile()) return { ...ofDescriptor(descriptor, found.size), close };
  close();
  throw new FilemillError("INVALID_INPUT", "This is not a file.");
}

function ofBytes(bytes: Buffer): OpenContent {
  const readNow = (offset: number, length: number): Buffer => bytes.subarray(offset, offset + length);
  return { sizeBytes: bytes.length, readNow, read: async (offset, length) => readNow(offset, length), close: () => undefined };
}

function ofDescriptor(descriptor: number, sizeBytes: number): OpenContent {
  return {
    sizeBytes,
    readNow(offset, length) {
      const buffer = Buffer.allocUnsafe(length);
      return buffer.subarray(0, readSync(descriptor, buffer, 0, length, offset));
    },
    async read(offset, length) {
      const { bytesRead, buffer } = await readAsync(descriptor, Buffer.allocUnsafe(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
    close: () => undefined,
  };
}
