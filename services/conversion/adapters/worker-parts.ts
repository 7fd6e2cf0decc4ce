import type { Client } from "@connectrpc/connect";
import type { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { LeaseService } from "#gen/filemill/job/v1/job_pb.ts";
import type { BlobStore } from "#kit/blobs/store.ts";
import type { Log } from "#kit/log.ts";
import type { Converter } from "../domain/converter.ts";
import type { ConversionMetrics } from "./metrics.ts";

/** What the steps of an attempt need. */
export type WorkerParts = {
  readonly node: string;
  readonly leaseMs: number;
  /** Other hosts have access to the same files, so they may be able to do what this one cannot. */
  readonly hasOthers: boolean;
  readonly leases: Client<typeof LeaseService>;
  readonly catalogue: Client<typeof CatalogueService>;
  readonly blobs: BlobStore;
  readonly converter: Converter;
  readonly metrics: ConversionMetrics;
  readonly log: Log;
};
