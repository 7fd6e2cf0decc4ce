import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { changeEntry, createMemory } from "#kit/nats/entries.ts";
import { type Broker, type Bucket, RevisionConflict } from "#kit/nats/ports.ts";
import type { Table } from "../domain/directory.ts";

/** A key-value bucket. Once followed, its current state is in memory. */
export type FollowedTable<T> = Table<T> & {
  /** Resolves when the current state is loaded. Disposing stops following. */
  follow(): Promise<AsyncDisposable>;
};

/** @param ttlMs - Entries disappear when they have not been written for this long. */
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
  const { apply, isKnown, get, entries } = createMemory<T>();
  return {
    get,
    entries,
    exists: async (key) => (await bucket.get(key)) !== undefined,
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
    follow: () => bucket.watch(apply, isKnown),
  };
}
