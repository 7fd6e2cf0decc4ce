/** The conversion service: a worker behind the queue, and the same engines as a library for the command line. */
import { join, resolve } from "node:path";
import type { Client } from "@connectrpc/connect";
import type { Registry } from "prom-client";
import { FilemillError } from "#contract/errors.ts";
import type { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import type { JobService, LeaseService } from "#gen/filemill/job/v1/job_pb.ts";
import type { BlobStore } from "#kit/blobs/store.ts";
import type { Log } from "#kit/log.ts";
import type { Broker, Delivery } from "#kit/nats/ports.ts";
import { createProbe, type Probe } from "#kit/probe.ts";
import { nameProcess } from "#kit/process-identity.ts";
import { notReady } from "#kit/readiness.ts";
import type { Service } from "#kit/service.ts";
import { type Announcement, announce, untilListed } from "./adapters/announcer.ts";
import { watchCancellations } from "./adapters/cancellations.ts";
import { type ConverterParts, openEngines } from "./adapters/converter.ts";
import { remindOfDegradation } from "./adapters/degradation.ts";
import { openKnownEngines } from "./adapters/known-engines.ts";
import { createConversionMetrics } from "./adapters/metrics.ts";
import { createOneOffConverter } from "./adapters/one-off-converter.ts";
import { createPlaces } from "./adapters/places.ts";
import { openProcessFolder } from "./adapters/process-folder.ts";
import { createTrials } from "./adapters/trials.ts";
import { createWorker, type Worker } from "./adapters/worker.ts";
import type { ConversionSettings } from "./config.ts";
import type { Converter, OneOffConverter } from "./domain/converter.ts";
import { lanes, spareOf } from "./domain/engine.ts";
import { engines } from "./engines/registry.ts";
import { unlockFile } from "./engines/shared/unlock.ts";
import { type InspectorHost, openInspectors } from "./inspectors/open-inspectors.ts";
import { createVerdicts, type Verdicts } from "./inspectors/verdicts.ts";
import { createConversionRpc } from "./rpc.ts";
import { openSandbox, type SandboxSettings } from "./sandbox/index.ts";
import { endOrphans } from "./sandbox/orphans.ts";
import { removeFolder } from "./sandbox/scratch.ts";

export type { ConversionSettings } from "./config.ts";
export type { Converter, OneOffConverter } from "./domain/converter.ts";

export type ConversionDeps = {
  readonly broker: Broker;
  readonly blobs: BlobStore;
  readonly jobs: Client<typeof JobService>;
  readonly leases: Client<typeof LeaseService>;
  readonly catalogue: Client<typeof CatalogueService>;
  readonly log: Log;
  readonly metrics: Registry;
};

export type ConverterOptions = Pick<ConverterParts, "onHop" | "onSpent" | "onStarted" | "onKilled"> &
  Pick<InspectorHost, "onAnswer" | "onReplaced"> & {
    /** Engines that are in there are taken to be what they were at the last start, until they are verified. */
    readonly knownFile?: string;
  };

/**
 * Opens sandbox and engines without a broker, queue or key.
 *
 * @throws FilemillError UNAVAILABLE when the sandbox cannot be had.
 */
export async function openConverter(settings: ConversionSettings, log: Log, options: ConverterOptions = {}): Promise<Converter> {
  await using opening = new AsyncDisposableStack();
  const { knownFile, ...more } = options;
  const parts = await openParts(settings, log, opening, more);
  const known = knownFile === undefined ? {} : { known: await openKnownEngines(knownFile, parts.sandbox.mode, log) };
  const converter = opening.use(await openEngines({ ...parts, ...known, ...more }));
  const owned = opening.move();
  const { tell } = parts.verdicts;
  const trials = createTrials(parts.sandbox, tell);
  return { ...converter, tell, trials, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/**
 * Opens the sandbox, and engines as plans need them.
 *
 * @throws FilemillError UNAVAILABLE when the sandbox cannot be had.
 */
export async function openOneOffConverter(settings: ConversionSettings, log: Log): Promise<OneOffConverter> {
  await using opening = new AsyncDisposableStack();
  const parts = await openParts(settings, log, opening, { provenFile: join(resolve(settings.DATA_DIR), "sandbox-held") });
  const known = await openKnownEngines(knownFileOf(settings), parts.sandbox.mode, log);
  const converter = opening.use(createOneOffConverter({ ...parts, known, isOneOff: true }));
  const owned = opening.move();
  return { ...converter, tell: parts.verdicts.tell, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function knownFileOf({ DATA_DIR }: ConversionSettings): string {
  return join(resolve(DATA_DIR), "engines.json");
}

async function openParts(
  settings: ConversionSettings,
  log: Log,
  opening: AsyncDisposableStack,
  { onAnswer, onReplaced, provenFile }: Pick<ConverterOptions, "onAnswer" | "onReplaced"> & Pick<SandboxSettings, "provenFile">,
): Promise<ConverterParts & { readonly verdicts: Verdicts }> {
  const folder = opening.use(await openProcessFolder(join(resolve(settings.DATA_DIR), "scratch"), { endOrphans, removeFolder }));
  const sandbox = opening.use(
    await openSandbox({
      scratchDir: folder.path,
      owner: folder.name,
      mode: settings.SANDBOX,
      firstUid: settings.SANDBOX_UID,
      memoryBytes: settings.JOB_MEMORY_MB * 1e6,
      log,
      ...(provenFile === undefined ? {} : { provenFile }),
    }),
  );
  const inspectorLog = log.with({ part: "inspector" });
  const inspector = opening.use(
    await openInspectors({
      sandbox,
      folder: folder.path,
      keptProgram: join(resolve(settings.DATA_DIR), "inspector.cjs"),
      log: (event, fields) => inspectorLog.warn(event, fields),
      ...(onAnswer === undefined ? {} : { onAnswer }),
      ...(onReplaced === undefined ? {} : { onReplaced }),
    }),
  );
  const verdicts = createVerdicts(inspector);
  return {
    sandbox,
    inspector,
    engines,
    verdicts,
    workDir: folder.path,
    slots: {
      image: settings.IMAGE_SLOTS,
      document: settings.DOCUMENT_SLOTS,
      office: settings.OFFICE_SLOTS,
      media: settings.MEDIA_SLOTS,
    },
    timeoutMs: settings.CONVERSION_TIMEOUT_MS,
    log,
    inspect: verdicts.inspect,
    checkResult: verdicts.checkResult,
    count: verdicts.count,
    metadata: verdicts.metadata,
    unlock: unlockFile,
  };
}

/** Runs the plans of the work queue `JOBS` on this node's engines and serves ConversionService. */
export function createConversionService(deps: ConversionDeps, settings: ConversionSettings): Service {
  const { log } = deps;
  const owned = new AsyncDisposableStack();
  const metrics = createConversionMetrics(deps.metrics);
  let working: Working | undefined;
  let opened: Pick<Converter, "tell" | "newPath"> | undefined;
  const converting = (): Pick<Converter, "tell" | "newPath"> => {
    if (opened !== undefined) return opened;
    throw new FilemillError("UNAVAILABLE", "The converter is starting; try again in a moment.", { retryAfterMs: 2000 });
  };
  let isReady = false;
  let probes: readonly Probe[] = [];
  let isDegraded = false;

  async function start(): Promise<void> {
    const node = nameProcess();
    const converter = owned.use(
      await openConverter(settings, log, {
        knownFile: knownFileOf(settings),
        onHop: (engine, elapsedMs) => metrics.hopSeconds.observe({ engine }, elapsedMs / 1000),
        onAnswer: (question, elapsedMs) => metrics.inspectionSeconds.observe({ question }, elapsedMs / 1000),
        onReplaced: (cause) => metrics.inspectorsReplaced.inc({ cause }),
        onStarted: (engine) => metrics.processesStarted.inc({ engine }),
        onKilled: (engine, cause) => metrics.sandboxKills.inc({ engine, cause }),
        onSpent: (engine, processorMs) => metrics.processorSeconds.inc({ engine }, processorMs / 1000),
      }),
    );
    opened = converter;
    metrics.sandboxMode.set({ mode: converter.sandboxMode }, 1);
    isDegraded = converter.sandboxMode === "degraded";
    if (isDegraded) owned.use(remindOfDegradation(log));
    const worker = createWorker({
      node,
      leaseMs: settings.LEASE_MS,
      hasOthers: settings.BLOBS !== undefined,
      leases: deps.leases,
      catalogue: deps.catalogue,
      blobs: deps.blobs,
      converter,
      metrics,
      log,
    });
    owned.use(watchCancellations(deps.leases, node, worker.cancel, log));
    const announcement = await announce(deps.broker, () => converter.manifest(node), log);
    working = { worker, announcement, consumers: [] };
    const queue = await deps.broker.workQueue("JOBS", lanes, { ackWaitMs: settings.LEASE_MS });
    for (const { lane, slots } of converter.lanes) {
      const places = createPlaces(slots, spareOf[lane]);
      const handle = (delivery: Delivery): Promise<void> => places.use((guest) => worker.handle(delivery, guest));
      const consumer = await queue.consume(lane, slots + spareOf[lane], handle, { admits: places.admits });
      working.consumers.push(consumer);
    }
    await untilListed(deps.catalogue, converter.manifest(node), log);
    isReady = true;
    const { scratch, sandbox, inspectors } = converter.trials;
    probes = [
      createProbe("scratch", scratch, log, { limitMs: 5000 }),
      // A program starts late on a busy machine, which is no defect.
      createProbe("sandbox", sandbox, log, { limitMs: 20_000, freshMs: 5000 }),
      createProbe("inspectors", inspectors, log, { limitMs: 20_000 }),
    ];
    converter.warm();
    owned.use(verifySoon(converter, announcement, log));
    log.info("conversion.ready", { node, lanes: converter.lanes, sandbox: converter.sandboxMode });
  }

  async function drain(signal: AbortSignal): Promise<void> {
    isReady = false;
    if (working === undefined) return;
    const { worker, announcement, consumers } = working;
    working = undefined;
    const stopped = Promise.all(consumers.map((consumer) => consumer[Symbol.asyncDispose]()));
    await announcement.withdraw();
    if (signal.aborted) worker.abandon();
    else signal.addEventListener("abort", worker.abandon, { once: true });
    await stopped;
    signal.removeEventListener("abort", worker.abandon);
  }

  return {
    name: "conversion",
    start,
    drain,
    routes: (router) =>
      void router.service(
        ConversionService,
        createConversionRpc({
          ...deps,
          tell: (path, fileName) => converting().tell(path, fileName),
          newPath: (format) => converting().newPath(format),
        }),
      ),
    readiness: () => ({
      ...(isReady ? { ready: true } : notReady("engines")),
      ...(isDegraded ? { sandbox: "degraded" } : {}),
    }),
    probes: () => probes,
    async [Symbol.asyncDispose]() {
      await drain(AbortSignal.abort(new FilemillError("UNAVAILABLE", "The converter is stopping.")));
      await owned.disposeAsync();
    },
  };
}

/** Who comes first after a start is not to share the processor with this. */
const verifyAfterMs = 5000;

/** Looks again at what was known from the last start, and tells the catalogue where it is not so. */
function verifySoon(converter: Converter, announcement: Announcement, log: Log): Disposable {
  const ending = new AbortController();
  const verify = async (): Promise<void> => {
    try {
      if (!(await converter.verify(ending.signal))) await announcement.renew();
    } catch (error) {
      log.warn("engines.verify_failed", { err: error });
    }
  };
  const timer = setTimeout(verify, verifyAfterMs).unref();
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      ending.abort();
    },
  };
}

type Working = { readonly worker: Worker; readonly announcement: Announcement; readonly consumers: AsyncDisposable[] };
