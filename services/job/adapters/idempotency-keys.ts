import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type IdempotencyRecord, IdempotencyRecordSchema } from "#gen/filemill/job/v1/job_pb.ts";
import { type Broker, RevisionConflict } from "#kit/nats/ports.ts";
import type { IdempotencyKeys } from "../domain/ports.ts";
import { idempotencyMs } from "../domain/retention.ts";

const codec = {
  encode: (record: IdempotencyRecord) => toBinary(IdempotencyRecordSchema, record),
  decode: (bytes: Uint8Array) => fromBinary(IdempotencyRecordSchema, bytes),
};

/** The bucket `idempotency`. The broker removes its entries after a day. */
export async function openIdempotencyKeys(broker: Broker): Promise<IdempotencyKeys> {
  const bucket = await broker.bucket("idempotency", codec, { ttlMs: idempotencyMs });
  return {
    async get(key) {
      const entry = await bucket.get(key);
      if (entry === undefined) return undefined;
      const { jobId, requestDigest, createdAt } = entry.value;
      return { jobId, requestDigest, createdAtMs: createdAt === undefined ? 0 : timestampMs(createdAt), revision: entry.revision };
    },
    async put(key, { jobId, requestDigest, createdAtMs }, over) {
      const record = create(IdempotencyRecordSchema, { jobId, requestDigest, createdAt: timestampFromMs(createdAtMs) });
      try {
        await (over === undefined ? bucket.create(key, record) : bucket.update(key, record, over.revision));
        return true;
      } catch (error) {
        if (error instanceof RevisionConflict) return false;
        throw error;
      }
    },
    async free(key, jobId) {
      const entry = await bucket.get(key);
      if (entry === undefined || entry.value.jobId !== jobId) return;
      // Backdate the entry to 1970, which makes it as good as absent. A removal has no compare-and-set and could remove a newer job's
      // entry.
      const longAgo = create(IdempotencyRecordSchema, { createdAt: timestampFromMs(0) });
      await bucket.update(key, longAgo, entry.revision).catch((error: unknown) => {
        if (!(error instanceof RevisionConflict)) throw error;
      });
    },
  };
}
