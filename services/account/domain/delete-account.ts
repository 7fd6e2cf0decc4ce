import { setTimeout as sleep } from "node:timers/promises";
import type { Account } from "#gen/filemill/account/v1/account_pb.ts";
import type { Log } from "#kit/log.ts";
import type { Table } from "#kit/nats/table.ts";
import { markDeleted } from "./accounts.ts";
import type { AccountTables, Directory, Records } from "./directory.ts";

/**
 * What an account owns in another service and is deleted with it, for example jobs with their files. To add one, list it in
 * `gateway/compose.ts`.
 */
export type Belonging = {
  readonly name: string;
  /** Resolves when nothing that belongs to the account is left. May be called again for the same account. */
  removeAll(accountId: string): Promise<void>;
};

type Store = { readonly records: Records; readonly directory: Directory; readonly tables: AccountTables };

/**
 * Removes an account and everything that belongs to it. First it blocks the account everywhere, then it removes the belongings, and
 * finally the account itself. After a crash in between, the same call finishes the work.
 */
export async function deleteAccount(
  { records, directory, tables }: Store,
  belongings: readonly Belonging[],
  account: Account,
): Promise<void> {
  await markDeleted(records, account);
  await Promise.all([
    ...belongings.map((belonging) => belonging.removeAll(account.id)),
    removeOwn(tables.sessions, account.id),
    removeOwn(tables.links, account.id),
    removeOwn(tables.identities, account.id),
    tables.credentials.remove(account.id),
    tables.presets.remove(account.id),
    ...directory.keysOf(account.id).map(({ id }) => {
      const hash = directory.hashOfKeyId(id);
      return hash === undefined ? undefined : records.removeKey(hash);
    }),
  ]);
  await records.removeAccount(account);
}

const firstPauseMs = 500;
const longestPauseMs = 60_000;

export type Deletions = AsyncDisposable & {
  /**
   * Deletes the account in the background and retries until it succeeds, because another service may be down or not started yet. Never
   * throws.
   */
  finish(account: Account): void;
};

/** Disposing stops the retries. The next start continues them. */
export function createDeletions(store: Store, belongings: readonly Belonging[], log: Log): Deletions {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  const untilDone = async (account: Account): Promise<void> => {
    for (let pauseMs = firstPauseMs; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await deleteAccount(store, belongings, account);
      } catch (error) {
        if (store.directory.account(account.id) === undefined) return;
        log.warn("account.deletion-failed", { account: account.id, error: String(error) });
        await sleep(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      }
    }
  };
  return {
    finish(account) {
      if (running.has(account.id)) return;
      running.set(
        account.id,
        untilDone(account).finally(() => running.delete(account.id)),
      );
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(running.values());
    },
  };
}

async function removeOwn<T extends { readonly accountId: string }>(table: Table<T>, accountId: string): Promise<void> {
  const own = table.entries().filter(([, value]) => value.accountId === accountId);
  await Promise.all(own.map(([key]) => table.remove(key)));
}
