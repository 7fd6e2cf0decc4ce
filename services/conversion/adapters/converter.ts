import { randomUUID } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { FilemillError } from "#contract/errors.ts";
import { ManifestSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Log } from "#kit/log.ts";
import { traced } from "#kit/tracing.ts";
import { runWithAlternates } from "../domain/alternates.ts";
import { entryConverterOf } from "../domain/convert-entry.ts";
import type { Converter, EngineStatus } from "../domain/converter.ts";
import { cpuSecondsOf } from "../domain/cpu-budget.ts";
import { type Engine, type FileRef, type HopTask, type Lane, type OpenEngine, spareOf } from "../domain/engine.ts";
import { createGate } from "../domain/gate.ts";
import type { Inspector } from "../domain/inspector.ts";
import { engineManifestOf } from "../domain/manifest.ts";
import { type RunnableEngine, type RunPorts, runPlan } from "../domain/run-plan.ts";
import type { Sandbox } from "../domain/sandbox.ts";
import type { UnlockTask } from "../domain/unlock.ts";
import type { KnownEngines } from "./known-engines.ts";
import { packFiles } from "./pack-files.ts";
import { type SandboxWatch, watchedSandbox } from "./watched-sandbox.ts";

export type ConverterParts = {
  readonly sandbox: Sandbox;
  readonly inspector: Inspector;
  readonly engines: readonly Engine[];
  /** Where results and intermediate files are made. */
  readonly workDir: string;
  readonly slots: Readonly<Record<Lane, number>>;
  /** Wall-clock limit of one inline hop. */
  readonly timeoutMs: number;
  readonly log: Log;
  inspect(input: FileRef): Promise<void>;
  checkResult: RunPorts["checkResult"];
  count: RunPorts["count"];
  metadata: RunPorts["metadata"];
  unlock(sandbox: Sandbox, task: UnlockTask): Promise<void>;
  readonly known?: KnownEngines;
  /** Converts one file after another and ends. Spare processes of an engine, kept ready in addition to the first, would never be used. */
  readonly isOneOff?: true;
  onHop?(engine: string, elapsedMs: number): void;
  onSpent?(engine: string, processorMs: number): void;
} & SandboxWatch;

export type FoundEngine = {
  readonly engine: Engine;
  readonly version: string | undefined;
  /** See EngineStatus. */
  readonly isWithheld?: true;
};

/** Probes all engines that are not known from the last start, at the same time. */
export async function openEngines(parts: ConverterParts): Promise<Omit<Converter, "tell" | "trials" | "attackIfOwed" | "heldLately">> {
  const found = await Promise.all(parts.engines.map((engine) => foundOf(engine, parts)));
  await remember(found, parts);
  const live = new Map<string, LiveEngine>();
  for (const { engine, version } of found) {
    if (version !== undefined) live.set(engine.id, createLiveEngine(engine, parts));
  }
  const servedOf = () => found.filter(({ engine, version }) => version !== undefined && parts.slots[engine.lane] > 0);
  const served = servedOf();
  // Created once, because a node announces itself every few seconds.
  const manifestsOf = () => servedOf().map(({ engine, version }) => engineManifestOf(engine, version ?? ""));
  let engineManifests = manifestsOf();
  const lanes = [...new Set(served.map(({ engine }) => engine.lane))];
  return {
    sandboxMode: parts.sandbox.mode,
    lanes: lanes.map((lane) => ({ lane, slots: parts.slots[lane] })),
    engines: () => found.map(statusOf),
    manifest: (node) =>
      create(ManifestSchema, { node, announcedAt: timestampNow(), sandbox: parts.sandbox.mode, engines: engineManifests }),
    ...createRunner(parts, (id) => live.get(id)),
    warm() {
      for (const { engine } of served) live.get(engine.id)?.warm();
    },
    async verify(signal) {
      const changed = await changedOf(found, parts, signal);
      if (changed.length === 0) return true;
      for (const now of changed) found[found.findIndex(({ engine }) => engine === now.engine)] = now;
      engineManifests = manifestsOf();
      const lost = changed.filter(({ version }) => version === undefined).map(({ engine }) => live.get(engine.id));
      for (const { engine, version } of changed) if (version === undefined) live.delete(engine.id);
      await Promise.allSettled(lost.map((engine) => engine?.close()));
      await remember(found, parts);
      return false;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...live.values()].map((engine) => engine.close()));
    },
  };
}

/** Runs plans with the engines that `engineOf` knows. */
export function createRunner(parts: ConverterParts, engineOf: RunPorts["engineOf"]): Pick<Converter, "newPath" | "run"> {
  const newPath = (format: string): string => join(parts.workDir, `${randomUUID()}.${format}`);
  const ports: RunPorts = {
    engineOf,
    inspect: parts.inspect,
    checkResult: parts.checkResult,
    count: parts.count,
    metadata: parts.metadata,
    unlock: (task) => parts.unlock(parts.sandbox, task),
    intermediatePath: newPath,
    pack: packFiles,
    sizeOf: async (path) => (await stat(path)).size,
    remove: (path) => rm(path, { force: true, recursive: true }),
  };
  return {
    newPath,
    async run(plan, inputPath, outputPath, request) {
      const sizeBytes = request.inputBytes ?? (await stat(inputPath)).size;
      const input = { path: inputPath, format: plan.from, sizeBytes };
      const { planOf, ...rest } = request;
      const base = { ...rest, timeoutMs: parts.timeoutMs };
      const run = { ...base, plan, input, outputPath, ...(planOf && { convertEntry: entryConverterOf({ ...base, planOf }, ports) }) };
      await (request.alternates === undefined ? runPlan(run, ports) : runWithAlternates(run, ports, request.alternates));
    },
  };
}

