import { FilemillError } from "#contract/errors.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { inspectBytes } from "#services/conversion/domain/guards/inspect.ts";

/** Serves bytes like a file on disk: a head of 64 KiB and reads of at most 256 KiB. */
export function sourceOf(bytes: Buffer): ByteSource {
  return {
    sizeBytes: bytes.length,
    head: bytes.subarray(0, 65_536),
    read: async (offset, length) => (offset < 0 ? Buffer.alloc(0) : bytes.subarray(offset, offset + Math.min(length, 262_144))),
  };
}

/** The code of a file's refusal, or "accepted". */
export async function refusalOf(bytes: Buffer | string, format: string): Promise<string> {
  try {
    await inspectBytes(sourceOf(Buffer.from(bytes)), format);
    return "accepted";
  } catch (error) {
    if (error instanceof FilemillError) return error.code;
    throw error;
  }
}
