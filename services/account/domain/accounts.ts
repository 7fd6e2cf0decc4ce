/** What can be done with accounts and keys. */
import { clone, create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { ulid } from "ulid";
import { type Account, AccountSchema, type Key, KeySchema, type Plan } from "#gen/filemill/account/v1/account_pb.ts";
import { FilemillError } from "#kit/errors.ts";
import type { Directory, Records } from "./directory.ts";
import { parseEmail } from "./email.ts";
import { createKeySecret, hashOf, prefixOf } from "./key.ts";
import type { Plans } from "./plans.ts";

export type AccountRef = { readonly id: string } | { readonly email: string };

/** Rejects with BAD_REQUEST, PLAN_NOT_FOUND or ACCOUNT_EXISTS. */
export async function createAccount(records: Records, plans: Plans, wanted: { email: string; plan: string }): Promise<Account> {
  const email = parseEmail(wanted.email);
  const plan = planOf(plans, wanted.plan);
  const account = create(AccountSchema, { id: `acc_${ulid()}`, email, plan: plan.id, createdAt: timestampFromMs(Date.now()) });
  if (!(await records.createAccount(account)))
    throw new FilemillError("ACCOUNT_EXISTS", "An account with this e-mail address exists already.");
  return account;
}

/** Rejects with ACCOUNT_NOT_FOUND or PLAN_NOT_FOUND. */
export async function setPlan(records: Records, plans: Plans, account: Account, planId: string): Promise<Account> {
  const plan = planOf(plans, planId);
  const changed = await records.changeAccount(account.id, (present) => {
    const next = clone(AccountSchema, present);
    next.plan = plan.id;
    return next;
  });
  return changed ?? accountMissing();
}

/** A new key; the secret is told here and never again. Rejects with BAD_REQUEST for a name over 100 characters or with control characters. */
export async function createKey(records: Records, account: Account, name: string): Promise<{ key: Key; secret: string }> {
  if ([...name].length > 100 || /\p{Cc}/u.test(name))
    throw new FilemillError("BAD_REQUEST", "The name of a key has at most 100 characters and no control characters.");
  const secret = createKeySecret();
  const key = create(KeySchema, {
    id: `key_${ulid()}`,
    accountId: account.id,
    name,
    prefix: prefixOf(secret),
    createdAt: timestampFromMs(Date.now()),
  });
  await records.createKey(hashOf(secret), key);
  return { key, secret };
}

/** Revoking twice keeps the first moment. Rejects with KEY_NOT_FOUND. */
export async function revokeKey(records: Records, directory: Directory, keyId: string): Promise<Key> {
  const hash = directory.hashOfKeyId(keyId);
  const revoked = hash === undefined ? undefined : await records.changeKey(hash, revokedKey);
  if (revoked === undefined) throw new FilemillError("KEY_NOT_FOUND", "There is no key with this id; list the account's keys.");
  return revoked;
}

function revokedKey(key: Key): Key {
  if (key.revokedAt !== undefined) return key;
  const next = clone(KeySchema, key);
  next.revokedAt = timestampFromMs(Date.now());
  return next;
}

/** The key as used at `nowMs`, or the key itself when its last use is younger than `resolutionMs`. */
export function usedKey(key: Key, nowMs: number, resolutionMs: number): Key {
  if (key.lastUsedAt !== undefined && nowMs - timestampMs(key.lastUsedAt) < resolutionMs) return key;
  const next = clone(KeySchema, key);
  next.lastUsedAt = timestampFromMs(nowMs);
  return next;
}

/** Throws ACCOUNT_NOT_FOUND. */
export function accountOf(directory: Directory, ref: AccountRef): Account {
  const account = "id" in ref ? directory.account(ref.id) : directory.accountByEmail(parseEmail(ref.email));
  return account ?? accountMissing();
}

/** Throws PLAN_NOT_FOUND. */
export function planOf(plans: Plans, id: string): Plan {
  const plan = plans.get(id);
  if (plan === undefined)
    throw new FilemillError("PLAN_NOT_FOUND", `There is no plan "${id}"; there are: ${[...plans.keys()].join(", ")}.`, {
      details: { plan: id, allowed: [...plans.keys()] },
    });
  return plan;
}

function accountMissing(): never {
  throw new FilemillError("ACCOUNT_NOT_FOUND", "There is no such account; check the id or the e-mail address.");
}
