import type { Readable } from "node:stream";
import type { Blob } from "#gen/filemill/common/v1/blob_pb.ts";

/** A blob's bytes as a file of this host, to be bound read-only into a sandbox; disposing it removes it where it is a copy. */
export type LocalFile = AsyncDisposable & { readonly path: string };

export type WriteOptions = { readonly maxBytes?: number; readonly signal?: AbortSignal; readonly mayBeHeld?: boolean };

export type ReadOptions = { readonly isPassedOn?: boolean };

/** `end` is inclusive. */
export type ByteRange = { readonly start: number; readonly end: number };

/** Immutable bytes, each blob with one owner. Every implementation passes test/contract/blob-store. */
export type BlobStore = {
  /**
   * Streams bytes in with back-pressure and makes the blob visible at once and whole, or not at all.
   * Rejects with INPUT_TOO_LARGE past `maxBytes` and with UNAVAILABLE when it cannot be stored; nothing is left then.
   * With `mayBeHeld` a small blob may be visible to this process alone until `keep`, and end with it.
   */
  write(source: AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<Blob>;
  /** Stores a blob that is held; every other one is stored already. Throws UNAVAILABLE when the disk is full. */
  keep(blobId: string): void;
  /** Takes over a file of this host, without copying where it is on the store's own disk. The file is gone afterwards. */
  adopt(path: string): Promise<Blob>;
  /**
   * The blob as a file: its own where the store is a folder, else a copy at `path`, whose digest is checked. A small one that this
   * process knows may be in memory alone (fresh-files). Rejects with RESULT_EXPIRED when there is nothing to copy.
   */
  fetch(blob: Pick<Blob, "id" | "digest">, path: string, signal?: AbortSignal): Promise<LocalFile>;
  /**
   * Rejects with RESULT_EXPIRED when the blob is gone. An open stream outlives the blob's removal. With `isPassedOn` a piece is good
   * until it was written to where the stream is piped, and no longer.
   */
  read(blobId: string, range?: ByteRange, options?: ReadOptions): Promise<Readable>;
  /** The whole of a small blob that this process wrote moments ago, else undefined. */
  readFresh(blobId: string): Buffer | undefined;
  has(blobId: string): Promise<boolean>;
  /** Removing what is gone is no error. */
  remove(blobId: string): Promise<void>;
  /** Every stored blob, and partial uploads as `partial`; for the sweep. */
  list(): AsyncIterable<{ readonly blobId: string; readonly modifiedAt: Date; readonly partial: boolean }>;
  /** Removes a partial upload found by `list`. */
  removePartial(blobId: string): Promise<void>;
  /** Free bytes of the volume; infinite where there is none. */
  freeBytes(): Promise<number>;
};
