import type { Readable } from "node:stream";
import type { Blob } from "#gen/filemill/common/v1/blob_pb.ts";

/** A blob's bytes as a file of this host, to be bound read-only into a sandbox. Disposing removes the file if it is a copy. */
export type LocalFile = AsyncDisposable & { readonly path: string };

export type WriteOptions = { readonly maxBytes?: number; readonly signal?: AbortSignal };

export type ReadOptions = { readonly isPassedOn?: boolean };

/** `end` is inclusive. */
export type ByteRange = { readonly start: number; readonly end: number };

/** Immutable bytes. Each blob has one owner. Every implementation passes test/contract/blob-store. */
export type BlobStore = {
  /**
   * Streams bytes in with back-pressure. The blob becomes visible atomically, or not at all. Rejects with INPUT_TOO_LARGE above `maxBytes`
   * and with UNAVAILABLE if it cannot be stored. Nothing is left then.
   */
  write(source: AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<Blob>;
  /** Takes over a file of this host, without a copy if it is on the store's own disk. The file is gone afterwards. */
  adopt(path: string): Promise<Blob>;
  /**
   * The blob as a file: the store's own file if the store is a folder, otherwise a copy at `path` whose digest is checked. Rejects with RESULT_EXPIRED if there is nothing to copy.
   */
  fetch(blob: Pick<Blob, "id" | "digest">, path: string, signal?: AbortSignal): Promise<LocalFile>;
  /**
   * Rejects with RESULT_EXPIRED if the blob is gone. An open stream survives the blob's removal. With `isPassedOn`, each piece is valid
   * only until it has been written to the stream's destination.
   */
  read(blobId: string, range?: ByteRange, options?: ReadOptions): Promise<Readable>;
  /** The content of a small blob that this process has just written; otherwise undefined. */
  readFresh(blobId: string): Buffer | undefined;
  has(blobId: string): Promise<boolean>;
  /** Removing a missing blob is not an error. */
  remove(blobId: string): Promise<void>;
  /** Every stored blob, and partial uploads as `partial`. For the sweep. */
  list(): AsyncIterable<{ readonly blobId: string; readonly modifiedAt: Date; readonly partial: boolean }>;
  /** Removes a partial upload found by `list`. */
  removePartial(blobId: string): Promise<void>;
  /** Free bytes of the volume; infinite if there is no volume. */
  freeBytes(): Promise<number>;
};
