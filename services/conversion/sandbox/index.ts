/** The only place that starts processes: every program that reads a user's bytes runs in here. */
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import { closeInherited } from "#kit/inherited-descriptors.ts";
import type { Log } from "#kit/log.ts";
import type { Sandbox, SandboxChild, SandboxCommand, SandboxEnd, SandboxLimits } from "../domain/sandbox.ts";
import { createBubblewrapLauncher } from "./bubblewrap.ts";
import { startChild } from "./child.ts";
import { copyHostFiles } from "./host-files.ts";
import { createLandlockLauncher } from "./landlock.ts";
import { keepWatchOver, markOf } from "./orphans.ts";
import { type Launch, startTree } from "./process-tree.ts";
import type { Identity, Recipe } from "./recipe.ts";
import { type AttackMemory, openAttackMemory } from "./remembered-attack.ts";
import { openScratchPool, type ScratchPool } from "./scratch.ts";
import { seccompProgramOf } from "./seccomp.ts";
import { attackSandbox } from "./self-attack.ts";

export type SandboxSettings = {
  /** Where private folders are made; best on the disk of the blob store, so that results move without a copy. */
  readonly scratchDir: string;
  /** "degraded" allows the weaker sandbox where the full one cannot be had. */
  readonly mode: "required" | "degraded";
  /** First of 100 user ids, used when Filemill is root. */
  readonly firstUid: number;
  /** Of one run that asks for no other limit. */
  readonly memoryBytes: number;
  readonly log: Log;
  /** A name that no other living process has: what is left of this one when it was killed is found by it. Without it one is made up. */
  readonly owner?: string;
  /**
   * For a process that converts a file and ends: begins where this file says that the sandbox of this host held (decision 75), and mounts
   * the host's configuration instead of copying it.
   */
  readonly provenFile?: string;
};

/**
 * Opens the sandbox after attacking it from within.
 *
 * @throws FilemillError UNAVAILABLE with what is missing, or which attack got through.
 */
export async function openSandbox(settings: SandboxSettings): Promise<Sandbox & AsyncDisposable> {
  const scratches = await openScratches(settings);
  try {
    const owner = ownerOf(settings);
    const files = settings.provenFile === undefined ? copyHostFiles(settings.scratchDir) : undefined;
    const launcher = createBubblewrapLauncher(seccompProgramOf(process.arch, "unix"), files, markOf(owner));
    return await proven(createSandbox("full", { launcher, owner }, scratches, settings.memoryBytes), settings);
  } catch (error) {
    if (settings.mode === "required") throw error;
    settings.log.warn("sandbox.degraded", { reason: error instanceof Error ? error.message : String(error) });
    return openDegraded(scratches, settings);
  }
}

/**
 * The sandbox for hosts without namespaces, whatever this host could do.
 *
 * @throws FilemillError UNAVAILABLE where the kernel has no Landlock, or not enough of it.
 */
export async function openDegradedSandbox(settings: Omit<SandboxSettings, "mode">): Promise<Sandbox & AsyncDisposable> {
  return openDegraded(await openScratches(settings), settings);
}

async function openDegraded(scratches: ScratchPool, settings: Omit<SandboxSettings, "mode">): Promise<Sandbox & AsyncDisposable> {
  if (process.getuid?.() === 0) await checkPassable(settings.scratchDir, settings.firstUid);
  const owner = ownerOf(settings);
  const launcher = createLandlockLauncher(seccompProgramOf(process.arch, "none"), markOf(owner));
  return proven(createSandbox("degraded", { launcher, owner }, scratches, settings.memoryBytes), settings);
}

function ownerOf({ owner = randomUUID() }: Pick<SandboxSettings, "owner">): string {
  return owner;
}

/** Without namespaces a run's folder is reached by its path on the host, and the user of the run must get there. */
async function checkPassable(scratchDir: string, uid: number): Promise<void> {
  for (let folder = dirname(resolve(scratchDir)); ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & 0o001) === 0) {
      throw new FilemillError(
        "UNAVAILABLE",
        `The degraded sandbox runs engines as user ${uid}, who may not pass through ${folder}: move DATA_DIR, or allow it (chmod o+x).`,
      );
    }
    if (folder === dirname(folder)) return;
  }
}

