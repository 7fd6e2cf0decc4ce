import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { changeEntry, createMemory, unlessConflict } from "./entries.ts";
import type { Broker, Bucket, Entry } from "./ports.ts";
import { protobufCodec } from "./protobuf-codec.ts";

/** Durable entries by key, with the current ones in memory. A change by another process is seen within a second. */
export type Table<T> = {
  get(key: string): T | undefined;
  /** Asks the store itself whether the entry exists. */
  exists(key: string): Promise<boolean>;
  entries(): readonly (readonly [string, T])[];
  /** False if the entry exists already. */
  create(key: string, value: T): Promise<boolean>;
  /** Compare-and-set. Undefined if there is no such entry. Writes nothing when `change` returns its argument. */
  change(key: string, change: (value: T) => T): Promise<T | undefined>;
  remove(key: string): Promise<void>;
};

type FollowedTable<T> = Table<T> & {
  entry(key: string): Entry<T> | undefined;
  /** Compare-and-set. Undefined if another process was faster. */
  update(entry: Entry<T>, value: T): Promise<Entry<T> | undefined>;
  /** Resolves when the current state is loaded. Disposing stops following. */
  follow(): Promise<AsyncDisposable>;
};

type TableOptions<T> = {
  /** Entries disappear when they have not been written for this long. */
  readonly ttlMs?: number;
  /** Called after each change by this or another process. Undefined entry: removed. */
  onChange?(key: string, entry: Entry<T> | undefined): void;
};

export async function openTable<D extends DescMessage>(
  broker: Broker,
  name: string,
  schema: D,
  { ttlMs, onChange }: TableOptions<MessageShape<D>> = {},
): Promise<FollowedTable<MessageShape<D>>> {
  return createTable(await broker.bucket(name, protobufCodec(schema), ttlMs === undefined ? {} : { ttlMs }), onChange);
}

function createTable<T>(bucket: Bucket<T>, onChange: TableOptions<T>["onChange"]): FollowedTable<T> {
  const { apply: remember, isKnown, get, entry, entries } = createMemory<T>();
  const apply = (key: string, changed: Entry<T> | undefined): void => {
    if (remember(key, changed)) onChange?.(key, changed);
  };
  const written = (changed: Entry<T> | undefined): Entry<T> | undefined => {
    if (changed !== undefined) apply(changed.key, changed);
    return changed;
  };
  return {
    get,
    entry,
    entries,
    exists: async (key) => (await bucket.get(key)) !== undefined,
    async create(key, value) {
      const revision = await unlessConflict(bucket.create(key, value));
      return written(revision === undefined ? undefined : { key, value, revision }) !== undefined;
    },
    change: async (key, change) => written(await changeEntry(bucket, key, change))?.value,
    async update({ key, revision: before }, value) {
      const revision = await unlessConflict(bucket.update(key, value, before));
      return written(revision === undefined ? undefined : { key, value, revision });
    },
    async remove(key) {
      await bucket.remove(key);
      apply(key, undefined);
    },
    follow: () => bucket.watch(apply, isKnown),
  };
}
