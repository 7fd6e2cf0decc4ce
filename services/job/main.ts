/** `npm run service -- job`; needs CATALOGUE_ADDRESS. */
import process from "node:process";
import { createClient } from "@connectrpc/connect";
import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { peerTransport } from "#kit/rpc/transport.ts";
import { runAlone } from "#kit/run-alone.ts";
import { createJobService } from "./index.ts";

await runAlone(process, "job", (floor) => {
  const { settings } = floor;
  const catalogue = createClient(CatalogueService, peerTransport("CATALOGUE_ADDRESS", settings));
  return createJobService({ ...floor, catalogue }, settings);
});
