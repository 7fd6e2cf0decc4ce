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
import { type ConversionMetrics, createConversionMetrics } from "./adapters/metrics.ts";
import { createOneOffConverter } from "./adapters/one-off-converter.ts";
import { createPlaces } from "./adapters/places.ts";
import { openProcessFolder } from "./adapters/process-folder.ts";
import { createTrials } from "./adapters/trials.ts";
import { verifySoon } from "./adapters/verify-soon.ts";
import { createWorker, type Worker } from "./adapters/worker.ts";
import type { WorkerParts } from "./adapters/worker-parts.ts";
import type { ConversionSettings } from "./config.ts";
import type { Converter, OneOffConverter } from "./domain/converter.ts";
import { lanes, spareOf } from "./domain/engine.ts";
import { engines } from "./engines/registry.ts";
import { unlockFile } from "./engines/shared/unlock.ts";
import { type InspectorHost, openInspectors } from "./inspectors/open-inspectors.ts";
import { createVerdicts, type Verdicts } from "./inspectors/verdicts.ts";
import { createConversionRpc } from "./rpc.ts";
import { type OpenSandbox, openSandbox, type SandboxSettings } from "./sandbox/index.ts";
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
    /** Engines listed in this file are assumed unchanged since the last start until they are verified. */
    readonly knownFile?: string;
  } & Pick<SandboxSettings, "provenFile">;

/**
 * Opens the sandbox and the engines without a broker, queue or key.
 *
 * @throws FilemillError UNAVAILABLE if the sandbox is unavailable.
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
  const { heldLately, attackIfOwed } = parts.sandbox;
  return { ...converter, tell, trials, heldLately, attackIfOwed, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/**
 * Opens the sandbox. Engines are opened as plans need them.
 *
 * @param attacksAnyway - See SandboxSettings.
 * @throws FilemillError UNAVAILABLE if the sandbox is unavailable.
 */
