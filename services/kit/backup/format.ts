/**
 * A backup is a folder: `manifest.json`, `records/<bucket>.ndjson` with a line for each entry, `blobs` as under DATA_DIR, and `device-key`.
 * Readable without Filemill, and linked or copied by any program.
 */
import { grants } from "#contract/grants.ts";

export const formatVersion = 1;

export type Manifest = {
  readonly format: number;
  readonly at: string;
  /** In the order of restoring. */
  readonly buckets: readonly { readonly name: string; readonly ttlMs: number | undefined; readonly entries: number }[];
  readonly blobs: number;
  /** Blobs that records name and that were gone already: downloads of these answer RESULT_EXPIRED. */
  readonly missing: number;
};

export type Line = { readonly key: string; readonly base64: string };

/** Announced again within seconds, and signs of life. */
const fleeting: ReadonlySet<string> = new Set(["manifests", "health"]);

/** Jobs first: an account that comes while they are read is read after them. */
export const bucketNames: readonly string[] = [
  ...new Set(["jobs", ...Object.values(grants).flatMap(({ buckets }) => Object.keys(buckets))]),
].filter((name) => !fleeting.has(name));

/** Entries as they are stored. */
export const rawCodec = { encode: (bytes: Uint8Array) => bytes, decode: (bytes: Uint8Array) => Uint8Array.from(bytes) };

export const secretFiles = ["device-key"] as const;
