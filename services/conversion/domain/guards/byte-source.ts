/** A file's beginning, and limited reads elsewhere. */
export type ByteSource = {
  readonly sizeBytes: number;
  /** Up to 64 KiB. */
  readonly head: Buffer;
  /** At most 256 KiB. Shorter at the end of the file, empty beyond it. */
  read(offset: number, length: number): Promise<Buffer>;
};

/** Takes bytes from the head if it contains them, without touching the file. */
export async function bytesAt(source: ByteSource, offset: number, length: number): Promise<Buffer> {
  const end = Math.min(offset + length, source.sizeBytes);
  if (offset >= 0 && end <= source.head.length) return source.head.subarray(offset, Math.max(offset, end));
  return source.read(offset, length);
}

const windowBytes = 262_144;

/** For many short forward reads: one read of the file serves all within 256 KiB. */
export function windowOf(source: ByteSource): ByteSource {
  let from = 0;
  let bytes = source.head;
  return {
    ...source,
    async read(offset, length) {
      const end = Math.min(offset + length, source.sizeBytes);
      if (length > windowBytes || end <= offset) return source.read(offset, length);
      if (offset < from || end > from + bytes.length) {
        bytes = await source.read(offset, windowBytes);
        from = offset;
      }
      return bytes.subarray(offset - from, end - from);
    },
  };
}
