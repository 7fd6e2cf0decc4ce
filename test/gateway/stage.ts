import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { createClient, createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { FilemillError, toConnectError, toErrorMessage } from "#contract/errors.ts";
import { sniff } from "#formats/sniff/sniff.ts";
import type { GatewayDeps, GatewaySettings } from "#gateway/context.ts";
import { createGateway, type Gateway } from "#gateway/server.ts";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { SignInService } from "#gen/filemill/account/v1/sign_in_pb.ts";
import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { Fidelity, Option_Type } from "#gen/filemill/common/v1/format_pb.ts";
import { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { type CreateJobRequest, type Job, JobSchema, JobService, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { WebhookService } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import { type DiskBlobStore, openDiskBlobStore } from "#kit/blobs/disk-store.ts";
import { openLog } from "#kit/log.ts";

/** What a job does after it was created, in the fake job service. */
export type Script = (job: Job, request: CreateJobRequest) => AsyncIterable<Job> | Iterable<Job>;

export type Stage = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  readonly gateway: Gateway;
  readonly blobs: DiskBlobStore;
  readonly created: CreateJobRequest[];
  readonly jobs: Map<string, Job>;
  /** Ids of jobs that PersistJob forced to disk. */
  readonly persisted: string[];
  /** Names in the blob store, including partial ones. */
  stored(): Promise<string[]>;
};

export const key = `fm_${"k".repeat(49)}`;
export const otherKey = `fm_${"o".repeat(49)}`;
export const auth = { authorization: `Bearer ${key}` };

type StageOptions = {
  readonly settings?: Partial<GatewaySettings>;
  readonly deps?: Partial<GatewayDeps>;
  readonly maxInputMb?: number;
  readonly requestsPerMinute?: number;
  readonly script?: Script;
  onCheckBudget?(inputBytes: bigint): undefined;
  /** The job is already done when CreateJob answers. */
  readonly endsAtOnce?: boolean;
  /** Estimate of a job when CreateJob answers. */
  readonly estimateMs?: number;
  /** Makes CreateJob fail. */
  readonly refuse?: (request: CreateJobRequest) => FilemillError | undefined;
};

const accountId = "account1";

/** Finishes at once with the input's own bytes as the result. */
export const doneAtOnce = function* (job: Job): Generator<Job> {
  job.state = JobState.DONE;
  job.durationMs = 7;
  if (job.input !== undefined) job.result = job.input;
  yield job;
};

export const neverEnds: Script = async function* (job) {
  job.queuePosition = 1;
  job.estimateMs = 2500;
  yield job;
  // As in a long conversion, nothing changes any more.
  await new Promise(() => {});
};

export const failsWith = (error: FilemillError): Script =>
  function* (job) {
    job.state = JobState.FAILED;
    job.error = toErrorMessage(error);
    yield job;
  };

/** A gateway on a real socket with a real blob store; the other services are in-memory fakes. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const dir = await mkdtemp(join(tmpdir(), "filemill-gateway-"));
  const blobs = await openDiskBlobStore(dir);
  const created: CreateJobRequest[] = [];
  const jobs = new Map<string, Job>();
  const persisted: string[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(AccountService, accountsOf(options));
    service(CatalogueService, catalogue);
    service(ConversionService, {
      async inspect({ blob, fileName }) {
        const found = await sniff(blobs.pathOf(blob?.id ?? ""), fileName);
        return { ...found, format: found.format ?? "" };
      },
    });
    service(JobService, {
      ...jobsOf(options, created, jobs),
      persistJob({ jobId }) {
        persisted.push(jobId);
        return {};
      },
    });
  });
  const gateway = await createGateway(
    {
      accounts: createClient(AccountService, transport),
      catalogue: createClient(CatalogueService, transport),
      signIn: createClient(SignInService, transport),
      jobs: createClient(JobService, transport),
      webhooks: createClient(WebhookService, transport),
      blobs,
      counts: undefined,
      deviceKey: "a-key-of-this-installation",
      conversion: createClient(ConversionService, transport),
      log: openLog("silent"),
      metrics: new Registry(),
      readiness: async () => ({ ready: true }),
      ...options.deps,
    },
    settingsOf(dir, options),
  );
  const { url } = await gateway.listen();
  return {
    url,
    port: Number(new URL(url).port),
    gateway,
    blobs,
    created,
    jobs,
    persisted,
    stored: async () => (await Array.fromAsync(blobs.list(), (blob) => blob.blobId)).toSorted(),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      // Aborted requests may still be cleaning up.
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function settingsOf(dir: string, { settings }: StageOptions): GatewaySettings {
  return {
    ...{ HOST: "127.0.0.1", PORT: 0, PUBLIC_URL: undefined, ALLOWED_HOSTS: "a,good.example", TRUSTED_PROXIES: undefined },
    ...{ GUESTS: "on", LINKS: "on", MAX_CONNECTIONS_PER_CLIENT: 512, URL_FETCH: "any" },
    ...{ OIDC_ISSUER: undefined, OIDC_CLIENT_ID: undefined, OIDC_CLIENT_SECRET: undefined, OIDC_ALLOWED_DOMAINS: undefined },
    ...{ OIDC_LABEL: "", OIDC_PLAN: "free", DATA_DIR: dir },
    ...{ INLINE_WAIT_MS: 10_000, MIN_FREE_DISK_MB: 0, GUEST_RESERVE_MB: 0, METRICS_TOKEN: undefined, DRAIN_MS: 1000 },
    ...settings,
  };
}

function accountsOf({ maxInputMb = 5, requestsPerMinute = 1000 }: StageOptions): Partial<ServiceImpl<typeof AccountService>> {
  return {
    verifyKey({ key: given }) {
      if (given === "fm_revoked") throw toConnectError(new FilemillError("API_KEY_REVOKED", "This key was revoked; make a new one."));
      if (given !== key && given !== otherKey && given !== "fm_free")
        throw toConnectError(new FilemillError("INVALID_API_KEY", "This key is not known."));
      const apiAccess = given !== "fm_free";
      return {
        account: { id: given === otherKey ? "account2" : accountId, email: "a@example.org", plan: "plus" },
        plan: { id: "plus", apiAccess, maxInputMb, requestsPerMinute, maxUnfinishedJobs: 20, retentionSeconds: 60 },
      };
    },
  };
}

const options = [
  {
    name: "quality",
    type: Option_Type.INTEGER,
    description: "Quality",
    defaultValue: { value: { case: "number" as const, value: 80 } },
    min: 1,
    max: 100,
  },
  { name: "mode", type: Option_Type.ENUM, description: "Mode", values: ["a", "b"], unit: "" },
  { name: "background", type: Option_Type.STRING, description: "Colour", pattern: "^#[0-9a-f]{6}$" },
];

const catalogue: Partial<ServiceImpl<typeof CatalogueService>> = {
  getCatalogue: () => ({
    revision: "1",
    formats: [
      { id: "png", label: "PNG", kind: "image", extensions: ["png"], mime: "image/png" },
      { id: "webp", label: "WebP", kind: "image", extensions: ["webp"], mime: "image/webp" },
    ],
    routes: [
      { from: "png", to: "webp", fidelity: Fidelity.HIGH, maxInputMb: 1, optionSet: 1, engines: ["sharp"] },
      { from: "png", to: "webm", fidelity: Fidelity.REDUCED, async: true, maxInputMb: 100, via: ["gif"] },
    ],
    optionSets: [{}, { options }],
  }),
  getRoute({ from, to }) {
    if (from !== "png" || to !== "webp") {
      throw toConnectError(new FilemillError("UNSUPPORTED_CONVERSION", "There is no such conversion.", { details: { from, to } }));
    }
    const fidelity = Fidelity.HIGH;
    return {
      route: { from, to, fidelity, maxInputMb: 1, options, engines: ["sharp"] },
      hops: [{ engine: "sharp", label: "libvips", version: "8.18.7", from, to, fidelity }],
      lane: "image",
      expectedNotes: [{ code: "METADATA_DROPPED", message: "Metadata is not carried over." }],
    };
  },
};

function jobsOf(options: StageOptions, created: CreateJobRequest[], jobs: Map<string, Job>): Partial<ServiceImpl<typeof JobService>> {
  const scripts = new Map<string, AsyncIterable<Job> | Iterable<Job>>();
  const known = (jobId: string): Job => {
    const job = jobs.get(jobId);
    if (job === undefined) throw toConnectError(new FilemillError("JOB_NOT_FOUND", "There is no such job."));
    return job;
  };
  return {
    createJob(request) {
      const refusal = options.refuse?.(request);
      if (refusal !== undefined) throw toConnectError(refusal);
      const replayed = created.find((earlier) => earlier.idempotencyKey !== "" && earlier.idempotencyKey === request.idempotencyKey);
      if (replayed !== undefined) return { job: known(idOf(created.indexOf(replayed))), replayed: true };
      const { from, to, input, sourceName, notes } = request;
      const job = create(JobSchema, {
        id: idOf(created.length),
        revision: 1n,
        accountId,
        state: JobState.QUEUED,
        from,
        to,
        sourceName,
        notes,
      });
      if (input !== undefined) job.input = input;
      job.createdAt = timestampNow();
      job.expiresAt = timestampNow();
      job.async = to === "webm";
      if (options.estimateMs !== undefined) job.estimateMs = options.estimateMs;
      created.push(request);
      jobs.set(job.id, job);
      scripts.set(job.id, (options.script ?? doneAtOnce)(job, request));
      if (options.endsAtOnce === true) doneAtOnce(job).next();
      return { job, replayed: false };
    },
    checkBudget: ({ inputBytes }) => options.onCheckBudget?.(inputBytes) ?? {},
    makeRoom: () => ({}),
    getRouteTime: ({ to }) => (to === "webp" ? { expectedMs: 42 } : {}),
    getJob: ({ jobId }) => ({ job: known(jobId) }),
    listJobs: ({ limit }) => ({ jobs: [...jobs.values()].reverse().slice(0, limit), nextCursor: jobs.size > limit ? "next" : "" }),
    deleteJob({ jobId }) {
      known(jobId);
      jobs.delete(jobId);
      return {};
    },
    async *watchJob({ jobId }, { signal }) {
      const job = known(jobId);
      yield { job };
      const ended = job.state !== JobState.QUEUED && job.state !== JobState.RUNNING;
      if (!ended) for await (const next of until(signal, scripts.get(jobId) ?? [])) yield { job: next };
    },
  };
}

/** Rethrows the signal's reason, whatever the script is waiting for. */
async function* until(signal: AbortSignal, steps: AsyncIterable<Job> | Iterable<Job>): AsyncGenerator<Job> {
  const aborted = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  const iterator = Symbol.asyncIterator in steps ? steps[Symbol.asyncIterator]() : steps[Symbol.iterator]();
  for (;;) {
    const step = await Promise.race([iterator.next(), aborted]);
    if (step.done === true) return;
    yield step.value;
  }
}

function idOf(index: number): string {
  return index.toString(36).padStart(26, "0");
}

/** A multipart body with these fields, as a browser sends it. */
export function formOf(to: string | undefined, content: string | Uint8Array<ArrayBuffer> | undefined, name = "a.png"): FormData {
  const form = new FormData();
  if (to !== undefined) form.append("to", to);
  if (content !== undefined) form.append("file", new File([content], name));
  return form;
}

/** The JSON of an answer, for tests that access it by path. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds, and fails on what it does not.
export async function jsonOf(answer: Response): Promise<any> {
  return JSON.parse(await answer.text());
}
