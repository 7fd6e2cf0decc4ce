import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { type Broker, type Bucket, type Entry, RevisionConflict } from "#kit/nats/ports.ts";
import type { Table } from "../domain/directory.ts";

/** A key-value bucket with its present state in memory, once it is followed. */
export type FollowedTable<T> = Table<T> & {
  /** Resolves when the present state is known; disposing ends it. */
  follow(): Promise<AsyncDisposable>;
};

/** @param ttlMs - Entries that were not written for so long vanish. */
export async function openTable<D extends DescMessage>(
  broker: Broker,
  name: string,
  schema: D,
  ttlMs?: number,
): Promise<FollowedTable<MessageShape<D>>> {
  const codec = {
    encode: (value: MessageShape<D>) => toBinary(schema, value),
    decode: (bytes: Uint8Array) => fromBinary(schema, bytes),
  };
  return createTable(await broker.bucket(name, codec, ttlMs === undefined ? {} : { ttlMs }));
}

function createTable<T>(bucket: Bucket<T>): FollowedTable<T> {
  const { apply, get, entries } = createMemory<T>();
  return {
    get,
    entries,
    async create(key, value) {
      try {
        apply(key, { key, value, revision: await bucket.create(key, value) });
        return true;
      } catch (error) {
        if (error instanceof RevisionConflict) return false;
        throw error;
      }
    },
    async change(key, change) {
      const entry = await changeEntry(bucket, key, change);
      if (entry !== undefined) apply(key, entry);
      return entry?.value;
    },
    async remove(key) {
      await bucket.remove(key);
      apply(key, undefined);
    },
    follow: () => bucket.watch(apply),
  };
}

/** Entries by key. A change that comes late, its revision being older than what is known, is ignored. */
export function createMemory<T>() {
  const entries = new Map<string, Entry<T>>();
  return {
    /** False when nothing changed. */
    apply(key: string, entry: Entry<T> | undefined): boolean {
      const known = entries.get(key);
      if (entry === undefined) return entries.delete(key);
      if (known !== undefined && known.revision >= entry.revision) return false;
      entries.set(key, entry);
      return true;
    },
    get: (key: string): T | undefined => entries.get(key)?.value,
    entries: (): [string, T][] => [...entries].map(([key, { value }]) => [key, value]),
  };
}

/** Compare-and-set until it holds; writes nothing when `change` returns its argument. Undefined when there is no such entry. */
export async function changeEntry<T>(bucket: Bucket<T>, key: string, change: (value: T) => T): Promise<Entry<T> | undefined> {
  for (;;) {
    const entry = await bucket.get(key);
    if (entry === undefined) return undefined;
    const value = change(entry.value);
    if (value === entry.value) return entry;
    try {
      return { key, value, revision: await bucket.update(key, value, entry.revision) };
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
}
