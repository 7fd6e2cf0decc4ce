import { Empty, type KV, type KvEntry } from "nats";
import type { Log } from "#kit/log.ts";
import { openBucketWatch } from "./bucket-watch.ts";
import { failureOf, isOutage, isWrongRevision, unavailable } from "./failures.ts";
import { type Link, patienceMs } from "./link.ts";
import { type Bucket, type Entry, RevisionConflict } from "./ports.ts";
import { openWriter } from "./writer.ts";

export type Codec<T> = { encode(value: T): Uint8Array; decode(bytes: Uint8Array): T };

/** Subjects are built from keys. A key with a wildcard or an empty token would address other entries. */
const keyPattern = /^[-_=A-Za-z0-9]+(\.[-_=A-Za-z0-9]+)*$/;

export type BucketSettings = {
  readonly name: string;
  readonly ttlMs: number | undefined;
  readonly replicas: number;
  readonly direct: boolean;
};

export async function openBucket<T>({ link, owner }: Ends, codec: Codec<T>, settings: BucketSettings, log: Log): Promise<Bucket<T>> {
  const { name, ttlMs } = settings;
  const kv = await openStore({ link, owner }, settings);
  const writer = openWriter(link);
  const store: Store = { kv, write: (key, bytes, expected) => writer.write(`$KV.${name}.${key}`, bytes, expected) };
  return {
    async get(key) {
      const stored = await link.retry(() => kv.get(checked(key)));
      return stored === null || isTombstone(stored) ? undefined : entryOf(codec, stored);
    },
    create: (key, value, { unlessRemoved = false } = {}) =>
      writeAt(link, store, checked(key), codec.encode(value), unlessRemoved ? "never there" : "vacant"),
    update: (key, value, revision) => writeAt(link, store, checked(key), codec.encode(value), revision),
    put: (key, value) => link.retry(() => kv.put(checked(key), codec.encode(value))),
    // Not purge: nats-server 2.9 then moves every consumer of the bucket forward to the marker, and watchers miss changes to other keys
    // that were in transit. With a history of one, delete leaves no more behind.
    remove: (key) => link.retry(() => kv.delete(checked(key))),
    watch: (onChange, isKnown = () => false) =>
      openBucketWatch(link, { name, ttlMs, decode: (bytes) => codec.decode(bytes), isKnown }, onChange, log.with({ bucket: name })),
  };
}

/** Data is written over `link`, streams are created over `owner`. Both are the same if one user has all rights. */
export type Ends = { readonly link: Link; readonly owner: Link };

/** Opens a bucket with its content. The owner creates it first if it does not exist. */
export async function openStore({ link, owner }: Ends, { name, ttlMs, replicas, direct }: BucketSettings): Promise<KV> {
  const options = { history: 1, replicas, allow_direct: direct, ...(ttlMs === undefined ? {} : { ttl: ttlMs }) };
  if (owner !== link) await owner.retry(() => owner.js.views.kv(name, options));
  const kv = await link.retry(() => link.js.views.kv(name, options));
  await owner.retry(() => ensureReplicas(owner, `KV_${name}`, replicas));
  return kv;
}

/** Adds replicas if more are wanted, for example after a cluster grew. Never removes any, because a server may be down. */
async function ensureReplicas(owner: Link, stream: string, replicas: number): Promise<void> {
  if (replicas === 1) return;
  const { config } = await owner.jsm.streams.info(stream);
  if (config.num_replicas < replicas) await owner.jsm.streams.update(stream, { ...config, num_replicas: replicas });
}

function checked(key: string): string {
  if (!keyPattern.test(key)) throw new TypeError(`not a key: ${JSON.stringify(key)}`);
  return key;
}

function isTombstone(stored: KvEntry): boolean {
  return stored.operation !== "PUT";
}

function entryOf<T>(codec: Codec<T>, stored: KvEntry): Entry<T> {
  return { key: stored.key, value: codec.decode(stored.value), revision: stored.revision };
}

/** A revision; nothing, even after a removal; or nothing, without a removal on record. */
type Expected = number | "vacant" | "never there";

type Store = { readonly kv: KV; write(key: string, bytes: Uint8Array, expected: number): Promise<number> };

/**
 * Compare-and-set that survives outages. Without an answer, the write may or may not have happened. Then the stored entry decides: if it
 * has these bytes and is newer than `expected`, the write succeeded.
 */
async function writeAt(link: Link, { kv, write }: Store, key: string, bytes: Uint8Array, at: Expected): Promise<number> {
  const deadline = performance.now() + patienceMs;
  const creating = at === "vacant";
  const expected = typeof at === "number" ? at : 0;
  let previousSeq = expected;
  let doubtful = false;
  for (let tries = 1; ; tries += 1) {
    let failure: unknown;
    try {
      return await write(key, bytes, previousSeq);
    } catch (error) {
      if (!isOutage(error) && !isWrongRevision(error)) throw failureOf(error);
      if (isWrongRevision(error) && !doubtful && !creating) throw new RevisionConflict(`${key} is not at revision ${expected} any more`);
      doubtful ||= isOutage(error);
      failure = error;
    }
    const stored = await link.retry(() => kv.get(key));
    if (doubtful && stored !== null && stored.revision > expected && isValue(stored, bytes)) return stored.revision;
    const vacant = stored === null || isTombstone(stored);
    const now = stored?.revision ?? 0;
    if (creating ? !vacant : now !== expected) throw new RevisionConflict(`${key} was changed by somebody else`);
    if (tries > 1 && performance.now() >= deadline) throw unavailable(failure);
    if (creating) previousSeq = now;
  }
}

function isValue(stored: KvEntry, bytes: Uint8Array): boolean {
  return !isTombstone(stored) && Buffer.compare(stored.value, bytes) === 0;
}

/** Writes and reads an entry as a health check. */
export async function writeAndRead(kv: KV, key: string): Promise<void> {
  await kv.put(key, Empty);
  await kv.get(key);
}
