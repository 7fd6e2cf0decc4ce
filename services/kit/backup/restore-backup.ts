/** Restores an installation from a backup. */
import { createReadStream } from "node:fs";
import { chmod, copyFile, mkdir, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { FilemillError } from "#contract/errors.ts";
import { openDataDir } from "#kit/data-dir.ts";
import type { Log } from "#kit/log.ts";
import type { BrokerHost } from "#kit/nats/broker.ts";
import { RevisionConflict } from "#kit/nats/ports.ts";
import type { Settings } from "#kit/settings.ts";
import { formatVersion, type Line, type Manifest, rawCodec, secretFiles } from "./format.ts";
import { isRunning, openRecords } from "./records.ts";

/**
 * Restores into an empty DATA_DIR and, with NATS_URL, into a broker without records. No service may be running on them.
 *
 * @throws FilemillError BAD_REQUEST if something is in the way or the folder is no backup, UNAVAILABLE if the broker does not answer.
 */
export async function restoreBackup(settings: Settings, folder: string, log: Log): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const dataDir = resolve(settings.DATA_DIR);
  if (await isRunning(settings)) throw new FilemillError("BAD_REQUEST", "Filemill is running on this DATA_DIR; stop it first.");
  if ((await readdir(dataDir).catch(() => [])).length > 0) {
    throw new FilemillError("BAD_REQUEST", `DATA_DIR ${dataDir} is not empty; restore a backup into an empty one.`);
  }
  await openDataDir(dataDir);
  await using host = await openRecords(settings, log);
  for (const { name, ttlMs } of manifest.buckets) await restoreBucket(host, name, ttlMs, join(folder, "records", `${name}.ndjson`));
  await copyBlobs(join(folder, "blobs"), join(dataDir, "blobs"));
  for (const file of secretFiles) {
    const isThere = (await readdir(folder)).includes(file);
    if (!isThere) continue;
    await copyFile(join(folder, file), join(dataDir, file));
    await chmod(join(dataDir, file), 0o600);
  }
  await host.flushToDisk();
  return manifest;
}

async function readManifest(folder: string): Promise<Manifest> {
  const manifest = await readFile(join(folder, "manifest.json"), "utf8").then(
    (text): Manifest => JSON.parse(text),
    () => undefined,
  );
  if (manifest?.format === formatVersion) return manifest;
  const why =
    manifest === undefined ? "is no backup" : `is a backup of format ${manifest.format}, but this Filemill reads format ${formatVersion}`;
  throw new FilemillError("BAD_REQUEST", `${folder} ${why}.`);
}

async function restoreBucket(host: BrokerHost, name: string, ttlMs: number | undefined, file: string): Promise<void> {
  const bucket = await host.bucket(name, rawCodec, ttlMs === undefined ? {} : { ttlMs });
  for await (const text of createInterface(createReadStream(file))) {
    const { key, base64 }: Line = JSON.parse(text);
    // Never overwrite existing records: with NATS_URL, this may be a working installation.
    await bucket.create(key, Buffer.from(base64, "base64")).catch((cause: unknown) => {
      if (!(cause instanceof RevisionConflict)) throw cause;
      throw new FilemillError("BAD_REQUEST", "The broker of NATS_URL already has records; restore a backup into an empty one.", {
        cause,
      });
    });
  }
}

/** Uses the permissions of the blob store, see disk-store.ts. */
async function copyBlobs(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o711 });
  for (const part of await readdir(from)) {
    await mkdir(join(to, part), { mode: 0o711 });
    for (const name of await readdir(join(from, part))) {
      await copyFile(join(from, part, name), join(to, part, name));
      await chmod(join(to, part, name), 0o444);
    }
  }
}
