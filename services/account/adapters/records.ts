/**
 * Accounts and keys in two key-value buckets.
 *
 *   accounts   <account id>            Account
 *              email.<sha256 of it>    Account as first created: whoever creates this entry owns the address
 *   keys       <sha256 of the key>     KeyRecord; the key itself is never stored
 */
import { create } from "@bufbuild/protobuf";
import { type Account, AccountSchema, type Key, type KeyRecord, KeyRecordSchema } from "#gen/filemill/account/v1/account_pb.ts";
import { changeEntry, unlessConflict } from "#kit/nats/entries.ts";
import type { Broker, Bucket, Entry } from "#kit/nats/ports.ts";
import { protobufCodec } from "#kit/nats/protobuf-codec.ts";
import type { Records } from "../domain/directory.ts";
import { emailHashOf } from "../domain/email.ts";

export type Buckets = { readonly accounts: Bucket<Account>; readonly keys: Bucket<KeyRecord> };

/** Receives every write of this process immediately, before the bucket's own watch reports it. */
export type WriteListener = {
  /** Undefined: removed. */
  account(id: string, entry: Entry<Account> | undefined): void;
  key(hash: string, entry: Entry<KeyRecord> | undefined): void;
};

const deaf: WriteListener = { account: () => undefined, key: () => undefined };

export function isEmailKey(key: string): boolean {
  return key.startsWith("email.");
}

export async function openBuckets(broker: Broker): Promise<Buckets> {
  const [accounts, keys] = await Promise.all([
    broker.bucket("accounts", protobufCodec(AccountSchema)),
    broker.bucket("keys", protobufCodec(KeyRecordSchema)),
  ]);
  return { accounts, keys };
}

export function createRecords({ accounts, keys }: Buckets, listener: WriteListener = deaf): Records {
  return {
    async createAccount(account) {
      const emailKey = `email.${emailHashOf(account.email)}`;
      if ((await unlessConflict(accounts.create(emailKey, account))) !== undefined) {
        await finishAccount(accounts, account, listener);
        return true;
      }
      // The process that took the address may have died before it wrote the account. Complete that account.
      const owner = await accounts.get(emailKey);
      if (owner !== undefined) await finishAccount(accounts, owner.value, listener);
      return false;
    },
    async changeAccount(id, change) {
      const entry = await changeEntry(accounts, id, change);
      if (entry !== undefined) listener.account(id, entry);
      return entry?.value;
    },
    async removeAccount(account) {
      const emailKey = `email.${emailHashOf(account.email)}`;
      // Remove the account last: while it exists, an interrupted removal can be resumed. By then somebody else may own the address.
      if ((await accounts.get(emailKey))?.value.id === account.id) await accounts.remove(emailKey);
      await accounts.remove(account.id);
      listener.account(account.id, undefined);
    },
    async createKey(hash, key) {
      const value = create(KeyRecordSchema, { key });
      listener.key(hash, { key: hash, value, revision: await keys.create(hash, value) });
    },
    async changeKey(hash, change) {
      const entry = await changeEntry(keys, hash, (record) => recordWith(record, change));
      if (entry !== undefined) listener.key(hash, entry);
      return entry?.value.key;
    },
    async removeKey(hash) {
      await keys.remove(hash);
      listener.key(hash, undefined);
    },
  };
}

/** Does not bring back an account that is being removed: the account may disappear right after its address was read. */
async function finishAccount(accounts: Bucket<Account>, account: Account, listener: WriteListener): Promise<void> {
  const revision = await unlessConflict(accounts.create(account.id, account, { unlessRemoved: true }));
  if (revision !== undefined) listener.account(account.id, { key: account.id, value: account, revision });
}

function recordWith(record: KeyRecord, change: (key: Key) => Key): KeyRecord {
  if (record.key === undefined) return record;
  const key = change(record.key);
  return key === record.key ? record : create(KeyRecordSchema, { key });
}
