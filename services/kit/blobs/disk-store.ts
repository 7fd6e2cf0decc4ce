import { hash as hashOf, randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
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
import { forgetFile, holdFile, moveFile, putOnDisk, recallFile, rememberFile } from "./fresh-files.ts";
import { type Received, writeLargeFile } from "./large-file.ts";
import { blobMode, takeOver } from "./made-file.ts";
import type { BlobStore } from "./store.ts";

const readBytes = 1024 * 1024;
const partialName = /^[0-9a-f]{32}$/;
const folderName = /^[0-9a-f]{2}$/;
/** A sandbox under its own user id may open a blob whose name it was given, but cannot list any. */
const folderMode = 0o711;

export type DiskBlobStore = BlobStore & { /** Where the blob is; a held one after `keep`. */ pathOf(blobId: string): string };

/**
 * Blobs as files `<dir>/<first two digits>/<id>`.
 *
 * @param options.shared - Other hosts see the folder: each blob is on its disk before anybody is told of it, and none is held.
 *   Else nothing is synced: who promises something calls Broker.flushToDisk, which flushes the same volume.
 */
export async function openDiskBlobStore(dir: string, { shared = false }: { readonly shared?: boolean } = {}): Promise<DiskBlobStore> {
  const partialDir = join(dir, "partial");
  await mkdir(dir, { recursive: true, mode: folderMode });
  await mkdir(partialDir, { recursive: true, mode: 0o700 });
  const newPartial = (): string => join(partialDir, randomUUID().replaceAll("-", ""));
  const pathOf = (blobId: string): string => join(dir, checkBlobId(blobId).slice(0, 2), blobId);
  const publish = (path: string, received: Received): Blob => {
    const blob = blobOf(received);
    const target = pathOf(blob.id);
    renameInto(path, target);
    moveFile(path, target);
    return blob;
  };
  const hold = (bytes: Buffer): Blob => {
    const blob = blobOf({ digest: hashOf("sha256", bytes), sizeBytes: bytes.length });
    holdFile(pathOf(blob.id), bytes, { partial: newPartial(), mode: blobMode, folderMode });
    return blob;
  };
  const store = async (body: Buffer | AsyncIterable<Uint8Array>, partial: string): Promise<Blob> => {
    const sync = shared ? { sync: true } : {};
    if (!Buffer.isBuffer(body)) return publish(partial, await writeLargeFile(partial, body, { mode: blobMode, ...sync }));
    writeFileSync(partial, body, { flag: "wx", mode: blobMode, flush: shared });
    rememberFile(partial, body);
    return publish(partial, { digest: hashOf("sha256", body), sizeBytes: body.length });
  };
  /** Renamed where that can be done, else copied, as from the disk of another host. */
  const moveIn = async (path: string, received: Received): Promise<Blob> => {
    try {
      return publish(path, received);
    } catch (error) {
      if (codeOf(error) !== "EXDEV") throw error;
    }
    const partial = newPartial();
    try {
      await copyFile(path, partial, constants.COPYFILE_EXCL);
      moveFile(path, partial);
      const blob = publish(partial, received);
      await rm(path, { force: true });
      return blob;
    } catch (error) {
      forgetFile(partial);
      await rm(partial, { force: true }).catch(() => undefined);
      throw error;
    }
  };
  const synced = async (blob: Blob): Promise<Blob> => {
    if (shared) for (const path of [pathOf(blob.id), dirname(pathOf(blob.id))]) await syncPath(path);
    return blob;
  };

  return {
    pathOf,
    async write(source, { maxBytes = Number.POSITIVE_INFINITY, signal, mayBeHeld = false } = {}) {
      const partial = newPartial();
      try {
        const body = await bodyOf(abortable(source, signal), maxBytes);
        if (Buffer.isBuffer(body) && mayBeHeld && !shared) return hold(body);
        const blob = await store(body, partial);
        if (shared) await syncPath(dirname(pathOf(blob.id)));
        return blob;
      } catch (error) {
        forgetFile(partial);
        await rm(partial, { force: true }).catch(() => undefined);
        throw awayOf(error) ?? failureOf(error);
      }
    },
    keep(blobId) {
      try {
        putOnDisk(pathOf(blobId));
      } catch (error) {
        throw awayOf(error) ?? failureOf(error);
      }
    },
    async adopt(path) {
      try {
        return await synced(await moveIn(path, await takeOver(path)));
      } catch (error) {
        throw failureOf(error);
      }
    },
    fetch: async ({ id }) => ({ path: pathOf(id), [Symbol.asyncDispose]: async () => undefined }),
    async read(blobId, range) {
      putOnDisk(pathOf(blobId));
      return openForReading(pathOf(blobId), range);
    },
    readFresh: (blobId) => recallFile(pathOf(blobId)),
    async has(blobId) {
      if (!isBlobId(blobId)) return false;
      if (recallFile(pathOf(blobId)) !== undefined) return true;
      return stat(pathOf(blobId)).then(
        () => true,
        () => false,
      );
    },
    async remove(blobId) {
      const path = pathOf(blobId);
      forgetFile(path);
      try {
        if (statSync(path).size <= smallBytes) unlinkSync(path);
        else await unlink(path);
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw error;
      }
    },
    list: () => listUnder(dir),
    async removePartial(blobId) {
      if (partialName.test(blobId)) await rm(join(partialDir, blobId), { force: true });
    },
    async freeBytes() {
      const volume = await statfs(dir);
      return volume.bavail * volume.bsize;
    },
  };
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

async function openForReading(path: string, range: { start: number; end: number } | undefined): Promise<Readable> {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch (error) {
    throw codeOf(error) === "ENOENT" ? new FilemillError("RESULT_EXPIRED", "The file was removed.") : error;
  }
  const { size } = fstatSync(descriptor);
  const start = range?.start ?? 0;
  const end = Math.min(range?.end ?? size - 1, size - 1);
  if (start <= end && size > smallBytes) return createReadStream(path, { fd: descriptor, start, end, highWaterMark: readBytes });
  try {
    return Readable.from(start > end ? [] : [readFileSync(descriptor).subarray(start, end + 1)], { objectMode: false });
  } finally {
    closeSync(descriptor);
  }
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
