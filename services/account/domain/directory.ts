/** What the account service remembers, as its domain sees it. */
import type { Account, Key } from "#gen/filemill/account/v1/account_pb.ts";

/** Durable records. Every change is a compare-and-set. */
export type Records = {
  /** False when the address is taken. Of two creates of one address exactly one resolves with true. */
  createAccount(account: Account): Promise<boolean>;
  /** Undefined when there is no such account. `change` may run several times. */
  changeAccount(id: string, change: (account: Account) => Account): Promise<Account | undefined>;
  createKey(hash: string, key: Key): Promise<void>;
  /** Undefined when there is no such key; writes nothing when `change` returns its argument. */
  changeKey(hash: string, change: (key: Key) => Key): Promise<Key | undefined>;
};

/** The present state in memory, fed by the store's changes: every look-up is free of round trips. */
export type Directory = {
  account(id: string): Account | undefined;
  accountByEmail(email: string): Account | undefined;
  /** Oldest first. */
  accounts(): readonly Account[];
  /** By the key's SHA-256. */
  key(hash: string): Key | undefined;
  hashOfKeyId(id: string): string | undefined;
  /** Oldest first. */
  keysOf(accountId: string): readonly Key[];
};
