import { timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import { FilemillError } from "#contract/errors.ts";
import { type Account, type Key, KeyScope, type Plan } from "#gen/filemill/account/v1/account_pb.ts";
import type { Directory } from "./directory.ts";
import { hashOf, isKeySecret } from "./key.ts";
import type { Plans } from "./plans.ts";

export type Access = { readonly account: Account; readonly plan: Plan; readonly key: Key; readonly hash: string };

/** What the key is used for. An unspecified scope requires nothing in particular. */
export type Use = { readonly key: string; readonly scope: KeyScope };

/**
 * Decides whether a bearer key may call the API. Throws INVALID_API_KEY, API_KEY_REVOKED or NOT_ENTITLED.
 * The look-up is by the key's SHA-256, so its timing reveals nothing about other keys.
 */
export function accessOf({ key: secret, scope }: Use, directory: Directory, plans: Plans): Access {
  // A malformed key and an unknown one get the same answer after the same work, so nobody learns which guess was closer.
  const hash = hashOf(secret);
  const key = isKeySecret(secret) ? directory.key(hash) : undefined;
  const account = key === undefined ? undefined : directory.account(key.accountId);
  if (key === undefined || account === undefined || account.deletedAt !== undefined)
    throw new FilemillError("INVALID_API_KEY", "Unknown API key; check that it is complete and belongs to this server.");
  checkLife(key);
  if (account.disabledAt !== undefined)
    throw new FilemillError("NOT_ENTITLED", "The account is disabled; ask the operator of this server.", { details: { disabled: true } });
  return { account, plan: planWithAccess(plans, account), key: scopedKey(key, scope), hash };
}

/** The account's plan. Throws NOT_ENTITLED if the plan has no API access. */
export function planWithAccess(plans: Plans, account: Account): Plan {
  const plan = plans.get(account.plan);
  if (plan?.apiAccess === true) return plan;
  throw new FilemillError("NOT_ENTITLED", `The plan "${account.plan}" has no API access; change to a plan that includes it.`, {
    details: { plan: account.plan },
  });
}

function checkLife(key: Key): void {
  if (key.revokedAt !== undefined) throw new FilemillError("API_KEY_REVOKED", "The API key was revoked; create a new one.");
  if (key.expiresAt !== undefined && timestampMs(key.expiresAt) <= Date.now())
    throw new FilemillError("API_KEY_REVOKED", "The API key has expired; create a new one.", {
      details: { expiredAt: timestampDate(key.expiresAt).toISOString() },
    });
}

const scopeNames: Readonly<Record<number, string>> = { [KeyScope.CONVERT]: "convert", [KeyScope.READ]: "read" };

function scopedKey(key: Key, scope: KeyScope): Key {
  if (scope === KeyScope.UNSPECIFIED || key.scopes.length === 0 || key.scopes.includes(scope)) return key;
  const name = scopeNames[scope] ?? "";
  throw new FilemillError("NOT_ENTITLED", `The API key lacks the scope "${name}"; create a key that has it.`, { details: { scope: name } });
}
