/**
 * A backup is a folder: `manifest.json`, `records/<bucket>.ndjson` with one line per entry, `blobs` as under DATA_DIR, and `device-key`.
 * It can be read without Filemill, and any program can link or copy it.
 */
import { grants } from "#contract/grants.ts";

export const formatVersion = 1;

export type Manifest = {
  readonly format: number;
  readonly at: string;
  /** In the order in which they are restored. */
  readonly buckets: readonly { readonly name: string; readonly ttlMs: number | undefined; readonly entries: number }[];
  readonly blobs: number;
  /** Blobs that records name but that were already gone. Downloads of these answer RESULT_EXPIRED. */
  readonly missing: number;
};

export type Line = { readonly key: string; readonly base64: string };

/** Announcements and health checks, which are written again within seconds. */
const fleeting: ReadonlySet<string> = new Set(["manifests", "health"]);

/** Jobs come first, so that an account created while they are read is read after them. */
export const bucketNames: readonly string[] = [
  ...new Set(["jobs", ...Object.values(grants).flatMap(({ buckets }) => Object.keys(buckets))]),
].filter((name) => !fleeting.has(name));

/** Entries as they are stored. */
export const rawCodec = { encode: (bytes: Uint8Array) => bytes, decode: (bytes: Uint8Array) => Uint8Array.from(bytes) };

export const secretFiles = ["device-key"] as const;
