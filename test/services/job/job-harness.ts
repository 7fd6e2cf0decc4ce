/** The job service with a real broker and disk, and a catalogue of three routes. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, type ConnectRouter, createClient } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { type FilemillError, fromConnectError, FilemillError as KitError, toConnectError } from "#contract/errors.ts";
import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Blob } from "#gen/filemill/common/v1/blob_pb.ts";
import { Fidelity } from "#gen/filemill/common/v1/format_pb.ts";
import { type CreateJobRequest, JobService, type Lease, LeaseService } from "#gen/filemill/job/v1/job_pb.ts";
import { type DiskBlobStore, openDiskBlobStore } from "#kit/blobs/disk-store.ts";
import type { Broker, WorkQueue } from "#kit/nats/ports.ts";
import { localTransport } from "#kit/rpc/local-transport.ts";
import type { Service } from "#kit/service.ts";
import { type Cadence, type JobSettings, lanes } from "#services/job/config.ts";
import type { Clock } from "#services/job/domain/clock.ts";
import { createJobService } from "#services/job/index.ts";
import { openTestBroker, type TestBroker } from "#test/harness/broker.ts";

export const hour = 3600 * 1000;
const noReserve = { MIN_FREE_DISK_MB: 0, GUEST_RESERVE_MB: 0 };
const settings: JobSettings = { RETENTION_SECONDS: 3600, MAX_UNFINISHED_JOBS: 1000, MAX_ATTEMPTS: 3, LEASE_MS: 30_000, ...noReserve };
/** Nothing runs on a timer except the first round at startup. */
const still: Cadence = {
  reconcileMs: 10 * hour,
  expireMs: 10 * hour,
  sweepMs: 10 * hour,
  roomMs: 10 * hour,
  unwrittenMs: 100,
  timingsMs: 100,
};

/** A clock that tests can advance; both hands move together unless told otherwise. */
export type TestClock = Clock & {
  advance(ms: number): void;
  setDate(ms: number): void;
  /** Until disposal, only `advance` makes time pass, even while this process is paused. */
  stop(): Disposable;
};

export function createTestClock(): TestClock {
  let aheadMs = 0;
  let dateMs = 0;
  let stopped: { readonly date: number; readonly monotonicMs: number } | undefined;
  return {
    now: () => (stopped?.date ?? Date.now()) + aheadMs + dateMs,
    monotonicMs: () => (stopped?.monotonicMs ?? performance.now()) + aheadMs,
    stop() {
      stopped = { date: Date.now(), monotonicMs: performance.now() };
      return {
        [Symbol.dispose]() {
          stopped = undefined;
        },
      };
    },
    advance: (ms) => {
      aheadMs += ms;
    },
    setDate: (ms) => {
      dateMs += ms;
    },
  };
}

export type Ask = Partial<Omit<CreateJobRequest, "$typeName" | "$unknown">>;

export type JobBench = AsyncDisposable & {
  readonly jobs: Client<typeof JobService>;
  readonly leases: Client<typeof LeaseService>;
  readonly broker: Broker;
  readonly testBroker: TestBroker;
  readonly blobs: DiskBlobStore;
  readonly queue: WorkQueue;
  readonly clock: TestClock;
  readonly metrics: Registry;
  readonly service: Service;
  /** A second service, as in another process, on the same broker and blobs. */
  peer(options?: { cadence?: Partial<Cadence> }): Promise<Pick<JobBench, "jobs" | "leases" | "service"> & AsyncDisposable>;
  blob(content?: string): Promise<Blob>;
  request(request?: Ask): Promise<Ask>;
};

export async function openJobBench(options: { settings?: Partial<JobSettings>; cadence?: Partial<Cadence> } = {}): Promise<JobBench> {
  await using stack = new AsyncDisposableStack();
  const testBroker = stack.use(await openTestBroker());
  const { broker, log } = testBroker;
  const folder = await mkdtemp(join(tmpdir(), "filemill-job-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const blobs = await openDiskBlobStore(join(folder, "blobs"));
  const clock = createTestClock();
  const catalogue = createClient(CatalogueService, localTransport(routeCatalogue, log));
  const open = async (cadence: Partial<Cadence> | undefined, metrics: Registry) => {
    const deps = { broker, blobs, catalogue, log, metrics, clock, cadence: { ...still, ...cadence } };
    const service = createJobService(deps, { ...settings, ...options.settings });
    const transport = localTransport((router) => service.routes(router), log);
    await service.start();
    const dispose = () => service[Symbol.asyncDispose]();
    return {
      service,
      jobs: createClient(JobService, transport),
      leases: createClient(LeaseService, transport),
      [Symbol.asyncDispose]: dispose,
    };
  };
  const metrics = new Registry();
  const own = stack.use(await open(options.cadence, metrics));
  const queue = await broker.workQueue("JOBS", lanes, { ackWaitMs: settings.LEASE_MS });
  const owned = stack.move();
  const blob = (content = "input"): Promise<Blob> => blobs.write(chunksOf(content));
  return {
    ...own,
    ...{ broker, testBroker, blobs, queue, clock, metrics, blob },
    peer: (peerOptions = {}) => open(peerOptions.cadence, new Registry()),
    request: async (request = {}) => ({
      accountId: "acc",
      from: "png",
      to: "webp",
      sourceName: "a.png",
      ...request,
      input: request.input ?? (await blob()),
    }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function* chunksOf(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

const routeCatalogue = (router: ConnectRouter): unknown =>
  router.service(CatalogueService, {
    planRoute({ from, to }) {
      const lane = { webp: "image", pdf: "office", mp4: "media" }[to];
      if (lane === undefined) throw toConnectError(new KitError("UNSUPPORTED_TARGET", `There is no format "${to}".`, { details: { to } }));
      const hops = [{ engine: lane, from, to, options: {} }];
      return { plan: { from, to, hops, fidelity: Fidelity.HIGH, async: lane === "media", maxInputMb: 2, lane } };
    },
  });

/** Creates a job and claims it. */
export async function createClaimed(bench: JobBench, worker = "w1", ask: Ask = {}): Promise<{ jobId: string; lease: Lease; input: Blob }> {
  const request = await bench.request(ask);
  const { job } = await bench.jobs.createJob(request);
  const { lease } = await bench.leases.claimAttempt({ jobId: job?.id ?? "", worker, leaseMs: 30_000 });
  if (job?.input === undefined || lease === undefined) throw new Error("the job was not leased");
  return { jobId: job.id, lease, input: job.input };
}

/** The error of a failed call; undefined if it succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<FilemillError | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => fromConnectError(error),
  );
}
