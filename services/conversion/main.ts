/** `npm run service -- conversion`; needs CATALOGUE_ADDRESS and JOB_ADDRESS, and the blob store of all hosts (BLOBS). */
import process from "node:process";
import { createClient } from "@connectrpc/connect";
import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { JobService, LeaseService } from "#gen/filemill/job/v1/job_pb.ts";
import { peerTransport } from "#kit/rpc/transport.ts";
import { runAlone } from "#kit/run-alone.ts";
import { createConversionService } from "./index.ts";

await runAlone(process, "conversion", (floor) => {
  const { settings } = floor;
  const jobTransport = peerTransport("JOB_ADDRESS", settings);
  const deps = {
    ...floor,
    jobs: createClient(JobService, jobTransport),
    leases: createClient(LeaseService, jobTransport),
    catalogue: createClient(CatalogueService, peerTransport("CATALOGUE_ADDRESS", settings)),
  };
  return createConversionService(deps, settings);
});
