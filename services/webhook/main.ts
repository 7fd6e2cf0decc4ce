/** `npm run service -- webhook`; needs JOB_ADDRESS, and the blob store of all hosts (BLOBS). */
import process from "node:process";
import { createClient } from "@connectrpc/connect";
import { JobService } from "#gen/filemill/job/v1/job_pb.ts";
import { peerTransport } from "#kit/rpc/transport.ts";
import { runAlone } from "#kit/run-alone.ts";
import { createWebhookService } from "./index.ts";

await runAlone(process, "webhook", (floor) => {
  const jobs = createClient(JobService, peerTransport("JOB_ADDRESS", floor.settings));
  return createWebhookService({ ...floor, jobs }, floor.settings);
});
