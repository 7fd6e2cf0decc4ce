import { isAbsolute, join, resolve } from "node:path";
import type { Log } from "../log.ts";
import { openDiskBlobStore } from "./disk-store.ts";
import type { S3Settings } from "./s3-client.ts";
import type { BlobStore } from "./store.ts";

/** The store that BLOBS names. Rejects with a SettingError for a bucket that does not exist or may not be used. */
export async function openBlobs(settings: S3Settings & { readonly DATA_DIR: string }, log: Log): Promise<BlobStore> {
  const { BLOBS, DATA_DIR } = settings;
  if (BLOBS === undefined) return openDiskBlobStore(join(resolve(DATA_DIR), "blobs"));
  if (isAbsolute(BLOBS)) return openDiskBlobStore(BLOBS, { shared: true });
  // The S3 client is larger than everything else loaded at start-up, so only those who need it wait for it.
  const [{ openBucket }, { createS3BlobStore }] = await Promise.all([import("./s3-client.ts"), import("./s3-store.ts")]);
  return createS3BlobStore(await openBucket(settings, log));
}