export async function openOneOffConverter(settings: ConversionSettings, log: Log, attacksAnyway = false): Promise<OneOffConverter> {
  await using opening = new AsyncDisposableStack();
  const parts = await openParts(settings, log, opening, { provenFile: provenFileOf(settings), attacksAnyway, isOneOff: true });
  const known = await openKnownEngines(knownFileOf(settings), parts.sandbox.mode, log);
  const converter = opening.use(createOneOffConverter({ ...parts, known, isOneOff: true }));
  const owned = opening.move();
  return { ...converter, tell: parts.verdicts.tell, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function knownFileOf({ DATA_DIR }: ConversionSettings): string {
  return join(resolve(DATA_DIR), "engines.json");
}

function provenFileOf({ DATA_DIR }: ConversionSettings): string {
  return join(resolve(DATA_DIR), "sandbox-held");
}

async function openParts(
  settings: ConversionSettings,
  log: Log,
  opening: AsyncDisposableStack,
  options: Pick<ConverterOptions, "onAnswer" | "onReplaced"> & Pick<SandboxSettings, "provenFile" | "attacksAnyway" | "isOneOff">,
): Promise<ConverterParts & { readonly sandbox: OpenSandbox; readonly verdicts: Verdicts }> {
  const { onAnswer, onReplaced, provenFile, attacksAnyway, isOneOff } = options;
  const folder = opening.use(await openProcessFolder(join(resolve(settings.DATA_DIR), "scratch"), { endOrphans, removeFolder }));
  const sandbox = opening.use(
    await openSandbox({
      scratchDir: folder.path,
      owner: folder.name,
      mode: settings.SANDBOX,
      firstUid: settings.SANDBOX_UID,
      memoryBytes: settings.JOB_MEMORY_MB * 1e6,
      log,
      provenFile,
      attacksAnyway,
      isOneOff,
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
  const { catalogue, log } = deps;
  const owned = new AsyncDisposableStack();
  const metrics = createConversionMetrics(deps.metrics);
  let working: Working | undefined;
  let opening: Promise<Converter> | undefined;
  let opened: Converter | undefined;
  const converting = (): Converter => opened ?? refuseYet();
  let isReady = false;
  let isDegraded = false;
  let probes: readonly Probe[] = [];

  async function start(): Promise<void> {
    const node = nameProcess();
    opening = openWarmConverter(settings, log, metrics);
    const converter = owned.use(await opening);
    opened = converter;
    isDegraded = converter.sandboxMode === "degraded";
    if (isDegraded) owned.use(remindOfDegradation(log));
    const worker = workerOf(deps, settings, { node, converter, metrics });
    owned.use(watchCancellations(deps.leases, node, worker.cancel, log));
    const announcement = await announce(deps.broker, () => converter.manifest(node), log);
    working = { worker, announcement, consumers: [] };
    await consumeLanes(deps.broker, converter, working, settings.LEASE_MS);
    await untilListed(catalogue, converter.manifest(node), log);
    isReady = true;
    probes = probesOf(converter, log);
    owned.use(verifySoon({ converter, announcement, log, giveUp }));
    log.info("conversion.ready", { node, lanes: converter.lanes, sandbox: converter.sandboxMode });
  }

  /** Nothing may run in a sandbox that does not hold. The next start attacks it first, and refuses to start. */
  async function giveUp(): Promise<void> {
    opened = undefined;
    await drain(AbortSignal.abort(new FilemillError("UNAVAILABLE", "The sandbox does not hold.")));
  }

  async function drain(signal: AbortSignal): Promise<void> {
    isReady = false;
    const ending = working;
    working = undefined;
    if (ending !== undefined) await end(ending, signal);
  }

  const tell: Converter["tell"] = (path, fileName) => converting().tell(path, fileName);
  const newPath: Converter["newPath"] = (format) => converting().newPath(format);
  return {
    name: "conversion",
    start,
    drain,
    routes: (router) => void router.service(ConversionService, createConversionRpc({ ...deps, tell, newPath })),
    readiness: () => ({ ...(isReady ? { ready: true } : notReady("engines")), ...(isDegraded && { sandbox: "degraded" }) }),
    probes: () => probes,
    async [Symbol.asyncDispose]() {
      await drain(AbortSignal.abort(new FilemillError("UNAVAILABLE", "The converter is stopping.")));
      await opening?.catch(() => undefined);
      await owned.disposeAsync();
    },
  };
}

type Working = { readonly worker: Worker; readonly announcement: Announcement; readonly consumers: AsyncDisposable[] };

function refuseYet(): never {
  throw new FilemillError("UNAVAILABLE", "The converter is starting; try again in a moment.", { retryAfterMs: 2000 });
}

function workerOf(deps: ConversionDeps, settings: ConversionSettings, own: Pick<WorkerParts, "node" | "converter" | "metrics">): Worker {
  const { leases, catalogue, blobs, log } = deps;
  return createWorker({ ...own, leaseMs: settings.LEASE_MS, hasOthers: settings.BLOBS !== undefined, leases, catalogue, blobs, log });
}

async function openWarmConverter(settings: ConversionSettings, log: Log, metrics: ConversionMetrics): Promise<Converter> {
  const converter = await openConverter(settings, log, {
    knownFile: knownFileOf(settings),
    provenFile: provenFileOf(settings),
    onHop: (engine, elapsedMs) => metrics.hopSeconds.observe({ engine }, elapsedMs / 1000),
    onAnswer: (question, elapsedMs) => metrics.inspectionSeconds.observe({ question }, elapsedMs / 1000),
    onReplaced: (cause) => metrics.inspectorsReplaced.inc({ cause }),
    onStarted: (engine) => metrics.processesStarted.inc({ engine }),
    onKilled: (engine, cause) => metrics.sandboxKills.inc({ engine, cause }),
    onSpent: (engine, processorMs) => metrics.processorSeconds.inc({ engine }, processorMs / 1000),
  });
  metrics.sandboxMode.set({ mode: converter.sandboxMode }, 1);
  // In parallel with what follows, so that the first jobs need not wait for their start.
  converter.warm();
  return converter;
}

async function consumeLanes(broker: Broker, converter: Converter, { worker, consumers }: Working, leaseMs: number): Promise<void> {
  const queue = await broker.workQueue("JOBS", lanes, { ackWaitMs: leaseMs });
  for (const { lane, slots } of converter.lanes) {
    const places = createPlaces(slots, spareOf[lane]);
    const handle = (delivery: Delivery): Promise<void> => places.use((guest) => worker.handle(delivery, guest));
    consumers.push(await queue.consume(lane, slots + spareOf[lane], handle, { admits: places.admits }));
  }
}

function probesOf({ trials: { scratch, sandbox, inspectors } }: Converter, log: Log): readonly Probe[] {
  return [
    createProbe("scratch", scratch, log, { limitMs: 5000 }),
    // A slow program start on a busy machine is not a defect.
    createProbe("sandbox", sandbox, log, { limitMs: 20_000, freshMs: 5000 }),
    createProbe("inspectors", inspectors, log, { limitMs: 20_000 }),
  ];
}

/** Accepts no new work. When the signal fires, leaves running jobs to other workers. */
async function end({ worker, announcement, consumers }: Working, signal: AbortSignal): Promise<void> {
  const stopped = Promise.all(consumers.map((consumer) => consumer[Symbol.asyncDispose]()));
  await announcement.withdraw();
  if (signal.aborted) worker.abandon();
  else signal.addEventListener("abort", worker.abandon, { once: true });
  await stopped;
  signal.removeEventListener("abort", worker.abandon);
}
