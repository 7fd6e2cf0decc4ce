/** Sessions of signed-in users. Only a hash of the token is stored. Ending a session removes its record. */
import { setTimeout as sleep } from "node:timers/promises";
import { clone, create } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { ulid } from "ulid";
import { FilemillError } from "#contract/errors.ts";
import type { Account } from "#gen/filemill/account/v1/account_pb.ts";
import { type Session, SessionSchema } from "#gen/filemill/account/v1/sign_in_pb.ts";
import type { Table } from "#kit/nats/table.ts";
import { isOpen } from "./accounts.ts";
import type { Directory } from "./directory.ts";
import { hashOf } from "./key.ts";
import type { QuietWrites } from "./quiet-writes.ts";
import { createToken, isToken } from "./token.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A session ends after this long without use. */
export const idleMs = 14 * dayMs;
/** Upper limit for a session's age, however much it is used. */
const maxAgeMs = 90 * dayMs;
/** Last use is recorded once an hour, instead of with each request. */
const seenResolutionMs = hourMs;
/** How long after signing in by a one-time link a forgotten password can be reset. */
const afterLinkMs = hourMs;
/** When another session begins, the oldest one ends. */
const maxPerAccount = 50;

type Sessions = Table<Session>;

/** Resolves with the new token. It is available only here. */
export async function beginSession(sessions: Sessions, account: Account, byLink = false): Promise<string> {
  const now = timestampFromMs(Date.now());
  const token = createToken();
  const session = create(SessionSchema, { id: `ses_${ulid()}`, accountId: account.id, createdAt: now, lastSeenAt: now, byLink });
  await sessions.create(hashOf(token), session);
  for (const [hash] of entriesOf(sessions, account.id).slice(maxPerAccount)) await sessions.remove(hash);
  return token;
}

/** The session and its account. Throws SIGN_IN_REQUIRED if the session is unknown or over, or if its account is not open. */
export function sessionOf(
  sessions: Sessions,
  directory: Directory,
  token: string,
  nowMs = Date.now(),
): { session: Session; account: Account } {
  const session = isToken(token) ? sessions.get(hashOf(token)) : undefined;
  const account = session === undefined ? undefined : directory.account(session.accountId);
  if (session !== undefined && isOpen(account) && !isOver(session, nowMs)) return { session, account };
  throw new FilemillError("SIGN_IN_REQUIRED", "Sign in first.");
}

/**
 * Waits up to a second for a session that another process has just begun and this one has not seen yet. Otherwise a user who signed in at
 * one gateway would be rejected by the next.
 */
export async function catchUp(sessions: Sessions, directory: Directory, token: string): Promise<void> {
  const hash = hashOf(token);
  const isKnown = (): boolean => directory.account(sessions.get(hash)?.accountId ?? "") !== undefined;
  if (!isToken(token) || isKnown() || !(await sessions.exists(hash))) return;
  for (let look = 0; look < 50 && !isKnown(); look++) await sleep(20);
}

/** Records in the background that the session is in use. */
export function noteSeen(sessions: Sessions, writes: QuietWrites, token: string, nowMs = Date.now()): void {
  const hash = hashOf(token);
  const isRecent = (session: Session) => nowMs - msOf(session.lastSeenAt) < seenResolutionMs;
  const session = sessions.get(hash);
  if (session === undefined || isRecent(session)) return;
  writes.begin(hash, () =>
    sessions.change(hash, (present) => {
      if (isRecent(present)) return present;
      const next = clone(SessionSchema, present);
      next.lastSeenAt = timestampFromMs(nowMs);
      return next;
    }),
  );
}

/** Ending an unknown session is not an error. */
export async function endSession(sessions: Sessions, token: string): Promise<void> {
  const hash = hashOf(token);
  if (isToken(token) && sessions.get(hash) !== undefined) await sessions.remove(hash);
}

/** @param keptToken - Token of the one session to keep. */
export async function endSessions(sessions: Sessions, accountId: string, keptToken?: string): Promise<void> {
  const kept = keptToken === undefined ? undefined : hashOf(keptToken);
  await Promise.all(entriesOf(sessions, accountId).map(([hash]) => (hash === kept ? undefined : sessions.remove(hash))));
}

/** Newest first. */
export function sessionsOf(sessions: Sessions, accountId: string): Session[] {
  return entriesOf(sessions, accountId)
    .map(([, session]) => session)
    .filter((session) => !isOver(session, Date.now()));
}

/** Whether the session recently began with a one-time link. */
export function isFreshFromLink(session: Session, nowMs = Date.now()): boolean {
  return session.byLink && nowMs - msOf(session.createdAt) < afterLinkMs;
}

function isOver(session: Session, nowMs: number): boolean {
  return nowMs - msOf(session.lastSeenAt) > idleMs || nowMs - msOf(session.createdAt) > maxAgeMs;
}

function entriesOf(sessions: Sessions, accountId: string): (readonly [string, Session])[] {
  const own = sessions.entries().filter(([, session]) => session.accountId === accountId);
  return own.sort(([, a], [, b]) => (a.id < b.id ? 1 : -1));
}

function msOf(timestamp: Timestamp | undefined): number {
  return timestamp === undefined ? 0 : timestampMs(timestamp);
}
