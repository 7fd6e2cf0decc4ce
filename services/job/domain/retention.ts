import { timestampMs } from "@bufbuild/protobuf/wkt";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { isUnfinished, type Record } from "./state.ts";

/** How long an expired job is still known (410 instead of 404). */
export const remembranceMs = 7 * 24 * 3600 * 1000;
/** Younger blobs without a job are left alone: they may belong to an upload or result in progress. */
export const orphanAgeMs = 3600 * 1000;
/** How long an idempotency key is kept. */
export const idempotencyMs = 24 * 3600 * 1000;

export type Due = "cancel" | "expire" | "remove";

/** What is due by time. */
export function dueOf(record: Record, nowMs: number): Due | undefined {
  if (record.deleted) return "remove";
  const expiresAtMs = expiresAtMsOf(record);
  if (nowMs < expiresAtMs) return undefined;
  if (isUnfinished(record)) return "cancel";
  if (record.job.state === JobState.DONE) return "expire";
  return nowMs < expiresAtMs + remembranceMs ? undefined : "remove";
}

/** Ids of the blobs that the job still needs: its input until it ends, its result until it expires. */
export function neededBlobsOf(record: Record): string[] {
  if (record.deleted) return [];
  if (isUnfinished(record)) return idsOf([record.job.input]);
  return record.job.state === JobState.DONE ? idsOf([record.job.result]) : [];
}

/** Size of those blobs. */
export function keptBytesOf(record: Record): number {
  if (record.deleted) return 0;
  const { state, input, result } = record.job;
  if (isUnfinished(record)) return Number(input?.sizeBytes ?? 0n);
  return state === JobState.DONE ? Number(result?.sizeBytes ?? 0n) : 0;
}

/** Ids of the blobs that `before` needed and `after` does not. */
export function releasedBlobsOf(before: Record, after: Record | undefined): string[] {
  const needed = new Set(after === undefined ? [] : neededBlobsOf(after));
  return neededBlobsOf(before).filter((id) => !needed.has(id));
}

export function expiresAtMsOf(record: Record): number {
  return record.job.expiresAt === undefined ? Number.POSITIVE_INFINITY : timestampMs(record.job.expiresAt);
}

function idsOf(blobs: readonly ({ readonly id: string } | undefined)[]): string[] {
  return blobs.flatMap((blob) => (blob === undefined || blob.id === "" ? [] : [blob.id]));
}
