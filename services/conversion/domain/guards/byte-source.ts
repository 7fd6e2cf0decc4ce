/** A file's beginning, and bounded reads elsewhere. */
export type ByteSource = {
  readonly sizeBytes: number;
  /** Up to 64 KiB. */
  readonly head: Buffer;
  /** At most 256 KiB; shorter at the end of the file, empty beyond it. */
  read(offset: number, length: number): Promise<Buffer>;
};

/** Bytes of the head where they suffice, without touching the file. */
export async function bytesAt(source: ByteSource, offset: number, length: number): Promise<Buffer> {
  const end = Math.min(offset + length, source.sizeBytes);
  if (offset >= 0 && end <= source.head.length) return source.head.subarray(offset, Math.max(offset, end));
  return source.read(offset, length);
}
