import type { CallOptions } from "@connectrpc/connect";
import { FilemillError, throwKnown } from "#contract/errors.ts";
import type { GatewayDeps } from "#gateway/context.ts";
import { type Account, KeyScope, type Plan } from "#gen/filemill/account/v1/account_pb.ts";
import type { RatePolicy } from "./rate-limit.ts";

export type Session = { readonly token: string; readonly hasPassword: boolean; readonly needsCurrentPassword: boolean };

/** Who makes a request, and what the account's plan allows. */
export type Caller = {
  readonly account: Account;
  readonly plan: Plan;
  /** Has no account; identified by the client's address. */
  readonly isGuest?: true;
  /** Present if the user signed in. */
  readonly session?: Session;
  /**
   * Checks the credentials again. Rejects with the error that would refuse the caller now. Absent for guests, who have nothing to revoke.
   */
  readonly confirm?: (options: CallOptions) => Promise<unknown>;
};

const scopes: Readonly<Record<RatePolicy, KeyScope>> = { convert: KeyScope.CONVERT, read: KeyScope.READ };

/**
 * Resolves the account behind an Authorization header (RFC 6750). Nothing is cached, so a revoked key stops working at once.
 * Rejects with MISSING_API_KEY, INVALID_API_KEY, API_KEY_REVOKED, NOT_ENTITLED or UNAVAILABLE.
 */
export async function authenticate(
  accounts: GatewayDeps["accounts"],
  authorization: string | undefined,
  scope: RatePolicy,
  options: CallOptions = {},
): Promise<Caller> {
  if (authorization === undefined || authorization.trim() === "") {
    throw new FilemillError("MISSING_API_KEY", "Send your API key in the header `Authorization: Bearer <key>`.");
  }
  const key = /^bearer +([\x21-\x7e]{1,256})$/i.exec(authorization.trim())?.[1];
  if (key === undefined) throw malformed(authorization.trim());
  const { account, plan } = await accounts.verifyKey({ key, scope: scopes[scope] }, options).catch(throwKnown);
  if (account === undefined || plan === undefined) throw new FilemillError("INTERNAL", "Something went wrong on our side.");
  if (!plan.apiAccess) throw new FilemillError("NOT_ENTITLED", "Your plan has no API access; use the converter page or change the plan.");
  return { account, plan, confirm: (bounds) => authenticate(accounts, authorization, scope, bounds) };
}

function malformed(authorization: string): FilemillError {
  if (/^bearer$/i.test(authorization)) {
    return new FilemillError("INVALID_API_KEY", "There is no key after `Bearer` in the Authorization header; is the variable set?");
  }
  const isBare = authorization.startsWith("fm_");
  return new FilemillError(
    "INVALID_API_KEY",
    `The Authorization header must read \`Bearer <key>\`${isBare ? ": put `Bearer ` before the key" : ""}.`,
  );
}

const aboutKeys: ReadonlySet<string> = new Set(["INVALID_API_KEY", "API_KEY_REVOKED"]);

/** The WWW-Authenticate header of a 401. It names an error only if the request had a key (RFC 6750 §3.1). */
export function challengeOf(error: FilemillError): string {
  return aboutKeys.has(error.code) ? 'Bearer realm="filemill", error="invalid_token"' : 'Bearer realm="filemill"';
}
