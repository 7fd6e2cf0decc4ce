import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fromBinary } from "@bufbuild/protobuf";
import { JobRecordSchema } from "#gen/filemill/job/v1/job_pb.ts";
import { systemClock } from "#services/job/domain/clock.ts";
import { createProjection, type Projection } from "#services/job/domain/projection.ts";
import { isRecord } from "#services/job/domain/state.ts";

const copies = 50_000;
const hourMs = 3_600_000;

/** Heap bytes that a job service needs per job, measured with many copies of these records. */
export async function recordBytesOf(records: readonly Uint8Array[]): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const filled = (projection: Projection): Projection => {
    for (let index = 0; index < copies; index++) {
      const record = fromBinary(JobRecordSchema, records[index % records.length] ?? new Uint8Array());
      if (!isRecord(record)) throw new Error("not a record of a job");
      projection.apply({ ...record, job: { ...record.job, id: `${record.job.id}-${index}` } }, index + 1);
    }
    return projection;
  };
  const projection = createProjection(systemClock, hourMs);
  collect();
  const before = process.memoryUsage().heapUsed;
  filled(projection);
  collect();
  const after = process.memoryUsage().heapUsed;
  if ([...projection.all()].length !== copies) throw new Error("some were not held");
  return (after - before) / copies;
}
