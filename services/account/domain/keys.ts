/** Operations on API keys. */
import { clone, create } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { monotonicFactory } from "ulid";
import { FilemillError } from "#contract/errors.ts";
import { type Account, type Key, KeySchema, KeyScope } from "#gen/filemill/account/v1/account_pb.ts";
import type { Directory, Records } from "./directory.ts";
import { createKeySecret, hashOf, prefixOf } from "./key.ts";

/** Per account, revoked keys included. */
const maxKeys = 1000;

/** Ids sort by creation, even within a millisecond. */
const nextUlid = monotonicFactory();

export type WantedKey = { readonly name: string; readonly scopes?: readonly KeyScope[]; readonly expiresAt?: Timestamp | undefined };

/** A new key. Its secret is returned only here. Rejects with BAD_REQUEST (`details.field`). */
export async function createKey(records: Records, account: Account, wanted: WantedKey): Promise<{ key: Key; secret: string }> {
  const { expiresAt } = wanted;
  if (expiresAt !== undefined && timestampMs(expiresAt) <= Date.now()) throw refused("expiresAt", "A key's expiry must be in the future.");
  const secret = createKeySecret();
  const key = create(KeySchema, {
    id: `key_${nextUlid()}`,
    accountId: account.id,
    name: parseName(wanted.name),
    prefix: prefixOf(secret),
    createdAt: timestampFromMs(Date.now()),
    scopes: parseScopes(wanted.scopes ?? []),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  await records.createKey(hashOf(secret), key);
  return { key, secret };
}

/** Rejects with BAD_REQUEST if the account has as many keys as allowed. */
export function checkKeyCount(directory: Directory, account: Account): void {
  if (directory.keysOf(account.id).length >= maxKeys) throw refused("name", `An account has at most ${maxKeys} keys.`);
}

/** A key by its id. @param accountId - Only a key of this account; empty: of any account. */
export type KeyRef = { readonly keyId: string; readonly accountId: string };

/** Revoking again keeps the first time. Rejects with KEY_NOT_FOUND. */
export function revokeKey(records: Records, directory: Directory, ref: KeyRef): Promise<Key> {
  return changeKey(records, directory, ref, (key) => {
    if (key.revokedAt !== undefined) return key;
    const next = clone(KeySchema, key);
    next.revokedAt = timestampFromMs(Date.now());
    return next;
  });
}

/** Rejects with KEY_NOT_FOUND or BAD_REQUEST. */
export async function renameKey(records: Records, directory: Directory, ref: KeyRef, name: string): Promise<Key> {
  const parsed = parseName(name);
  return changeKey(records, directory, ref, (key) => {
    const next = clone(KeySchema, key);
    next.name = parsed;
    return next;
  });
}

async function changeKey(records: Records, directory: Directory, ref: KeyRef, change: (key: Key) => Key): Promise<Key> {
  const hash = directory.hashOfKeyId(ref.keyId);
  const known = hash === undefined ? undefined : directory.key(hash);
  const isOwn = ref.accountId === "" || known?.accountId === ref.accountId;
  const changed = hash === undefined || !isOwn ? undefined : await records.changeKey(hash, change);
  if (changed === undefined) throw new FilemillError("KEY_NOT_FOUND", "There is no key with this id; list the account's keys.");
  return changed;
}

/** The key as used at `nowMs`, or the same object if its last use is younger than `resolutionMs`. */
export function usedKey(key: Key, nowMs: number, resolutionMs: number): Key {
  if (key.lastUsedAt !== undefined && nowMs - timestampMs(key.lastUsedAt) < resolutionMs) return key;
  const next = clone(KeySchema, key);
  next.lastUsedAt = timestampFromMs(nowMs);
  return next;
}

function parseName(name: string): string {
  if ([...name].length > 100 || /\p{Cc}/u.test(name))
    throw refused("name", "The name of a key has at most 100 characters and no control characters.");
  return name;
}

/** Removes duplicates. All scopes together are stored as an empty list. */
function parseScopes(scopes: readonly KeyScope[]): KeyScope[] {
  const known: readonly KeyScope[] = [KeyScope.CONVERT, KeyScope.READ];
  if (scopes.some((scope) => !known.includes(scope))) throw refused("scopes", "A key's scopes are `convert` and `read`.");
  const chosen = known.filter((scope) => scopes.includes(scope));
  return chosen.length === known.length ? [] : chosen;
}

function refused(field: string, message: string): FilemillError {
  return new FilemillError("BAD_REQUEST", message, { details: { field } });
}
