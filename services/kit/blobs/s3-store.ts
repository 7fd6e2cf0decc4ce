import { createHash, hash as hashOf, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream, writeFileSync } from "node:fs";
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
import { forgetFile, recallFile, rememberFile } from "./fresh-files.ts";
import { blobMode, takeOver } from "./made-file.ts";
import { type Bucket, failureOfBucket, statusOf } from "./s3-client.ts";
import type { BlobStore } from "./store.ts";

/** The largest object has ten thousand parts. */
const partBytes = 8 * 1024 * 1024;
const partsAtOnce = 3;

/**
 * Blobs as objects `<prefix><id>`. S3 cannot rename, so the name must be known before the bytes are. It therefore starts with random digits
 * instead of the digest, which the blob's record has.
 */
export function createS3BlobStore(bucket: Bucket): BlobStore {
  const { client } = bucket;
  return {
    async write(source, { maxBytes = Number.POSITIVE_INFINITY, signal } = {}) {
      const body = await bodyOf(abortable(source, signal), maxBytes);
      return Buffer.isBuffer(body) ? put(bucket, body) : putLarge(bucket, body);
    },
    async adopt(path) {
      const { bytes } = await takeOver(path);
      const blob = await (bytes === undefined
        ? putLarge(bucket, createReadStream(path, { highWaterMark: partBytes }))
        : put(bucket, bytes));
      forgetFile(path);
      await rm(path);
      return blob;
    },
    async fetch({ id, digest }, path, signal) {
      const known = recallFile(nameOf(bucket, id));
      await copyTo(path, digest, async () => (known === undefined ? get(bucket, id, { signal }) : Readable.from([known])));
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
        return await get(bucket, blobId, { Range: range && `bytes=${range.start}-${range.end}` });
      } catch (error) {
        if (statusOf(error) === 416) return Readable.from([]);
        throw failureOfBucket(error);
      }
    },
    readFresh: (blobId) => recallFile(nameOf(bucket, blobId)),
    async has(blobId) {
      if (!isBlobId(blobId)) return false;
      const found = client.send(new HeadObjectCommand(at(bucket, blobId))).then(() => true);
      return found.catch((error: unknown) => (statusOf(error) === 404 ? false : rethrow(error)));
    },
    async remove(blobId) {
      forgetFile(nameOf(bucket, blobId));
      await client.send(new DeleteObjectCommand(at(bucket, blobId))).catch(rethrow);
    },
    list: () => listOf(bucket),
    async removePartial(partialId) {
      const [, blobId = "", UploadId] = /^(\S+) (.+)$/.exec(partialId) ?? [];
      if (!isBlobId(blobId) || UploadId === undefined) return;
      const aborted = client.send(new AbortMultipartUploadCommand({ ...at(bucket, blobId), UploadId }));
      await aborted.catch((error: unknown) => (statusOf(error) === 404 ? undefined : rethrow(error)));
    },
    freeBytes: async () => Number.POSITIVE_INFINITY,
  };
}

function at({ name, prefix }: Bucket, blobId: string): { readonly Bucket: string; readonly Key: string } {
  return { Bucket: name, Key: prefix + checkBlobId(blobId) };
}

/** The cache key of a small blob that this process wrote. No path starts like this. */
function nameOf(bucket: Bucket, blobId: string): string {
  const { Bucket, Key } = at(bucket, blobId);
  return `s3:${Bucket}/${Key}`;
}

async function put(bucket: Bucket, bytes: Buffer): Promise<Blob> {
  const blob = blobOf(hashOf("sha256", bytes), bytes.length);
  await bucket.client.send(new PutObjectCommand({ ...at(bucket, blob.id), Body: bytes })).catch(rethrow);
  rememberFile(nameOf(bucket, blob.id), bytes);
  return blob;
}

async function putLarge(bucket: Bucket, body: AsyncIterable<Uint8Array>): Promise<Blob> {
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
  const params = { ...at(bucket, draft.id), Body: Readable.from(counted(), { objectMode: false }) };
  const upload = new Upload({ client: bucket.client, params, partSize: partBytes, queueSize: partsAtOnce, leavePartsOnError: false });
  await upload.done().catch((error: unknown) => {
    throw source.failure === undefined ? failureOfBucket(error) : source.failure.reason;
  });
  return Object.assign(draft, { digest: hash.digest("hex"), sizeBytes: BigInt(sizeBytes) });
}

type Asked = { readonly Range?: string | undefined; readonly signal?: AbortSignal | undefined };

async function get(bucket: Bucket, blobId: string, { Range, signal }: Asked): Promise<Readable> {
  const { Body } = await bucket.client.send(new GetObjectCommand({ ...at(bucket, blobId), Range }), signal && { abortSignal: signal });
  if (!(Body instanceof Readable)) throw new TypeError("S3 answered without a stream");
  return Body;
}

function blobOf(digest: string, sizeBytes: number): Blob {
  const random = randomBytes(40).toString("hex");
  return create(BlobSchema, { id: `${random.slice(0, 64)}-${random.slice(64)}`, digest, sizeBytes: BigInt(sizeBytes) });
}

function rethrow(error: unknown): never {
  throw failureOfBucket(error);
}

/** Writes a new file and checks its digest. A small one is cached. After a failure, no file is left. */
async function copyTo(path: string, digest: string, open: () => Promise<Readable>): Promise<void> {
  const hash = createHash("sha256");
  const source = await open().catch(rethrow);
  try {
    const body = await bodyOf(source, Number.POSITIVE_INFINITY).catch(rethrow);
    if (Buffer.isBuffer(body)) {
      assertDigest(hashOf("sha256", body), digest);
      writeFileSync(path, body, { flag: "wx", mode: blobMode });
      return rememberFile(path, body);
    }
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of body) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(counted, createWriteStream(path, { flags: "wx", mode: blobMode, highWaterMark: smallBytes }));
    assertDigest(hash.digest("hex"), digest);
  } catch (error) {
    await rm(path, { force: true });
    throw failureOfDisk(error) === error ? failureOfBucket(error) : failureOfDisk(error);
  }
}

function assertDigest(found: string, digest: string): void {
  if (found !== digest) throw new FilemillError("INTERNAL", "The stored file is not what was stored.");
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
