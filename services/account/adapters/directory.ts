import type { Account, KeyRecord } from "#gen/filemill/account/v1/account_pb.ts";
import { createMemory } from "#kit/nats/entries.ts";
import type { Entry } from "#kit/nats/ports.ts";
import type { Directory } from "../domain/directory.ts";
import { type Buckets, isEmailKey, type WriteListener } from "./records.ts";

export type LiveDirectory = Directory & { readonly listener: WriteListener } & AsyncDisposable;

/** Follows both buckets. Resolves when the current state is loaded. */
export async function openDirectory(buckets: Buckets): Promise<LiveDirectory> {
  const accounts = createMemory<Account>();
  const keys = createMemory<KeyRecord>();
  const idOfEmail = new Map<string, string>();
  const hashOfId = new Map<string, string>();

  const onAccount = (key: string, entry: Entry<Account> | undefined): void => {
    if (isEmailKey(key) || !accounts.apply(key, entry)) return;
    // Somebody else may already own the address of an account that is being removed.
    if (entry !== undefined && entry.value.deletedAt === undefined) idOfEmail.set(entry.value.email, key);
  };
  const onKey = (hash: string, entry: Entry<KeyRecord> | undefined): void => {
    const id = entry?.value.key?.id;
    if (keys.apply(hash, entry) && id !== undefined) hashOfId.set(id, hash);
  };
  await using stack = new AsyncDisposableStack();
  stack.use(await buckets.accounts.watch(onAccount, accounts.isKnown));
  stack.use(await buckets.keys.watch(onKey, keys.isKnown));
  const owned = stack.move();

  const account = (id: string): Account | undefined => accounts.get(id);
  return {
    account,
    accountByEmail: (email) => account(idOfEmail.get(email) ?? ""),
    accounts: () => valuesOf(accounts).sort(byId),
    key: (hash) => keys.get(hash)?.key,
    hashOfKeyId: (id) => {
      const hash = hashOfId.get(id);
      return hash !== undefined && keys.get(hash) !== undefined ? hash : undefined;
    },
    keysOf: (accountId) =>
      valuesOf(keys)
        .flatMap(({ key }) => (key?.accountId === accountId ? [key] : []))
        .sort(byId),
    listener: { account: onAccount, key: onKey },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function valuesOf<T>(memory: { entries(): [string, T][] }): T[] {
  return memory.entries().map(([, value]) => value);
}

/** Ids end in a ULID, which sorts by creation time. */
function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
