/** What the account service remembers, as its domain sees it. */
import type { Account, Key, PresetShelf } from "#gen/filemill/account/v1/account_pb.ts";
import type { Credentials, IdentityRecord, LinkRecord, Session } from "#gen/filemill/account/v1/sign_in_pb.ts";

/** Durable records. Every change is a compare-and-set. */
export type Records = {
  /** False when the address is taken. Of two creates of one address exactly one resolves with true. */
  createAccount(account: Account): Promise<boolean>;
  /** Undefined when there is no such account. `change` may run several times. */
  changeAccount(id: string, change: (account: Account) => Account): Promise<Account | undefined>;
  /** Frees the address too. */
  removeAccount(account: Account): Promise<void>;
  createKey(hash: string, key: Key): Promise<void>;
  /** Undefined when there is no such key; writes nothing when `change` returns its argument. */
  changeKey(hash: string, change: (key: Key) => Key): Promise<Key | undefined>;
  removeKey(hash: string): Promise<void>;
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

/** Durable entries by key, the present ones in memory. A change of another process is seen within a second. */
export type Table<T> = {
  get(key: string): T | undefined;
  /** Asks the store itself whether there is such an entry. */
  exists(key: string): Promise<boolean>;
  entries(): readonly (readonly [string, T])[];
  /** False when there is an entry already. */
  create(key: string, value: T): Promise<boolean>;
  /** By compare-and-set; undefined when there is no such entry; writes nothing when `change` returns its argument. */
  change(key: string, change: (value: T) => T): Promise<T | undefined>;
  remove(key: string): Promise<void>;
};

/** How people prove who they are. */
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

/** What accounts have beside their records and keys. */
export type AccountTables = SignInTables & {
  /** By account id. */
  readonly presets: Table<PresetShelf>;
};
