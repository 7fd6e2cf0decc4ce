import type { Readable } from "node:stream";
import type { Blob } from "#gen/filemill/common/v1/blob_pb.ts";

/** Immutable bytes, each blob with one owner. Every implementation passes test/contract/blob-store. */
export type BlobStore = {
  /**
   * Streams bytes in with back-pressure and makes the blob visible at once and whole, or not at all.
   * Rejects with INPUT_TOO_LARGE past `maxBytes` and with UNAVAILABLE when the disk is full; nothing is left then.
   * With `mayBeHeld` a small blob is visible to this process alone until `keep`, and ends with it.
   */
  write(source: AsyncIterable<Uint8Array>, options?: { maxBytes?: number; signal?: AbortSignal; mayBeHeld?: boolean }): Promise<Blob>;
  /** Puts a blob that is held onto the disk, where every other one is already. Throws UNAVAILABLE when the disk is full. */
  keep(blobId: string): void;
  /** Takes over a file that was made on the same disk, without copying. The file is gone afterwards. */
  adopt(path: string): Promise<Blob>;
  /** Rejects with RESULT_EXPIRED when the blob is gone. An open stream outlives the blob's removal. `end` is inclusive. */
  read(blobId: string, range?: { start: number; end: number }): Promise<Readable>;
  /** The whole of a small blob that this process wrote moments ago, else undefined. */
  readFresh(blobId: string): Buffer | undefined;
  /** The file on this host, to be bound read-only into a sandbox; a held blob's is there after `keep`. */
  pathOf(blobId: string): string;
  has(blobId: string): Promise<boolean>;
  /** Removing what is gone is no error. */
  remove(blobId: string): Promise<void>;
  /** Every stored blob, and partial uploads as `partial`; for the sweep. */
  list(): AsyncIterable<{ readonly blobId: string; readonly modifiedAt: Date; readonly partial: boolean }>;
  /** Removes a partial upload found by `list`. */
  removePartial(blobId: string): Promise<void>;
  /** Free bytes of the volume. */
  freeBytes(): Promise<number>;
};
