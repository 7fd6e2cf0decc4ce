import { JobRecordSchema } from "#gen/filemill/job/v1/job_pb.ts";
import { sharedCodec } from "./shared-codec.ts";

/** For the bucket `jobs`, which one service writes and two watch. */
export const jobRecordCodec = sharedCodec(JobRecordSchema);
