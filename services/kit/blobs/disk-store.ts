import { createHash, hash as hashOf, randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  createReadStream,
  fchmodSync,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, mkdir, open, opendir, rm, stat, statfs, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { create } from "@bufbuild/protobuf";
import { type Blob, BlobSchema } from "#gen/filemill/common/v1/blob_pb.ts";
import { FilemillError } from "#kit/errors.ts";
import { abortable } from "../abortable.ts";
import { awayOf, codeOf, failureOf } from "./disk-failures.ts";
import { forgetFile, holdFile, moveFile, putOnDisk, recallFile, rememberFile } from "./fresh-files.ts";
import type { BlobStore } from "./store.ts";

const bufferBytes = 1024 * 1024;
/**
 * Up to here a body is held in memory and moved with blocking calls: a few turns through the thread pool cost several times the
 * call itself, and together more than the conversion of an icon.
 */
const smallBytes = 256 * 1024;
const blobName = /^[0-9a-f]{64}-[0-9a-f]{16}$/;
const partialName = /^[0-9a-f]{32}$/;
const folderName = /^[0-9a-f]{2}$/;
/** Nobody writes to a blob, its owner included. */
const fileMode = 0o444;
/** A sandbox under its own user id may open a blob whose name it was given, but cannot list any. */
const folderMode = 0o711;

/**
 * Blobs as files `<dir>/<first two digits>/<id>`. Not synced: who promises something calls Broker.flushToDisk, which flushes the
 * same volume.
 */
export async function openDiskBlobStore(dir: string): Promise<BlobStore> {
  const partialDir = join(dir, "partial");
  await mkdir(dir, { recursive: true, mode: folderMode });
  await mkdir(partialDir, { recursive: true, mode: 0o700 });
  const pathOf = (blobId: string): string => {
    if (!blobName.test(blobId)) throw new FilemillError("RESULT_EXPIRED", "There is no such file.");
    return join(dir, blobId.slice(0, 2), blobId);
  };
  const blobOf = (digest: string, sizeBytes: number): Blob => {
    const random = randomUUID();
    return create(BlobSchema, { id: `${digest}-${random.slice(0, 8)}${random.slice(-8)}`, digest, sizeBytes: BigInt(sizeBytes) });
  };
  const publish = (path: string, digest: string, sizeBytes: number): Blob => {
    const blob = blobOf(digest, sizeBytes);
    const target = pathOf(blob.id);
    try {
      renameSync(path, target);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      mkdirSync(dirname(target), { recursive: true, mode: folderMode });
      renameSync(path, target);
    }
    moveFile(path, target);
    return blob;
  };
  const hold = (partial: string, bytes: Buffer): Blob => {
    const blob = blobOf(hashOf("sha256", bytes), bytes.length);
    holdFile(pathOf(blob.id), bytes, { partial, mode: fileMode, folderMode });
    return blob;
  };

  return {
    pathOf,
    async write(source, { maxBytes = Number.POSITIVE_INFINITY, signal, mayBeHeld = false } = {}) {
      const path = join(partialDir, randomUUID().replaceAll("-", ""));
      try {
        const received = await receive(abortable(source, signal), path, maxBytes);
        if (!Buffer.isBuffer(received)) return publish(path, received.digest, received.sizeBytes);
        if (mayBeHeld) return hold(path, received);
        writeFileSync(path, received, { flag: "wx", mode: fileMode });
        rememberFile(path, received);
        return publish(path, hashOf("sha256", received), received.length);
      } catch (error) {
        forgetFile(path);
        await rm(path, { force: true }).catch(() => undefined);
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
        const { digest, sizeBytes } = await secure(path);
        return publish(path, digest, sizeBytes);
      } catch (error) {
        throw failureOf(error);
      }
    },
    async read(blobId, range) {
      putOnDisk(pathOf(blobId));
      return openForReading(pathOf(blobId), range);
    },
    readFresh: (blobId) => recallFile(pathOf(blobId)),
    async has(blobId) {
      if (!blobName.test(blobId)) return false;
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

type Received = { readonly digest: string; readonly sizeBytes: number };

/** Most files are small: those are given back as they are. The rest streams on into the file, through two buffers that are filled in turn. */
async function receive(source: AsyncIterable<Uint8Array>, path: string, maxBytes: number): Promise<Received | Buffer> {
  await using stack = new AsyncDisposableStack();
  const first: Uint8Array[] = [];
  let sizeBytes = 0;
  let large: LargeFile | undefined;
  for await (const chunk of source) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new FilemillError("INPUT_TOO_LARGE", "The file is too large.");
    if (large !== undefined) await large.add(chunk);
    else first.push(chunk);
    if (large !== undefined || sizeBytes <= smallBytes) continue;
    large = stack.use(createLargeFile(await openPartial(path, stack)));
    for (const early of first.splice(0)) await large.add(early);
  }
  if (large !== undefined) return { digest: await large.end(), sizeBytes };
  return joined(first);
}

type LargeFile = AsyncDisposable & {
  add(chunk: Uint8Array): Promise<void> /** The digest, when all is written. */;
  end(): Promise<string>;
};

/** Chunks are copied, not kept: garbage of a megabyte each would pile up faster than it is collected. */
function createLargeFile(file: FileHandle): LargeFile {
  const hash = createHash("sha256");
  let [filling, spare] = [Buffer.allocUnsafeSlow(bufferBytes), Buffer.allocUnsafeSlow(bufferBytes)];
  let filled = 0;
  let writing: Promise<void> = Promise.resolve();
  async function flush(): Promise<void> {
    const batch = filling.subarray(0, filled);
    hash.update(batch);
    await writing;
    writing = writeAll(file, batch);
    writing.catch(() => undefined);
    [filling, spare] = [spare, filling];
    filled = 0;
  }
  return {
    async add(chunk) {
      for (let rest = chunk; rest.length > 0; ) {
        const part = rest.subarray(0, bufferBytes - filled);
        filling.set(part, filled);
        filled += part.length;
        rest = rest.subarray(part.length);
        if (filled === bufferBytes) await flush();
      }
    },
    async end() {
      await flush();
      await writing;
      return hash.digest("hex");
    },
    async [Symbol.asyncDispose]() {
      await writing.catch(() => undefined);
    },
  };
}

async function openPartial(path: string, stack: AsyncDisposableStack): Promise<FileHandle> {
  const file = await open(path, "wx", fileMode);
  stack.defer(() => file.close());
  return file;
}

function joined(chunks: readonly Uint8Array[]): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(chunks);
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0; ) {
    const { bytesWritten } = await file.write(rest);
    rest = rest.subarray(bytesWritten);
  }
}

/** What an engine left may be anything: only a plain file with one name is taken, and it is ours from then on. */
async function secure(path: string): Promise<Received> {
  const known = recallFile(path);
  if (known !== undefined) return { digest: hashOf("sha256", known), sizeBytes: known.length };
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() || found.nlink !== 1) throw new FilemillError("CONVERSION_FAILED", "The engine did not make a plain file.");
    own(descriptor, found);
    if (found.size <= smallBytes) {
      const bytes = readFileSync(descriptor);
      return { digest: hashOf("sha256", bytes), sizeBytes: bytes.length };
    }
  } finally {
    closeSync(descriptor);
  }
  return digestOf(path);
}

function own(descriptor: number, found: Stats): void {
  const uid = process.getuid?.() ?? found.uid;
  if (found.uid !== uid) fchownSync(descriptor, uid, process.getgid?.() ?? found.gid);
  fchmodSync(descriptor, fileMode);
}

/** Of a large file that nobody else can change any more. */
async function digestOf(path: string): Promise<Received> {
  await using file = await open(path, "r");
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(bufferBytes);
  let sizeBytes = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, sizeBytes);
    if (bytesRead === 0) return { digest: hash.digest("hex"), sizeBytes };
    hash.update(buffer.subarray(0, bytesRead));
    sizeBytes += bytesRead;
  }
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
  if (start <= end && size > smallBytes) return createReadStream(path, { fd: descriptor, start, end, highWaterMark: bufferBytes });
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
      if (!(partial ? partialName : blobName).test(entry.name)) continue;
      const found = await stat(join(dir, folder.name, entry.name)).catch(() => undefined);
      if (found !== undefined) yield { blobId: entry.name, modifiedAt: found.mtime, partial };
    }
  }
}
