/** Edits the job records of a running service directly: what a broken disk, a bug or the passing of days would leave in them. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { type JobRecord, JobRecordSchema } from "#gen/filemill/job/v1/job_pb.ts";
import { openLog } from "#kit/log.ts";
import { openBroker } from "#kit/nats/broker.ts";
import { changeEntry } from "#kit/nats/entries.ts";
import type { TestServer } from "./server.ts";

export type StoredRecords = AsyncDisposable & {
  /** Replaces the record with the result of `change`. */
  change(jobId: string, change: (record: JobRecord) => JobRecord): Promise<void>;
};

/** Uses the broker owner's password, which only the service's own user can read. */
export async function openStoredRecords({ dataDir }: TestServer): Promise<StoredRecords> {
  const config = await readFile(join(dataDir, "nats/server.conf"), "utf8");
  const [, port] = /^port: (\d+)$/m.exec(config) ?? [];
  const [, password] = /user: "filemill", password: "([^"]+)"/.exec(config) ?? [];
  const url = `nats://filemill:${password}@127.0.0.1:${port}`;
  const broker = await openBroker({ dataDir, cluster: { url }, log: openLog("silent") });
  const bucket = await broker.bucket("jobs", {
    encode: (record: JobRecord) => toBinary(JobRecordSchema, record),
    decode: (bytes) => fromBinary(JobRecordSchema, bytes),
  });
  return {
    async change(jobId, change) {
      // The service may write at the same time.
      const entry = await changeEntry(bucket, jobId, change);
      if (entry === undefined) throw new Error(`there is no record of job ${jobId}`);
    },
    [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose](),
  };
}
