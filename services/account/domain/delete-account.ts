import type { Account } from "#gen/filemill/account/v1/account_pb.ts";
import { markDeleted } from "./accounts.ts";
import type { Directory, Records, SignInTables, Table } from "./directory.ts";

/**
 * What an account owns in another service, which goes with it: jobs with their files, for example. Whatever else comes
 * to belong to accounts is one more of these in `gateway/compose.ts`.
 */
export type Belonging = {
  readonly name: string;
  /** Resolves when nothing of the account is left. May be called again for the same account. */
  removeAll(accountId: string): Promise<void>;
};

type Store = { readonly records: Records; readonly directory: Directory; readonly tables: SignInTables };

/**
 * Removes an account and everything of its own. First it is refused everywhere, then its belongings go, at last the
 * account itself; after a crash in between, the same call finishes it.
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
    ...directory.keysOf(account.id).map(({ id }) => {
      const hash = directory.hashOfKeyId(id);
      return hash === undefined ? undefined : records.removeKey(hash);
    }),
  ]);
  await records.removeAccount(account);
}

async function removeOwn<T extends { readonly accountId: string }>(table: Table<T>, accountId: string): Promise<void> {
  const own = table.entries().filter(([, value]) => value.accountId === accountId);
  await Promise.all(own.map(([key]) => table.remove(key)));
}
