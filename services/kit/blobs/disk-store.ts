import { hash as hashOf, randomUUID } from "node:crypto";
import { constants, mkdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { copyFile, mkdir, open, opendir, rm, stat, statfs, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { create } from "@bufbuild/protobuf";
import { FilemillError } from "#contract/errors.ts";
import { type Blob, BlobSchema } from "#gen/filemill/common/v1/blob_pb.ts";
import { abortable } from "../abortable.ts";
import { checkBlobId, isBlobId } from "./blob-id.ts";
import { bodyOf, smallBytes } from "./body.ts";
import { awayOf, codeOf, failureOf } from "./disk-failures.ts";
import { forgetFile, moveFile, recallFile, rememberFile } from "./fresh-files.ts";
import { passingStream, type Received, writeLargeFile } from "./large-file.ts";
import { blobMode, takeOver } from "./made-file.ts";
import type { BlobStore, ByteRange, LocalFile, ReadOptions, WriteOptions } from "./store.ts";

const readBytes = 1024 * 1024;
const partialName = /^[0-9a-f]{32}$/;
const folderName = /^[0-9a-f]{2}$/;
/** A sandbox with its own user id can open a blob whose name it was given, but cannot list blobs. */
const folderMode = 0o711;

export type DiskBlobStore = BlobStore & { pathOf(blobId: string): string };

/**
 * Blobs as files `<dir>/<first two digits>/<id>`.
 *
 * @param options.shared - Other hosts see the folder: each blob is on its disk before anyone learns of it.
 *   Otherwise nothing is synced. Whoever makes a promise calls Broker.flushToDisk, which flushes the same volume.
 */
export async function openDiskBlobStore(dir: string, { shared = false }: { readonly shared?: boolean } = {}): Promise<DiskBlobStore> {
  const store = new FolderOfBlobs(dir, shared);
  await store.makeFolders();
  return store;
}

class FolderOfBlobs implements DiskBlobStore {
  readonly #dir: string;
  readonly #partialDir: string;
  readonly #shared: boolean;

  constructor(dir: string, shared: boolean) {
    this.#dir = dir;
    this.#partialDir = join(dir, "partial");
    this.#shared = shared;
  }

  async makeFolders(): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: folderMode });
    await mkdir(this.#partialDir, { recursive: true, mode: 0o700 });
  }

  pathOf(blobId: string): string {
    return join(this.#dir, checkBlobId(blobId).slice(0, 2), blobId);
  }

  async write(source: AsyncIterable<Uint8Array>, options: WriteOptions = {}): Promise<Blob> {
    const { maxBytes = Number.POSITIVE_INFINITY, signal } = options;
    const partial = this.#newPartial();
    try {
      const body = await bodyOf(abortable(source, signal), maxBytes);
      const blob = await this.#store(body, partial);
      if (this.#shared) await syncPath(dirname(this.pathOf(blob.id)));
      return blob;
    } catch (error) {
      await dropPartial(partial);
      throw awayOf(error) ?? failureOf(error);
    }
  }

  async adopt(path: string): Promise<Blob> {
    try {
      return await this.#synced(await this.#moveIn(path, await takeOver(path)));
    } catch (error) {
      throw failureOf(error);
    }
  }

  async fetch({ id }: Pick<Blob, "id">): Promise<LocalFile> {
    return { path: this.pathOf(id), [Symbol.asyncDispose]: async () => undefined };
  }

  async read(blobId: string, range?: ByteRange, { isPassedOn = false }: ReadOptions = {}): Promise<Readable> {
    try {
      return await openForReading(this.pathOf(blobId), range, isPassedOn);
    } catch (error) {
      throw codeOf(error) === "ENOENT" ? new FilemillError("RESULT_EXPIRED", "The file was removed.") : error;
    }
  }

  readFresh(blobId: string): Buffer | undefined {
    return recallFile(this.pathOf(blobId));
  }

  async has(blobId: string): Promise<boolean> {
    if (!isBlobId(blobId)) return false;
    if (this.readFresh(blobId) !== undefined) return true;
    return stat(this.pathOf(blobId)).then(
      () => true,
      () => false,
    );
  }

  async remove(blobId: string): Promise<void> {
    const path = this.pathOf(blobId);
    forgetFile(path);
    try {
      if (statSync(path).size <= smallBytes) unlinkSync(path);
      else await unlink(path);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }

  list(): ReturnType<BlobStore["list"]> {
    return listUnder(this.#dir);
  }

  async removePartial(blobId: string): Promise<void> {
    if (partialName.test(blobId)) await rm(join(this.#partialDir, blobId), { force: true });
  }

  async freeBytes(): Promise<number> {
    const volume = await statfs(this.#dir);
    return volume.bavail * volume.bsize;
  }

  #newPartial(): string {
    return join(this.#partialDir, randomUUID().replaceAll("-", ""));
  }

  #publish(path: string, received: Received): Blob {
    const blob = blobOf(received);
    const target = this.pathOf(blob.id);
    renameInto(path, target);
    moveFile(path, target);
    return blob;
  }

  async #store(body: Buffer | AsyncIterable<Uint8Array>, partial: string): Promise<Blob> {
    const sync = this.#shared ? { sync: true } : {};
    if (!Buffer.isBuffer(body)) return this.#publish(partial, await writeLargeFile(partial, body, { mode: blobMode, ...sync }));
    writeFileSync(partial, body, { flag: "wx", mode: blobMode, flush: this.#shared });
    rememberFile(partial, body);
    return this.#publish(partial, { digest: hashOf("sha256", body), sizeBytes: body.length });
  }

  /** Renames if possible, otherwise copies, for example from another host's disk. */
  async #moveIn(path: string, received: Received): Promise<Blob> {
    try {
      return this.#publish(path, received);
    } catch (error) {
      if (codeOf(error) !== "EXDEV") throw error;
    }
    const partial = this.#newPartial();
    try {
      await copyFile(path, partial, constants.COPYFILE_EXCL);
      moveFile(path, partial);
      const blob = this.#publish(partial, received);
      await rm(path, { force: true });
      return blob;
    } catch (error) {
      await dropPartial(partial);
      throw error;
    }
  }

  async #synced(blob: Blob): Promise<Blob> {
    if (this.#shared) for (const path of [this.pathOf(blob.id), dirname(this.pathOf(blob.id))]) await syncPath(path);
    return blob;
  }
}

async function dropPartial(path: string): Promise<void> {
  forgetFile(path);
  await rm(path, { force: true }).catch(() => undefined);
}

function blobOf({ digest, sizeBytes }: Received): Blob {
  const random = randomUUID();
  return create(BlobSchema, { id: `${digest}-${random.slice(0, 8)}${random.slice(-8)}`, digest, sizeBytes: BigInt(sizeBytes) });
}

function renameInto(path: string, target: string): void {
  try {
    renameSync(path, target);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    mkdirSync(dirname(target), { recursive: true, mode: folderMode });
    renameSync(path, target);
  }
}

async function syncPath(path: string): Promise<void> {
  await using handle = await open(path);
  await handle.sync();
}

async function openForReading(path: string, range: ByteRange | undefined, isPassedOn: boolean): Promise<Readable> {
  const { size } = statSync(path);
  const start = range?.start ?? 0;
  const end = Math.min(range?.end ?? size - 1, size - 1);
  if (start > end) return Readable.from([], { objectMode: false });
  if (size <= smallBytes) return Readable.from([readFileSync(path).subarray(start, end + 1)], { objectMode: false });
  const file = await open(path);
  return isPassedOn ? passingStream(file, { start, end }) : file.createReadStream({ start, end, highWaterMark: readBytes });
}

async function* listUnder(dir: string): AsyncGenerator<{ blobId: string; modifiedAt: Date; partial: boolean }> {
  for await (const folder of await opendir(dir)) {
    const partial = folder.name === "partial";
    if (!folder.isDirectory() || !(partial || folderName.test(folder.name))) continue;
    for await (const entry of await opendir(join(dir, folder.name))) {
      if (partial ? !partialName.test(entry.name) : !isBlobId(entry.name)) continue;
      const found = await stat(join(dir, folder.name, entry.name)).catch(() => undefined);
      if (found !== undefined) yield { blobId: entry.name, modifiedAt: found.mtime, partial };
    }
  }
}