/** The engine as it was at the last start, or as probed now. */
export async function foundOf(engine: Engine, parts: ConverterParts): Promise<FoundEngine> {
  const version = parts.known?.versionOf(engine.id);
  return version === undefined ? probe(engine, parts) : { engine, version };
}

export async function remember(found: readonly FoundEngine[], { known }: ConverterParts): Promise<void> {
  await known?.remember(new Map(found.flatMap(({ engine, version }) => (version === undefined ? [] : [[engine.id, version]]))));
}

/** An engine that worked at the last start must fail this often, with this pause in between. */
const probes = 3;
const probePauseMs = 1000;

/** Engines that have changed since the last start. They are probed one after another, because conversions need the CPU. */
async function changedOf(found: readonly FoundEngine[], parts: ConverterParts, signal: AbortSignal): Promise<readonly FoundEngine[]> {
  const changed: FoundEngine[] = [];
  for (const { engine, version } of found) {
    if (version === undefined || parts.known?.versionOf(engine.id) === undefined) continue;
    let now = await probe(engine, parts);
    // A working engine may merely be too slow on a busy machine, which is no reason to withdraw it.
    for (let again = 1; again < probes && now.version === undefined && !signal.aborted; again += 1) {
      await sleep(probePauseMs);
      now = await probe(engine, parts);
    }
    if (signal.aborted) return [];
    if (now.version !== version) changed.push(now);
  }
  return changed;
}

/** Whether the engine's tool is installed and works in the sandbox. */
export async function probe(engine: Engine, { sandbox, log }: ConverterParts): Promise<FoundEngine> {
  if (engine.needsFullSandbox === true && sandbox.mode === "degraded") {
    log.warn("engine.withheld", { engine: engine.id });
    return { engine, version: undefined, isWithheld: true };
  }
  try {
    const version = await engine.probe(sandbox);
    if (version === undefined) log.warn("engine.absent", { engine: engine.id, packages: engine.packages });
    else log.info("engine.found", { engine: engine.id, version });
    return { engine, version };
  } catch (error) {
    log.error("engine.probe_failed", { engine: engine.id, err: error });
    return { engine, version: undefined };
  }
}

export function statusOf({ engine, version, isWithheld }: FoundEngine): EngineStatus {
  const { id, label, lane, hops, packages } = engine;
  return { id, label, lane, hops, packages, version, ...(isWithheld === true && { isWithheld }) };
}

/** Long-running work yields the CPU to requests that take milliseconds. */
const nicenessOf: Readonly<Record<Lane, number>> = { image: 0, document: 5, office: 10, media: 10 };

function nice(sandbox: Sandbox, niceness: number): Sandbox {
  return {
    ...sandbox,
    run: (command) => sandbox.run({ ...command, limits: { niceness, ...command.limits } }),
    spawn: (command) => sandbox.spawn({ ...command, limits: { niceness, ...command.limits } }),
  };
}

export type LiveEngine = RunnableEngine & { warm(): void; close(): Promise<void> };

/**
 * An engine that is opened on first use or when warmed, and that never runs more tasks at once than its lane has places. An engine of an
 * unserved lane still runs, one task at a time, for plans of another lane that pass through it.
 */
export function createLiveEngine(engine: Engine, parts: ConverterParts): LiveEngine {
  const slots = Math.max(1, parts.slots[engine.lane]);
  const spare = parts.isOneOff === true ? 0 : spareOf[engine.lane];
  const gate = createGate(slots + spare);
  let opening: Promise<OpenEngine> | undefined;
  let closed = false;

  function open(): Promise<OpenEngine> {
    if (closed) throw new FilemillError("UNAVAILABLE", "The converter is stopping; try again.");
    const log = parts.log.with({ engine: engine.id });
    opening ??= engine
      .open({
        sandbox: watchedSandbox(nice(parts.sandbox, nicenessOf[engine.lane]), engine.id, parts),
        inspector: parts.inspector,
        slots,
        spare,
        ...(parts.isOneOff && { isOneOff: true }),
        log: (event, fields) => log.info(event, fields),
      })
      .catch((cause) => {
        // The next run tries again, because the missing resource may be available by then.
        opening = undefined;
        log.error("engine.open_failed", { err: cause });
        throw new FilemillError("UNAVAILABLE", "The engine for this conversion did not start; try again later.", { cause });
      });
    return opening;
  }

  async function withTurn<T>(task: HopTask, work: (opened: OpenEngine) => Promise<T>): Promise<T> {
    const opened = await open();
    await gate.enter(task.signal);
    const startedAt = performance.now();
    try {
      const attributes = { "filemill.engine": engine.id, "filemill.from": task.hop.from, "filemill.to": task.hop.to };
      return await traced({ name: `engine ${engine.id}`, attributes }, () => work(opened));
    } finally {
      gate.leave();
      parts.onHop?.(engine.id, performance.now() - startedAt);
    }
  }

  return {
    hops: engine.hops,
    warm: () => void open().catch(() => undefined),
    run: (task) => withTurn(task, (opened) => opened.run(boundedTask(task, engine, parts))),
    parts: (task) => withTurn(task, async (opened) => (await opened.parts?.(boundedTask(task, engine, parts))) ?? []),
    async close() {
      closed = true;
      const opened = await opening?.catch(() => undefined);
      await opened?.[Symbol.asyncDispose]();
    },
  };
}

function boundedTask(task: HopTask, { id, lane }: Engine, parts: ConverterParts): HopTask {
  const cpuSeconds = cpuSecondsOf(lane, task.input.sizeBytes);
  const onSpent = (processorMs: number): void => {
    parts.onSpent?.(id, processorMs);
    task.onSpent?.(processorMs);
  };
  return { ...task, cpuSeconds, onSpent };
}
