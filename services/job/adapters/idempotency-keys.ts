import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { IdempotencyRecordSchema } from "#gen/filemill/job/v1/job_pb.ts";
import { unlessConflict } from "#kit/nats/entries.ts";
import type { Broker } from "#kit/nats/ports.ts";
import { protobufCodec } from "#kit/nats/protobuf-codec.ts";
import type { IdempotencyKeys } from "../domain/ports.ts";
import { idempotencyMs } from "../domain/retention.ts";

/** The bucket `idempotency`. The broker removes its entries after a day. */
export async function openIdempotencyKeys(broker: Broker): Promise<IdempotencyKeys> {
  const bucket = await broker.bucket("idempotency", protobufCodec(IdempotencyRecordSchema), { ttlMs: idempotencyMs });
  return {
    async get(key) {
      const entry = await bucket.get(key);
      if (entry === undefined) return undefined;
      const { jobId, requestDigest, createdAt } = entry.value;
      return { jobId, requestDigest, createdAtMs: createdAt === undefined ? 0 : timestampMs(createdAt), revision: entry.revision };
    },
    async put(key, { jobId, requestDigest, createdAtMs }, over) {
      const record = create(IdempotencyRecordSchema, { jobId, requestDigest, createdAt: timestampFromMs(createdAtMs) });
      const write = over === undefined ? bucket.create(key, record) : bucket.update(key, record, over.revision);
      return (await unlessConflict(write)) !== undefined;
    },
    async free(key, jobId) {
      const entry = await bucket.get(key);
      if (entry === undefined || entry.value.jobId !== jobId) return;
      // Backdate the entry to 1970, which makes it as good as absent. A removal has no compare-and-set and could remove a newer job's
      // entry.
      const longAgo = create(IdempotencyRecordSchema, { createdAt: timestampFromMs(0) });
      await unlessConflict(bucket.update(key, longAgo, entry.revision));
    },
  };
}
