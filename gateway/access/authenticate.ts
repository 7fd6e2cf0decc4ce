import type { CallOptions } from "@connectrpc/connect";
import { FilemillError, fromConnectError } from "#contract/errors.ts";
import type { GatewayDeps } from "#gateway/context.ts";
import { type Account, KeyScope, type Plan } from "#gen/filemill/account/v1/account_pb.ts";
import type { RatePolicy } from "./rate-limit.ts";

export type Session = { readonly token: string; readonly hasPassword: boolean; readonly needsCurrentPassword: boolean };

/** On whose behalf a request is, and what the account's plan allows. */
export type Caller = {
  readonly account: Account;
  readonly plan: Plan;
  /** Without an account: bound by the address it calls from. */
  readonly isGuest?: true;
  /** Of somebody who signed in. */
  readonly session?: Session;
  /** Asks again what let this caller in; rejects with what would refuse it now. Nobody takes anything from a guest. */
  readonly confirm?: (options: CallOptions) => Promise<unknown>;
};

const scopes: Readonly<Record<RatePolicy, KeyScope>> = { convert: KeyScope.CONVERT, read: KeyScope.READ };

/**
 * The account behind an Authorization header (RFC 6750). Rejects with MISSING_API_KEY, INVALID_API_KEY,
 * API_KEY_REVOKED, NOT_ENTITLED or UNAVAILABLE. Nothing is remembered here, so a revocation counts at once.
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
  const { account, plan } = await accounts.verifyKey({ key, scope: scopes[scope] }, options).catch((error: unknown) => {
    throw fromConnectError(error);
  });
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

/** WWW-Authenticate of a 401: an error is named only where a key was given (RFC 6750 §3.1). */
export function challengeOf(error: FilemillError): string {
  return aboutKeys.has(error.code) ? 'Bearer realm="filemill", error="invalid_token"' : 'Bearer realm="filemill"';
}
