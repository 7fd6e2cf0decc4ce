import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { JobRecordSchema, JobSchema, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { isRecord, type Record } from "#services/job/domain/state.ts";

export const bornMs = Date.UTC(2026, 0, 1);
export const retentionMs = 3600_000;

/** A queued job as CreateJob writes it. */
export function queuedRecord(facts: { id?: string; accountId?: string; lane?: string; input?: string; sizeBytes?: bigint } = {}): Record {
  const job = create(JobSchema, {
    id: facts.id ?? "01kc000000000000000000000a",
    accountId: facts.accountId ?? "acc",
    state: JobState.QUEUED,
    from: "png",
    to: "webp",
    input: { id: facts.input ?? "in", digest: "d", sizeBytes: facts.sizeBytes ?? 10n },
    createdAt: timestampFromMs(bornMs),
    expiresAt: timestampFromMs(bornMs + retentionMs),
  });
  const record = create(JobRecordSchema, { job, plan: { lane: facts.lane ?? "image" }, retentionSeconds: retentionMs / 1000, version: 1n });
  if (!isRecord(record)) throw new TypeError("no job");
  return record;
}
