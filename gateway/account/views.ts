/** Accounts, plans and keys as JSON for the pages. */
import { instantOf } from "#contract/job-json.ts";
import { type Account, type Key, KeyScope, type Plan } from "#gen/filemill/account/v1/account_pb.ts";

export const scopeNames = { convert: KeyScope.CONVERT, read: KeyScope.READ } as const;

export type ScopeName = keyof typeof scopeNames;

export function planJsonOf(plan: Plan) {
  const { id, label, apiAccess, maxInputMb, requestsPerMinute, maxUnfinishedJobs, retentionSeconds } = plan;
  const { maxStoredMb, maxResultMb, processorSecondsPerHour } = plan;
  const retentionHours = retentionSeconds / 3600;
  const kept = { retentionHours, maxStoredMb, maxResultMb, processorSecondsPerHour };
  return { id, label, apiAccess, maxInputMb, requestsPerMinute, maxUnfinishedJobs, ...kept };
}

export function accountJsonOf({ id, email, createdAt, operator }: Account) {
  return { id, email, createdAt: instantOf(createdAt), operator };
}

export function keyJsonOf(key: Key) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: (["convert", "read"] as const).filter((name) => key.scopes.length === 0 || key.scopes.includes(scopeNames[name])),
    createdAt: instantOf(key.createdAt),
    lastUsedAt: instantOf(key.lastUsedAt),
    expiresAt: instantOf(key.expiresAt),
    revokedAt: instantOf(key.revokedAt),
  };
}
