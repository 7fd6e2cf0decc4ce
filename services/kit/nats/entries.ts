import { type Bucket, type Entry, RevisionConflict } from "./ports.ts";

/** Entries by key. Ignores a late change, whose revision is older than the known one. */
export function createMemory<T>() {
  const entries = new Map<string, Entry<T>>();
  return {
    /** False if nothing changed. */
    apply(key: string, entry: Entry<T> | undefined): boolean {
      const known = entries.get(key);
      if (entry === undefined) return entries.delete(key);
      if (known !== undefined && known.revision >= entry.revision) return false;
      entries.set(key, entry);
      return true;
    },
    /** For the watch that updates this memory. */
    isKnown: (key: string, revision: number): boolean => (entries.get(key)?.revision ?? 0) >= revision,
    entry: (key: string): Entry<T> | undefined => entries.get(key),
    get: (key: string): T | undefined => entries.get(key)?.value,
    entries: (): [string, T][] => [...entries].map(([key, { value }]) => [key, value]),
  };
}

/**
 * Repeats the compare-and-set until it succeeds. Writes nothing when `change` returns its argument. Undefined if there is no such entry.
 */
export async function changeEntry<T>(bucket: Bucket<T>, key: string, change: (value: T) => T): Promise<Entry<T> | undefined> {
  for (;;) {
    const entry = await bucket.get(key);
    if (entry === undefined) return undefined;
    const value = change(entry.value);
    if (value === entry.value) return entry;
    const revision = await unlessConflict(bucket.update(key, value, entry.revision));
    if (revision !== undefined) return { key, value, revision };
  }
}

/** Undefined if another writer was faster. */
export async function unlessConflict(write: Promise<number>): Promise<number | undefined> {
  return write.catch((error: unknown) => {
    if (!(error instanceof RevisionConflict)) throw error;
    return undefined;
  });
}
