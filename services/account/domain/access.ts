import type { Account, Key, Plan } from "#gen/filemill/account/v1/account_pb.ts";
import { FilemillError } from "#kit/errors.ts";
import type { Directory } from "./directory.ts";
import { hashOf, isKeySecret } from "./key.ts";
import type { Plans } from "./plans.ts";

export type Access = { readonly account: Account; readonly plan: Plan; readonly key: Key; readonly hash: string };

/**
 * Decides whether a bearer key may call the API. Throws INVALID_API_KEY, API_KEY_REVOKED or NOT_ENTITLED.
 * The look-up is by the key's SHA-256, so its timing tells nothing about any other key.
 */
export function accessOf(secret: string, directory: Directory, plans: Plans): Access {
  // One answer for both, after the same work: nobody learns which of two guesses was nearer.
  const hash = hashOf(secret);
  const key = isKeySecret(secret) ? directory.key(hash) : undefined;
  const account = key === undefined ? undefined : directory.account(key.accountId);
  if (key === undefined || account === undefined)
    throw new FilemillError("INVALID_API_KEY", "The API key is not known here; check that it was copied whole and belongs to this server.");
  if (key.revokedAt !== undefined) throw new FilemillError("API_KEY_REVOKED", "The API key was revoked; create a new one.");
  const plan = plans.get(account.plan);
  if (plan === undefined || !plan.apiAccess)
    throw new FilemillError("NOT_ENTITLED", `The plan "${account.plan}" has no API access; change to a plan that has.`, {
      details: { plan: account.plan },
    });
  return { account, plan, key, hash };
}
