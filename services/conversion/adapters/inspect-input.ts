import { closeSync, fstatSync, openSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { recallFile } from "#kit/blobs/fresh-files.ts";
import type { FileRef } from "../domain/engine.ts";
import type { ByteSource } from "../domain/guards/byte-source.ts";
import { inspectBytes } from "../domain/guards/inspect.ts";

const headBytes = 65_536;
const longestReadBytes = 262_144;
const readAsync = promisify(read);

/**
 * Looks at a bounded part of a file before any engine does. Rejects with INVALID_INPUT, PASSWORD_REQUIRED or INPUT_TOO_COMPLEX.
 * The head was written moments ago and is read at once: four turns through the thread pool cost an icon more than its decoding.
 */
export async function inspectInput(input: FileRef): Promise<void> {
  const bytes = recallFile(input.path);
  if (bytes !== undefined) return inspectBytes(sourceOfBytes(bytes), input.format);
  const file = openSync(input.path, "r");
  try {
    await inspectBytes(sourceOf(file), input.format);
  } finally {
    closeSync(file);
  }
}

function sourceOfBytes(bytes: Buffer): ByteSource {
  return {
    sizeBytes: bytes.length,
    head: bytes.subarray(0, headBytes),
    read: async (offset, length) =>
      offset >= 0 && length > 0 ? bytes.subarray(offset, offset + Math.min(length, longestReadBytes)) : Buffer.alloc(0),
  };
}

function sourceOf(file: number): ByteSource {
  const { size: sizeBytes } = fstatSync(file);
  const buffer = Buffer.allocUnsafe(Math.min(headBytes, sizeBytes));
  return {
    sizeBytes,
    head: buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0)),
    async read(offset, length) {
      const wanted = Math.min(length, longestReadBytes, sizeBytes - offset);
      if (!(wanted > 0 && offset >= 0)) return Buffer.alloc(0);
      const { bytesRead, buffer: bytes } = await readAsync(file, Buffer.allocUnsafe(wanted), 0, wanted, offset);
      return bytes.subarray(0, bytesRead);
    },
  };
}
