/** The bucket for blobs: its client, the meaning of its errors, and its expiry rule. */
import {
  type BucketLocationConstraint,
  GetBucketLifecycleConfigurationCommand,
  HeadBucketCommand,
  PutBucketLifecycleConfigurationCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { FilemillError } from "#contract/errors.ts";
import { SettingError } from "../config.ts";
import type { Log } from "../log.ts";
import type { Settings } from "../settings.ts";

export type S3Settings = Pick<Settings, "BLOBS" | "S3_ENDPOINT" | "S3_REGION" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY">;

export type Bucket = {
  readonly client: S3Client;
  readonly name: string;
  /** Prefix of every object's name: empty, or ends with a slash. */
  readonly prefix: string;
};

const connectMs = 3000;
/** A connection without traffic for this long counts as broken. */
const silentMs = 30_000;
/** No plan keeps a result for more than 30 days. */
const longestDays = 32;
const ruleId = "filemill";

/** @throws SettingError if the bucket does not exist or may not be used. If it is unreachable, its users wait for it. */
export async function openBucket(settings: S3Settings, log: Log): Promise<Bucket> {
  const bucket = bucketOf(settings);
  const { client, name } = bucket;
  try {
    await client.send(new HeadBucketCommand({ Bucket: name }));
  } catch (error) {
    const status = statusOf(error);
    if (status === 404) throw new SettingError(`BLOBS names the bucket ${name}, which does not exist: create it first.`, { cause: error });
    if (status === 403 || status === 401) {
      throw new SettingError(`The bucket ${name} cannot be used with these S3 credentials.`, { cause: error });
    }
    log.warn("blobs.bucket_away", { bucket: name, err: error });
    return bucket;
  }
  await ensureRule(bucket).catch((error: unknown) => log.warn("blobs.no_expiry_rule", { bucket: name, err: error }));
  return bucket;
}

function bucketOf({ BLOBS, S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }: S3Settings): Bucket {
  const { hostname, pathname } = new URL(BLOBS ?? "");
  const folders = pathname.split("/").filter((folder) => folder !== "");
  if ((S3_ACCESS_KEY_ID === undefined) !== (S3_SECRET_ACCESS_KEY === undefined)) {
    throw new SettingError("S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together.");
  }
  const isOwn = S3_ACCESS_KEY_ID !== undefined && S3_SECRET_ACCESS_KEY !== undefined;
  const client = new S3Client({
    region: S3_REGION as BucketLocationConstraint,
    requestHandler: { connectionTimeout: connectMs, socketTimeout: silentMs },
    // A self-hosted server has no host name per bucket.
    ...(S3_ENDPOINT === undefined ? {} : { endpoint: S3_ENDPOINT, forcePathStyle: true }),
    ...(isOwn ? { credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY } } : {}),
  });
  return { client, name: hostname, prefix: folders.map((folder) => `${folder}/`).join("") };
}

/** A fallback for when no process is running; otherwise the sweep removes blobs sooner. A bucket that already has rules keeps them. */
async function ensureRule({ client, name, prefix }: Bucket): Promise<void> {
  const found = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: name })).catch((error: unknown) => {
    if (statusOf(error) === 404) return undefined;
    throw error;
  });
  if ((found?.Rules?.length ?? 0) > 0) return;
  const rule = {
    ID: ruleId,
    Status: "Enabled" as const,
    Filter: { Prefix: prefix },
    Expiration: { Days: longestDays },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
  };
  await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket: name, LifecycleConfiguration: { Rules: [rule] } }));
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/**
 * A missing object becomes RESULT_EXPIRED. FilemillErrors stay as they are. Anything else is a failure of the store or the network:
 * UNAVAILABLE.
 */
export function failureOfBucket(error: unknown): unknown {
  if (error instanceof FilemillError) return error;
  if (statusOf(error) === 404) return new FilemillError("RESULT_EXPIRED", "The file was removed.");
  return new FilemillError("UNAVAILABLE", "The file store is not available right now; try again.", { retryAfterMs: 5000, cause: error });
}
