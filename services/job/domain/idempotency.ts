import { createHash } from "node:crypto";
import type { CreateJobRequest } from "#gen/filemill/job/v1/job_pb.ts";
import type { IdempotencyEntry } from "./ports.ts";
import { idempotencyMs } from "./retention.ts";
import type { Record } from "./state.ts";

/** An entry without a job for longer than this is left over from a request that failed. */
const settlingMs = 10_000;

/**
 * What a request with an idempotency key finds:
 * `free`: the key is unused, or its entry is too old, or its job was deleted; `same`: this request, whose job is `jobId`; `begun`: this
 * request, whose job does not exist yet, and whoever creates `jobId` first makes it; `other`: another request.
 */
export type Precedent = { readonly kind: "free" | "other" } | { readonly kind: "same" | "begun"; readonly jobId: string };

/** @param first - The job that the entry names, if it exists. */
export function precedentOf(entry: IdempotencyEntry | undefined, first: Record | undefined, digest: string, nowMs: number): Precedent {
  if (entry === undefined || nowMs - entry.createdAtMs >= idempotencyMs || first?.deleted === true) return { kind: "free" };
  const isSame = entry.requestDigest === digest;
  if (first !== undefined) return isSame ? { kind: "same", jobId: entry.jobId } : { kind: "other" };
  if (isSame) return { kind: "begun", jobId: entry.jobId };
  return nowMs - entry.createdAtMs < settlingMs ? { kind: "other" } : { kind: "free" };
}

/** The store's key of the entry. Clients' keys never become keys of the store. */
export function entryKeyOf(accountId: string, idempotencyKey: string): string {
  return createHash("sha256")
    .update(JSON.stringify([accountId, idempotencyKey]))
    .digest("hex");
}

/** Equal for requests for the same conversion. */
export function digestOf(request: CreateJobRequest): string {
  const options = Object.entries(request.options).sort(([a], [b]) => (a < b ? -1 : 1));
  const { from, to, sourceName, requestDigest, input } = request;
  const facts = [from, to, options, sourceName, requestDigest, input?.digest ?? "", String(input?.sizeBytes ?? 0n)];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}
