/** The account service's storage, as its domain sees it. */
import type { Account, Key, PresetShelf } from "#gen/filemill/account/v1/account_pb.ts";
import type { Credentials, IdentityRecord, LinkRecord, Session } from "#gen/filemill/account/v1/sign_in_pb.ts";
import type { Table } from "#kit/nats/table.ts";

/** Durable records. Every change is a compare-and-set. */
export type Records = {
  /** False if the address is taken. Of two calls with one address, exactly one resolves with true. */
  createAccount(account: Account): Promise<boolean>;
  /** Undefined if there is no such account. `change` may run several times. */
  changeAccount(id: string, change: (account: Account) => Account): Promise<Account | undefined>;
  /** Also frees the address. */
  removeAccount(account: Account): Promise<void>;
  createKey(hash: string, key: Key): Promise<void>;
  /** Undefined if there is no such key. Writes nothing when `change` returns its argument. */
  changeKey(hash: string, change: (key: Key) => Key): Promise<Key | undefined>;
  removeKey(hash: string): Promise<void>;
};

/** The current state in memory, updated from the store's changes: look-ups need no round trip. */
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

/** What sign-in needs. */
export type SignInTables = {
  /** By account id. */
  readonly credentials: Table<Credentials>;
  /** By the token's SHA-256. */
  readonly sessions: Table<Session>;
  /** By the token's SHA-256. */
  readonly links: Table<LinkRecord>;
  /** By a hash of issuer and subject. */
  readonly identities: Table<IdentityRecord>;
};

/** Everything that is stored of accounts besides their records and keys. */
export type AccountTables = SignInTables & {
  /** By account id. */
  readonly presets: Table<PresetShelf>;
};
