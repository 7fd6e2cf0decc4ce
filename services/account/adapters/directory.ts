import type { Account, KeyRecord } from "#gen/filemill/account/v1/account_pb.ts";
import type { Entry } from "#kit/nats/ports.ts";
import type { Directory } from "../domain/directory.ts";
import { type Buckets, isEmailKey, type WriteListener } from "./records.ts";

export type LiveDirectory = Directory & { readonly listener: WriteListener } & AsyncDisposable;

/** Follows both buckets; resolves when the present state is known. */
export async function openDirectory(buckets: Buckets): Promise<LiveDirectory> {
  const accounts = createTable<Account>();
  const keys = createTable<KeyRecord>();
  const idOfEmail = new Map<string, string>();
  const hashOfId = new Map<string, string>();

  const onAccount = (key: string, entry: Entry<Account> | undefined): void => {
    if (isEmailKey(key) || !accounts.apply(key, entry)) return;
    if (entry !== undefined) idOfEmail.set(entry.value.email, key);
  };
  const onKey = (hash: string, entry: Entry<KeyRecord> | undefined): void => {
    const id = entry?.value.key?.id;
    if (keys.apply(hash, entry) && id !== undefined) hashOfId.set(id, hash);
  };
  await using stack = new AsyncDisposableStack();
  stack.use(await buckets.accounts.watch(onAccount));
  stack.use(await buckets.keys.watch(onKey));
  const owned = stack.move();

  const account = (id: string): Account | undefined => accounts.get(id);
  return {
    account,
    accountByEmail: (email) => account(idOfEmail.get(email) ?? ""),
    accounts: () => accounts.values().sort(byId),
    key: (hash) => keys.get(hash)?.key,
    hashOfKeyId: (id) => {
      const hash = hashOfId.get(id);
      return hash !== undefined && keys.get(hash) !== undefined ? hash : undefined;
    },
    keysOf: (accountId) =>
      keys
        .values()
        .flatMap(({ key }) => (key?.accountId === accountId ? [key] : []))
        .sort(byId),
    listener: { account: (entry) => onAccount(entry.key, entry), key: (entry) => onKey(entry.key, entry) },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Ids end in a ULID, which sorts by its moment of creation. */
function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}

/** Entries by key. A change that comes late, its revision being older than what is known, is ignored. */
function createTable<T>() {
  const entries = new Map<string, Entry<T>>();
  return {
    apply(key: string, entry: Entry<T> | undefined): boolean {
      const known = entries.get(key);
      if (entry === undefined) return entries.delete(key);
      if (known !== undefined && known.revision >= entry.revision) return false;
      entries.set(key, entry);
      return true;
    },
    get: (key: string): T | undefined => entries.get(key)?.value,
    values: (): T[] => [...entries.values()].map(({ value }) => value),
  };
}
