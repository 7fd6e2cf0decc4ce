/** `npm run service -- account` */
import process from "node:process";
import { createClient } from "@connectrpc/connect";
import { JobService } from "#gen/filemill/job/v1/job_pb.ts";
import { WebhookService } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import { peerTransport } from "#kit/rpc/transport.ts";
import { runAlone } from "#kit/run-alone.ts";
import { createAccountService, jobsOfAccounts, webhooksOfAccounts } from "./index.ts";

await runAlone(process, "account", (floor) => {
  const jobs = createClient(JobService, peerTransport("JOB_ADDRESS", floor.settings));
  const webhooks = createClient(WebhookService, peerTransport("WEBHOOK_ADDRESS", floor.settings));
  return createAccountService({ ...floor, belongings: [jobsOfAccounts(jobs), webhooksOfAccounts(webhooks)] }, floor.settings);
});
