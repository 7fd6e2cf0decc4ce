/** Copies an installation while it is running. */
import { copyFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import type { Log } from "#kit/log.ts";
import type { BrokerHost } from "#kit/nats/broker.ts";
import { jobRecordCodec } from "#kit/nats/job-record-codec.ts";
import type { Bucket, Entry } from "#kit/nats/ports.ts";
import type { Settings } from "#kit/settings.ts";
import { bucketNames, formatVersion, type Line, type Manifest, rawCodec, secretFiles } from "./format.ts";
import { openRecords } from "./records.ts";

type Entries = Map<string, Entry<Uint8Array>>;

/**
 * Writes a backup to a new folder. Each record in it was stored at some moment during the backup. The blobs that it names are included,
 * unless BLOBS names an external store.
 *
 * @throws FilemillError UNAVAILABLE if the broker does not answer, BAD_REQUEST if the folder exists.
 */
export async function writeBackup(settings: Settings, folder: string, log: Log): Promise<Manifest> {
  const draft = `${folder}.new`;
  await makeDraft(folder, draft);
  const dataDir = resolve(settings.DATA_DIR);
  await using host = await openRecords(settings, log);
  const copied = new Set<string>();
  const areOurs = settings.BLOBS === undefined;
  const copyBlobs = async () => {
    if (areOurs) await copyNewBlobs(join(dataDir, "blobs"), join(draft, "blobs"), copied);
  };
  // Copy most blobs before reading the records, so that little changes in between.
  await copyBlobs();
  const buckets: Manifest["buckets"][number][] = [];
  let missing = 0;
  for (const name of bucketNames) {
    const bucket = await host.bucket(name, rawCodec);
    const entries = await entriesOf(bucket);
    if (name === "jobs" && areOurs) missing = await settle(bucket, entries, copied, copyBlobs);
    const lines = [...entries].map(([key, { value }]) =>
      JSON.stringify({ key, base64: Buffer.from(value).toString("base64") } satisfies Line),
    );
    await writeFile(join(draft, "records", `${name}.ndjson`), lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
    buckets.push({ name, ttlMs: await ttlOf(host, name), entries: entries.size });
  }
  for (const file of secretFiles) await copyFile(join(dataDir, file), join(draft, file)).catch(ignoreMissing);
  const manifest: Manifest = { format: formatVersion, at: new Date().toISOString(), buckets, blobs: copied.size, missing };
  await writeFile(join(draft, "manifest.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await rename(draft, folder);
  return manifest;
}

async function makeDraft(folder: string, draft: string): Promise<void> {
  const refuse = (why: string): never => {
    throw new FilemillError("BAD_REQUEST", `${folder} ${why}; name a folder that does not exist yet.`);
  };
  if ((await readdir(folder).catch(() => undefined)) !== undefined) refuse("is there already");
  await rm(draft, { recursive: true, force: true });
  // Only its owner may read it, because it contains what DATA_DIR contains.
  await mkdir(draft, { recursive: true, mode: 0o700 }).catch(() => refuse("cannot be created"));
  await Promise.all(["records", "blobs"].map((name) => mkdir(join(draft, name))));
}

async function entriesOf(bucket: Bucket<Uint8Array>): Promise<Entries> {
  const entries: Entries = new Map();
  const watch = await bucket.watch((key, entry) => {
    if (entry === undefined) entries.delete(key);
    else entries.set(key, entry);
  });
  await watch[Symbol.asyncDispose]();
  return entries;
}

/**
 * Copies until each record's blobs are there. A blob disappears because its record changed, so that record is read again. Resolves with the
 * number of blobs that stay missing because their results have expired.
 */
async function settle(
  bucket: Bucket<Uint8Array>,
  entries: Entries,
  copied: ReadonlySet<string>,
  copyBlobs: () => Promise<void>,
): Promise<number> {
  for (;;) {
    await copyBlobs();
    const lacking = [...entries].filter(([, { value }]) => blobsOf(value).some((id) => !copied.has(id)));
    let changed = 0;
    for (const [key, { revision }] of lacking) {
      const now = await bucket.get(key);
      if (now?.revision === revision) continue;
      changed += 1;
      if (now === undefined) entries.delete(key);
      else entries.set(key, now);
    }
    if (changed === 0) return lacking.flatMap(([, { value }]) => blobsOf(value).filter((id) => !copied.has(id))).length;
  }
}

/** Blobs that a job still needs: its input until it ends, then its result. */
function blobsOf(bytes: Uint8Array): readonly string[] {
  const { job } = jobRecordCodec.decode(bytes);
  const isUnfinished = job?.state === JobState.QUEUED || job?.state === JobState.RUNNING;
  const blob = isUnfinished ? job.input : job?.state === JobState.DONE ? job.result : undefined;
  return blob === undefined ? [] : [blob.id];
}

async function copyNewBlobs(from: string, to: string, copied: Set<string>): Promise<void> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const isBlob = entry.isFile() && dirname(join(entry.parentPath, entry.name)) !== join(from, "partial");
    if (!isBlob || copied.has(entry.name)) continue;
    const folder = join(to, entry.name.slice(0, 2));
    await mkdir(folder, { recursive: true });
    const gone = await copyFile(join(entry.parentPath, entry.name), join(folder, entry.name)).then(() => false, isMissing);
    if (!gone) copied.add(entry.name);
  }
}

function isMissing(error: unknown): boolean {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return true;
  throw error;
}

function ignoreMissing(error: unknown): void {
  isMissing(error);
}

async function ttlOf({ owner }: BrokerHost, name: string): Promise<number | undefined> {
  const { config } = await owner.retry(() => owner.jsm.streams.info(`KV_${name}`));
  return config.max_age === 0 ? undefined : config.max_age / 1e6;
}
