/** Ways to sign in: passwords, one-time links, identities of other providers. */
import { clone, create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { FilemillError } from "#contract/errors.ts";
import type { Account } from "#gen/filemill/account/v1/account_pb.ts";
import { CredentialsSchema, type LinkRecord, LinkRecordSchema } from "#gen/filemill/account/v1/sign_in_pb.ts";
import { createAccount, isOpen } from "./accounts.ts";
import type { Directory, Records, SignInTables } from "./directory.ts";
import { parseEmail } from "./email.ts";
import { hashOf } from "./key.ts";
import { type Hasher, parsePassword, spelled } from "./password.ts";
import type { Plans } from "./plans.ts";
import { beginSession, endSessions, isFreshFromLink, sessionOf } from "./sessions.ts";
import { createToken, isToken } from "./token.ts";

/** The plan of guests and of users who sign up. */
export const openPlan = "free";
export const linkLifeMs = 24 * 3_600_000;

export type House = {
  readonly plans: Plans;
  readonly records: Records;
  readonly directory: Directory;
  readonly tables: SignInTables;
  readonly hasher: Hasher;
  readonly signUpOpen: boolean;
};

export type SignedIn = { readonly account: Account; readonly sessionToken: string };

/** Rejects with SIGN_UP_CLOSED, BAD_REQUEST (`details.field`), ACCOUNT_EXISTS or OVERLOADED. */
export async function signUp(house: House, { email, password }: { email: string; password: string }): Promise<SignedIn> {
  if (!house.signUpOpen)
    throw new FilemillError("SIGN_UP_CLOSED", "Sign-up is closed here; ask the operator of this server for an account.");
  const parsed = parseEmail(email);
  const accepted = parsePassword(password, parsed, "password");
  const taken = new FilemillError("ACCOUNT_EXISTS", "An account with this e-mail address already exists; sign in.");
  if (house.directory.accountByEmail(parsed) !== undefined) throw taken;
  const passwordHash = await house.hasher.hash(accepted, "stranger");
  const account = await createAccount(house.records, house.plans, { email: parsed, plan: openPlan, emailVerified: false });
  await storePassword(house.tables, account.id, passwordHash);
  return { account, sessionToken: await beginSession(house.tables.sessions, account) };
}

/** Rejects with INVALID_CREDENTIALS or OVERLOADED. Whatever is wrong, the answer and the work are the same. */
export async function signIn(
  house: House,
  { email, password, known }: { email: string; password: string; known: boolean },
): Promise<SignedIn> {
  const asker = known ? "known" : "stranger";
  const account = house.directory.accountByEmail(email.slice(0, 1024).trim().normalize("NFC").toLowerCase());
  const stored = account === undefined ? undefined : passwordHashOf(house.tables, account.id);
  const isRight = await house.hasher.verify(spelled(password), stored, asker);
  if (!isRight || stored === undefined || !isOpen(account)) throw invalid("The e-mail address or password is wrong.");
  if (house.hasher.isOutdated(stored)) await storePassword(house.tables, account.id, await house.hasher.hash(spelled(password), asker));
  return { account, sessionToken: await beginSession(house.tables.sessions, account) };
}

/** The token of a new one-time link. It is returned only here. */
export async function createLink({ links }: Pick<SignInTables, "links">, account: Account): Promise<{ token: string; link: LinkRecord }> {
  const token = createToken();
  const link = create(LinkRecordSchema, { accountId: account.id, expiresAt: timestampFromMs(Date.now() + linkLifeMs) });
  await links.create(hashOf(token), link);
  return { token, link };
}

/** Uses up a link: of two attempts, one succeeds. Rejects with INVALID_CREDENTIALS. */
export async function signInByLink(house: House, token: string): Promise<SignedIn> {
  const refusal = invalid("This sign-in link was already used or has expired; ask for a new one.");
  if (!isToken(token)) throw refusal;
  const mine = timestampFromMs(Date.now());
  let isFirst = false;
  const link = await house.tables.links.change(hashOf(token), (present) => {
    isFirst = present.usedAt === undefined;
    if (!isFirst) return present;
    const next = clone(LinkRecordSchema, present);
    next.usedAt = mine;
    return next;
  });
  const isLive = link?.expiresAt !== undefined && timestampMs(link.expiresAt) > Date.now();
  const account = link === undefined ? undefined : house.directory.account(link.accountId);
  if (!isFirst || !isLive || !isOpen(account)) throw refusal;
  return { account, sessionToken: await beginSession(house.tables.sessions, account, true) };
}

/**
 * Sets the password of the session's account and ends its other sessions. Rejects with SIGN_IN_REQUIRED,
 * INVALID_CREDENTIALS, BAD_REQUEST (`details.field`) or OVERLOADED.
 */
export async function setPassword(house: House, asked: { sessionToken: string; current: string; next: string }): Promise<void> {
  const { tables, directory, hasher } = house;
  const { account, session } = sessionOf(tables.sessions, directory, asked.sessionToken);
  const next = parsePassword(asked.next, account.email, "next");
  const stored = passwordHashOf(tables, account.id);
  const mustKnow = stored !== undefined && !isFreshFromLink(session);
  if (mustKnow && !(await hasher.verify(spelled(asked.current), stored, "known")))
    throw invalid("The current password is wrong.", "current");
  await storePassword(tables, account.id, await hasher.hash(next, "known"));
  await endSessions(tables.sessions, account.id, asked.sessionToken);
}

/** Rejects with SIGN_IN_REQUIRED, or with INVALID_CREDENTIALS if the user cannot prove to be the account's owner. */
export async function confirm(house: House, asked: { sessionToken: string; password: string; email: string }): Promise<void> {
  const { account } = sessionOf(house.tables.sessions, house.directory, asked.sessionToken);
  const stored = passwordHashOf(house.tables, account.id);
  if (stored !== undefined) {
    if (await house.hasher.verify(spelled(asked.password), stored, "known")) return;
    throw invalid("The password is wrong.", "password");
  }
  if (asked.email.trim().normalize("NFC").toLowerCase() !== account.email) throw invalid("Type the account's e-mail address.", "email");
}

/** Undefined if the account has no password. */
export function passwordHashOf({ credentials }: Pick<SignInTables, "credentials">, accountId: string): string | undefined {
  const stored = credentials.get(accountId)?.passwordHash;
  return stored === "" ? undefined : stored;
}

async function storePassword({ credentials }: Pick<SignInTables, "credentials">, accountId: string, passwordHash: string): Promise<void> {
  const value = create(CredentialsSchema, { passwordHash });
  while ((await credentials.change(accountId, () => value)) === undefined && !(await credentials.create(accountId, value)));
}

export function invalid(message: string, field?: string): FilemillError {
  return new FilemillError("INVALID_CREDENTIALS", message, field === undefined ? {} : { details: { field } });
}