function openScratches({ scratchDir, firstUid }: Pick<SandboxSettings, "scratchDir" | "firstUid">): Promise<ScratchPool> {
  // Neither launcher closes what it does not know.
  closeInherited();
  return openScratchPool(scratchDir, process.getuid?.() === 0 ? firstUid : undefined);
}

type ProofSettings = Pick<SandboxSettings, "scratchDir" | "provenFile" | "firstUid">;

async function proven(
  sandbox: Sandbox & AsyncDisposable,
  { scratchDir, provenFile, firstUid }: ProofSettings,
): Promise<Sandbox & AsyncDisposable> {
  try {
    const memory: AttackMemory | undefined = provenFile === undefined ? undefined : openAttackMemory(provenFile, firstUid);
    if (memory?.hasHeld(sandbox.mode) === true) return sandbox;
    await attackSandbox(sandbox, scratchDir);
    memory?.held(sandbox.mode);
    return sandbox;
  } catch (error) {
    await sandbox[Symbol.asyncDispose]();
    throw error;
  }
}

function createSandbox(
  mode: Sandbox["mode"],
  { launcher: launchOf, owner }: { launcher(recipe: Recipe): Launch; readonly owner: string },
  scratches: ScratchPool,
  memoryBytes: number,
): Sandbox & AsyncDisposable {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const watch = keepWatchOver(owner, mode === "full" ? "KILL" : "TERM");
  const defaults: SandboxLimits = {
    wallMs: 60_000,
    cpuSeconds: 60,
    memoryBytes,
    addressSpace: true,
    processes: 64,
    openFiles: 256,
    fileBytes: 2 ** 30,
    folderBytes: 2 * 2 ** 30,
    tmpBytes: 256 * 2 ** 20,
    niceness: 0,
  };

  function recipeOf(command: SandboxCommand, identity: Identity): Recipe {
    const { program, args, folder, env = {}, readOnly = {} } = command;
    const limits = { ...defaults, ...command.limits };
    const outputBytes = command.outputBytes ?? Number.POSITIVE_INFINITY;
    limits.fileBytes = Math.min(limits.fileBytes, outputBytes);
    limits.folderBytes = Math.min(limits.folderBytes, outputBytes);
    return { identity, limits, program, args, env, folder, readOnly };
  }

  function signalOf(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
  }

  function track<T>(ended: Promise<T>): Promise<T> {
    running.add(ended);
    const forget = () => running.delete(ended);
    ended.then(forget, forget);
    return ended;
  }

  function assertOpen(): void {
    if (closing.signal.aborted) throw new FilemillError("UNAVAILABLE", "The sandbox is closed.");
  }

  async function runIn(command: SandboxCommand): Promise<SandboxEnd> {
    assertOpen();
    if (command.folder === undefined && mode === "degraded") {
      await using scratch = await scratches.open();
      return await runIn({ ...command, folder: scratch.path });
    }
    const { folder } = command;
    const identity = folder === undefined ? await scratches.claim() : scratches.identityOf(folder);
    const recipe = recipeOf(command, identity);
    const options = { limits: recipe.limits, folder, signal: signalOf(command.signal), conversation: false };
    try {
      return await startTree(launchOf(recipe), { ...options, onLine: command.onLine?.bind(command) }).ended;
    } finally {
      if (folder === undefined) scratches.release(identity);
    }
  }

  async function startIn(command: Omit<SandboxCommand, "folder" | "onLine">): Promise<SandboxChild> {
    assertOpen();
    const scratch = await scratches.open();
    try {
      assertOpen();
      const recipe = recipeOf({ ...command, folder: scratch.path }, scratch.identity);
      const child = startChild(launchOf(recipe), scratch, recipe.limits, signalOf(command.signal));
      void track(child.ended.catch(() => undefined));
      return child;
    } catch (error) {
      await scratch[Symbol.asyncDispose]();
      throw error;
    }
  }

  async function close(): Promise<void> {
    closing.abort();
    // Until what was about to start when it closed is gone, too.
    while (running.size > 0) await Promise.allSettled(running);
    await scratches[Symbol.asyncDispose]();
    watch[Symbol.dispose]();
  }

  return {
    mode,
    run: (command) => track(runIn(command)),
    spawn: (command) => track(startIn(command)),
    openScratch: () => scratches.open(),
    [Symbol.asyncDispose]: close,
  };
}
