/** Blobs in a bucket of a real S3 server. Part of `npm run test:hosts`, which starts one. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buffer } from "node:stream/consumers";
import {
  CreateMultipartUploadCommand,
  GetBucketLifecycleConfigurationCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBlobs } from "#kit/blobs/open-blobs.ts";
import { openBucket, type S3Settings } from "#kit/blobs/s3-client.ts";
import type { BlobStore } from "#kit/blobs/store.ts";
import { SettingError } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { describeBlobStore, inChunks } from "#test/contract/blob-store.ts";
import { openS3Server, type S3Server } from "#test/hosts/s3-server.ts";

const log = openLog("silent");
let root: string;
let server: S3Server;
let settings: S3Settings & { readonly DATA_DIR: string };
let client: S3Client;
let store: BlobStore;
let files = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "filemill-s3-"));
  server = await openS3Server(join(root, "server"));
  settings = { ...server.env, DATA_DIR: join(root, "data") };
  store = await openBlobs(settings, log);
  ({ client } = await openBucket(settings, log));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

const newPath = (): string => {
  files += 1;
  return join(root, `file-${files}`);
};
const strayFile = async (bytes: Uint8Array): Promise<string> => {
  const path = newPath();
  await writeFile(path, bytes);
  return path;
};

describe("in a bucket", () => describeBlobStore({ store: () => store, strayFile, newPath }));

test("stores a multipart file, reads a range across its parts, and serves it to another host", async () => {
  const bytes = Buffer.alloc(40 * 2 ** 20, "0123456789abcdef!");
  const { id, digest } = await store.adopt(await strayFile(bytes));
  const across = { start: 8 * 2 ** 20 - 5, end: 8 * 2 ** 20 + 5 };
  expect(await buffer(await store.read(id, across))).toEqual(bytes.subarray(across.start, across.end + 1));
  const other = await openBlobs(settings, log);
  await using file = await other.fetch({ id, digest }, newPath());
  expect(await other.has(id)).toBe(true);
  expect((await buffer(await other.read(id))).equals(bytes)).toBe(true);
  expect(file.path).toContain(root);
});

test.each([
  ["small", 10],
  ["large", 2 ** 20],
])("rejects %s objects whose bytes do not match the digest, and leaves no local file", async (_what, size) => {
  const id = `${"c".repeat(64)}-${String(size).padStart(16, "0")}`;
  await client.send(new PutObjectCommand({ Bucket: "filemill", Key: `blobs/${id}`, Body: Buffer.alloc(size, "b") }));
  const path = newPath();
  await expect(store.fetch({ id, digest: "d".repeat(64) }, path)).rejects.toMatchObject({ code: "INTERNAL" });
  expect(await readdir(root)).not.toContain(basename(path));
});

test("lists an interrupted multipart upload and removes it on demand", async () => {
  const Key = `blobs/${"a".repeat(64)}-${"b".repeat(16)}`;
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: "filemill", Key }));
  await client.send(new UploadPartCommand({ Bucket: "filemill", Key, UploadId, PartNumber: 1, Body: Buffer.alloc(5 * 2 ** 20) }));
  const partials = async () => (await Array.fromAsync(store.list())).filter(({ partial }) => partial);
  const [found] = await partials();
  expect(found?.blobId).toContain(UploadId);
  await store.removePartial("../../other");
  await store.removePartial(found?.blobId ?? "");
  await store.removePartial(found?.blobId ?? "");
  expect(await partials()).toEqual([]);
});

test("adds a lifecycle rule that expires unswept blobs to a bucket without rules", async () => {
  const { Rules } = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: "filemill" }));
  expect(Rules).toMatchObject([{ ID: "filemill", Status: "Enabled", Expiration: { Days: 32 } }]);
});

test("fails at startup if the bucket does not exist or the secret is wrong", async () => {
  await expect(openBlobs({ ...settings, BLOBS: "s3://elsewhere" }, log)).rejects.toThrow(SettingError);
  await expect(openBlobs({ ...settings, S3_SECRET_ACCESS_KEY: "wrong" }, log)).rejects.toThrow(SettingError);
  await expect(openBlobs({ ...settings, S3_SECRET_ACCESS_KEY: undefined }, log)).rejects.toThrow(SettingError);
});

test("is UNAVAILABLE while the server is unreachable and works again once it is back", async () => {
  await server.gateway.halt();
  const away = { code: "UNAVAILABLE" };
  await expect(store.write(inChunks(Buffer.from("bytes"), 2))).rejects.toMatchObject(away);
  await expect(store.write(inChunks(Buffer.alloc(2 ** 20), 2 ** 16))).rejects.toMatchObject(away);
  await expect(store.has(`${"a".repeat(64)}-${"b".repeat(16)}`)).rejects.toMatchObject(away);
  const early = await openBlobs(settings, log);
  server.gateway.resume();
  await expect.poll(() => early.write(inChunks(Buffer.from("bytes"), 2)).then(() => "stored", String)).toBe("stored");
});
