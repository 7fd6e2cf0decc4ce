/** Every service behind the gateway in one process, with a real broker, disk, sandbox and engines. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Client, createClient } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { fromConnectError } from "#contract/errors.ts";
import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { type Job, JobService, JobState, LeaseService } from "#gen/filemill/job/v1/job_pb.ts";
import { type DiskBlobStore, openDiskBlobStore } from "#kit/blobs/disk-store.ts";
import { parseSettings } from "#kit/config.ts";
import type { Broker } from "#kit/nats/ports.ts";
import { localTransport } from "#kit/rpc/local-transport.ts";
import type { Service } from "#kit/service.ts";
import { type Settings, settingTable } from "#kit/settings.ts";
import { createCatalogueService } from "#services/catalogue/index.ts";
import { createConversionService } from "#services/conversion/index.ts";
import { createJobService } from "#services/job/index.ts";
import { openTestBroker } from "#test/harness/broker.ts";
import { keepFound, putFound } from "#test/harness/found.ts";
import { nothingProven } from "#test/services/catalogue/manifests.ts";

export const accountId = "account1";

export type Submission = { readonly from: string; readonly to: string; readonly options?: Record<string, string> };

export type Mill = AsyncDisposable & {
  readonly broker: Broker;
  readonly blobs: DiskBlobStore;
  readonly dataDir: string;
  readonly settings: Settings;
  readonly metrics: Registry;
  readonly catalogue: Client<typeof CatalogueService>;
  readonly jobs: Client<typeof JobService>;
  readonly leases: Client<typeof LeaseService>;
  readonly conversion: Client<typeof ConversionService>;
  readonly worker: Service;
  /** Catalogue and job, to be served to another process. */
  readonly peers: readonly Service[];
  /** Another worker of the same queue; the caller starts and disposes it. */
  createWorker(settings?: Partial<Settings>): Service;
  submit(content: Uint8Array | string, ask: Submission): Promise<Job>;
  /** The job once `until` holds or it has ended. */
  watch(job: Job, until?: (job: Job) => boolean): Promise<Job>;
  /** Names below DATA_DIR that a finished job must not leave: blobs, and files in scratch folders of running processes. */
  leftovers(): Promise<{ blobs: string[]; scratch: string[] }>;
};

/** Only image conversions, unless a test requests more slots. @param filesDir - For blobs and scratch, if not in the broker's folder. */
export async function openMill(given: Partial<Settings> = {}, filesDir?: string): Promise<Mill> {
  await using stack = new AsyncDisposableStack();
  const { broker, dataDir: brokerDir, log } = stack.use(await openTestBroker());
  const dataDir = filesDir ?? brokerDir;
  const settings: Settings = {
    ...parseSettings(settingTable, { DATA_DIR: dataDir, DOCUMENT_SLOTS: "0", OFFICE_SLOTS: "0", MEDIA_SLOTS: "0" }),
    ...given,
  };
  const blobs = await openDiskBlobStore(join(dataDir, "blobs"));
  const metrics = new Registry();

  const catalogueService = stack.use(createCatalogueService({ broker, log, proofs: nothingProven }));
  await catalogueService.start();
  const catalogue = createClient(CatalogueService, localTransport(catalogueService.routes, log));
  const jobService = stack.use(createJobService({ broker, blobs, catalogue, log, metrics }, settings));
  await jobService.start();
  const jobTransport = localTransport(jobService.routes, log);
  const jobs = createClient(JobService, jobTransport);
  const leases = createClient(LeaseService, jobTransport);
  const createWorker = (own: Partial<Settings> = {}, registry = new Registry()): Service =>
    createConversionService({ broker, blobs, jobs, leases, catalogue, log, metrics: registry }, { ...settings, ...own });
  const worker = stack.use(createWorker({}, metrics));
  await putFound(dataDir);
  await worker.start();
  await keepFound(dataDir);
  const conversion = createClient(ConversionService, localTransport(worker.routes, log));

  const owned = stack.move();
  return {
    ...{ broker, blobs, dataDir, settings, metrics, catalogue, jobs, leases, conversion, worker, createWorker },
    peers: [catalogueService, jobService],
    async submit(content, { from, to, options = {} }) {
      const input = await blobs.write(chunksOf(content));
      try {
        const { job } = await jobs.createJob({ accountId, from, to, options, input, sourceName: `in.${from}` });
        if (job === undefined) throw new Error("no job");
        return job;
      } catch (error) {
        throw fromConnectError(error);
      }
    },
    async watch({ id }, until = () => false) {
      for await (const { job } of jobs.watchJob({ accountId, jobId: id })) {
        if (job !== undefined && (until(job) || hasEnded(job))) return job;
      }
      throw new Error("the job is gone");
    },
    async leftovers() {
      const scratch = await readdir(join(dataDir, "scratch"), { recursive: true });
      // Warm processes keep their folders. Everything else counts.
      const stored = await Array.fromAsync(blobs.list(), ({ blobId }) => blobId);
      return { blobs: stored, scratch: scratch.filter((name) => /[0-9a-f]{12}\.\w+$/.test(name)) };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export function hasEnded({ state }: Job): boolean {
  return state === JobState.DONE || state === JobState.FAILED || state === JobState.CANCELLED || state === JobState.EXPIRED;
}

async function* chunksOf(content: Uint8Array | string): AsyncIterable<Uint8Array> {
  yield Buffer.from(content);
}
