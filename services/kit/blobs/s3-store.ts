import { createHash, hash as hashOf, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  PutObjectCommand,
  paginateListObjectsV2,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { create } from "@bufbuild/protobuf";
import { FilemillError } from "#contract/errors.ts";
import { type Blob, BlobSchema } from "#gen/filemill/common/v1/blob_pb.ts";
import { abortable } from "../abortable.ts";
import { checkBlobId, isBlobId } from "./blob-id.ts";
import { bodyOf, smallBytes } from "./body.ts";
import { failureOf as failureOfDisk } from "./disk-failures.ts";
import { forgetFile, holdFile, recallFile, rememberFile } from "./fresh-files.ts";
import { blobMode, takeOver } from "./made-file.ts";
import { type Bucket, failureOfBucket, statusOf } from "./s3-client.ts";
import type { BlobStore } from "./store.ts";

/** Ten thousand of them are the largest object. */
const partBytes = 8 * 1024 * 1024;
const partsAtOnce = 3;

/**
 * Blobs as objects `<prefix><id>`. The name must be known before the bytes are, and S3 renames nothing: its first part is random and
 * not the digest, which the blob's record has. None is held: what `write` gives is stored.
 */
export function createS3BlobStore(bucket: Bucket): BlobStore {
  const { client, name: Bucket, prefix } = bucket;
  const at = (blobId: string) => ({ Bucket, Key: prefix + checkBlobId(blobId) });
  /** Where a small one that we wrote is remembered: no path begins like that. */
  const nameOf = (blobId: string): string => `s3:${Bucket}/${prefix}${checkBlobId(blobId)}`;

  async function put(bytes: Buffer): Promise<Blob> {
    const blob = blobOf(hashOf("sha256", bytes), bytes.length);
    await client.send(new PutObjectCommand({ ...at(blob.id), Body: bytes }));
    rememberFile(nameOf(blob.id), bytes);
    return blob;
  }

  async function putLarge(body: AsyncIterable<Uint8Array>): Promise<Blob> {
    const hash = createHash("sha256");
    const draft = blobOf("", 0);
    let sizeBytes = 0;
    const source: { failure?: { readonly reason: unknown } } = {};
    async function* counted(): AsyncGenerator<Uint8Array> {
      try {
        for await (const chunk of body) {
          hash.update(chunk);
          sizeBytes += chunk.length;
          yield chunk;
        }
      } catch (reason) {
        source.failure = { reason };
        throw reason;
      }
    }
    const params = { ...at(draft.id), Body: Readable.from(counted(), { objectMode: false }) };
    const upload = new Upload({ client, params, partSize: partBytes, queueSize: partsAtOnce, leavePartsOnError: false });
    await upload.done().catch((error: unknown) => {
      throw source.failure === undefined ? failureOfBucket(error) : source.failure.reason;
    });
    return Object.assign(draft, { digest: hash.digest("hex"), sizeBytes: BigInt(sizeBytes) });
  }

  async function get(blobId: string, more: { readonly Range?: string; readonly signal?: AbortSignal | undefined } = {}): Promise<Readable> {
    const { signal, ...asked } = more;
    const { Body } = await client.send(new GetObjectCommand({ ...at(blobId), ...asked }), signal && { abortSignal: signal });
    if (!(Body instanceof Readable)) throw new TypeError("S3 answered without a stream");
    return Body;
  }

  return {
    async write(source, { maxBytes = Number.POSITIVE_INFINITY, signal } = {}) {
      const body = await bodyOf(abortable(source, signal), maxBytes);
      if (!Buffer.isBuffer(body)) return putLarge(body);
      return put(body).catch(rethrow);
    },
    keep: () => undefined,
    async adopt(path) {
      const { bytes } = await takeOver(path);
      const blob = await (bytes === undefined ? putLarge(createReadStream(path, { highWaterMark: partBytes })) : put(bytes).catch(rethrow));
      forgetFile(path);
      await rm(path);
      return blob;
    },
    async fetch({ id, digest }, path, signal) {
      const known = recallFile(nameOf(id)) ?? (await copyTo(path, digest, () => get(id, { signal })));
      if (known !== undefined) holdFile(path, known, { partial: `${path}.partial`, mode: blobMode, folderMode: 0o711 });
      return {
        path,
        async [Symbol.asyncDispose]() {
          forgetFile(path);
          await rm(path, { force: true });
        },
      };
    },
    async read(blobId, range) {
      try {
        return await get(blobId, range && { Range: `bytes=${range.start}-${range.end}` });
      } catch (error) {
        if (statusOf(error) === 416) return Readable.from([]);
        throw failureOfBucket(error);
      }
    },
    readFresh: (blobId) => recallFile(nameOf(blobId)),
    async has(blobId) {
      if (!isBlobId(blobId)) return false;
      const found = client.send(new HeadObjectCommand(at(blobId))).then(() => true);
      return found.catch((error: unknown) => (statusOf(error) === 404 ? false : rethrow(error)));
    },
    async remove(blobId) {
      forgetFile(nameOf(blobId));
      await client.send(new DeleteObjectCommand(at(blobId))).catch(rethrow);
    },
    list: () => listOf(bucket),
    async removePartial(partialId) {
      const [, blobId = "", UploadId] = /^(\S+) (.+)$/.exec(partialId) ?? [];
      if (!isBlobId(blobId) || UploadId === undefined) return;
      const aborted = client.send(new AbortMultipartUploadCommand({ ...at(blobId), UploadId }));
      await aborted.catch((error: unknown) => (statusOf(error) === 404 ? undefined : rethrow(error)));
    },
    freeBytes: async () => Number.POSITIVE_INFINITY,
  };
}

function blobOf(digest: string, sizeBytes: number): Blob {
  const random = randomBytes(40).toString("hex");
  return create(BlobSchema, { id: `${random.slice(0, 64)}-${random.slice(64)}`, digest, sizeBytes: BigInt(sizeBytes) });
}

function rethrow(error: unknown): never {
  throw failureOfBucket(error);
}

/** The bytes where they are few, else undefined, and they are at `path`. Whatever came, it is what was stored. */
async function copyTo(path: string, digest: string, open: () => Promise<Readable>): Promise<Buffer | undefined> {
  const hash = createHash("sha256");
  const source = await open().catch(rethrow);
  try {
    const body = await bodyOf(source, Number.POSITIVE_INFINITY).catch(rethrow);
    if (Buffer.isBuffer(body)) return checked(body, hashOf("sha256", body), digest);
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of body) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(counted, createWriteStream(path, { flags: "wx", mode: blobMode, highWaterMark: smallBytes }));
    return checked(undefined, hash.digest("hex"), digest);
  } catch (error) {
    await rm(path, { force: true });
    throw failureOfDisk(error) === error ? failureOfBucket(error) : failureOfDisk(error);
  }
}

function checked<T>(value: T, found: string, digest: string): T {
  if (found === digest) return value;
  throw new FilemillError("INTERNAL", "The stored file is not what was stored.");
}

async function* listOf({
  client,
  name: Bucket,
  prefix: Prefix,
}: Bucket): AsyncGenerator<{ blobId: string; modifiedAt: Date; partial: boolean }> {
  const idOf = (key = ""): string => key.slice(Prefix.length);
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
    for (const { Key, LastModified } of Contents) {
      if (LastModified !== undefined && isBlobId(idOf(Key))) yield { blobId: idOf(Key), modifiedAt: LastModified, partial: false };
    }
  }
  let page: Partial<ListMultipartUploadsCommandOutput> = {};
  do {
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
    page = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, KeyMarker, UploadIdMarker }));
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated !== undefined && isBlobId(idOf(Key)))
        yield { blobId: `${idOf(Key)} ${UploadId}`, modifiedAt: Initiated, partial: true };
    }
  } while (page.IsTruncated === true);
}
