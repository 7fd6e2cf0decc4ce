/** Identities vouched for by another provider (OpenID Connect). */
import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { FilemillError } from "#contract/errors.ts";
import type { Account } from "#gen/filemill/account/v1/account_pb.ts";
import { IdentityRecordSchema } from "#gen/filemill/account/v1/sign_in_pb.ts";
import { createAccount, isOpen, markVerified } from "./accounts.ts";
import { parseEmail } from "./email.ts";
import { revokeKey } from "./keys.ts";
import { beginSession, endSessions } from "./sessions.ts";
import { type House, invalid, type SignedIn } from "./sign-in.ts";

export type Identity = {
  /** Both exactly as the provider writes them. Together they never change (OpenID Connect Core §5.7). */
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly emailVerified: boolean;
};

/**
 * Signs in with an identity that the caller has verified. A new identity joins the account of its address or gets a new account, but only
 * if the provider verified that address. Rejects with INVALID_CREDENTIALS.
 */
export async function signInByIdentity(house: House, identity: Identity, plan: string): Promise<SignedIn> {
  const key = keyOf(identity);
  const known = house.tables.identities.get(key);
  const linked = known === undefined ? undefined : house.directory.account(known.accountId);
  const account = linked ?? (await accountFor(house, identity, plan));
  if (!isOpen(account)) throw refused();
  if (linked === undefined) {
    const record = create(IdentityRecordSchema, {
      accountId: account.id,
      issuer: identity.issuer,
      createdAt: timestampFromMs(Date.now()),
    });
    // Replace the identity of an account that no longer exists.
    if (known !== undefined) await house.tables.identities.remove(key);
    await house.tables.identities.create(key, record);
  }
  return { account, sessionToken: await beginSession(house.tables.sessions, account) };
}

async function accountFor(house: House, identity: Identity, plan: string): Promise<Account> {
  if (!identity.emailVerified || identity.email === "")
    throw invalid("The provider has not verified your e-mail address; ask your administrator.");
  const email = parseEmail(identity.email);
  const present = house.directory.accountByEmail(email);
  if (present !== undefined) return isOpen(present) && !present.emailVerified ? takeOver(house, present) : present;
  try {
    return await createAccount(house.records, house.plans, { email, plan, emailVerified: true });
  } catch (error) {
    const winner = house.directory.accountByEmail(email);
    if (error instanceof FilemillError && error.code === "ACCOUNT_EXISTS" && winner !== undefined) return winner;
    throw error;
  }
}

/**
 * Anybody can sign up with somebody else's address and wait for its owner. When the owner proves the address, every way in for the first
 * user ends: password, sessions, keys.
 */
async function takeOver({ tables, records, directory }: House, account: Account): Promise<Account> {
  await tables.credentials.remove(account.id);
  await endSessions(tables.sessions, account.id);
  for (const { id } of directory.keysOf(account.id)) await revokeKey(records, directory, { keyId: id, accountId: account.id });
  return markVerified(records, account);
}

function keyOf({ issuer, subject }: Identity): string {
  return createHash("sha256")
    .update(JSON.stringify([issuer, subject]))
    .digest("hex");
}

function refused(): FilemillError {
  return invalid("This account cannot sign in; ask the operator of this server.");
}
