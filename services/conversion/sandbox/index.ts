/** The only code that starts processes. Every program that reads a user's bytes runs in here. */
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { getPriority } from "node:os";
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
import { Runs } from "./runs.ts";
import { openScratchPool, type ScratchPool } from "./scratch.ts";
import { seccompProgramOf } from "./seccomp.ts";
import { attackSandbox } from "./self-attack.ts";

export type SandboxSettings = {
  /** Where private folders are created. Best on the disk of the blob store, so that results are moved without a copy. */
  readonly scratchDir: string;
  /** "degraded" allows the weaker sandbox if the full one is unavailable. */
  readonly mode: "required" | "degraded";
  /** First of 500 user ids, used if Filemill is root. */
  readonly firstUid: number;
  /** Default memory limit of one run. */
  readonly memoryBytes: number;
  readonly log: Log;
  /** A name that no other live process has. After this process was killed, its leftovers are found by this name. Default: a random one. */
  readonly owner?: string;
  /** Where it is recorded that the sandbox of this host held. If it did, it is not attacked before use (decision 88). */
  readonly provenFile?: string | undefined;
  /** Attacks it anyway, and records the outcome. */
  readonly attacksAnyway?: boolean | undefined;
  /** Converts a file and ends: the host's configuration is mounted instead of copied (decision 75). */
  readonly isOneOff?: boolean | undefined;
};

export type OpenSandbox = Sandbox &
  AsyncDisposable & {
    /**
     * Attacks the sandbox now if the attack was skipped when it was opened.
     *
     * @throws DoesNotHold if an attack succeeded, or FilemillError UNAVAILABLE if none could be made. The next start attacks it first.
     */
    attackIfOwed(): Promise<void>;
    /** It held so recently that checking everything again after a start can wait. */
    readonly heldLately: boolean;
  };

/**
 * Opens the sandbox after an attack on it from within, made now or, if one is on record, within the last day.
 *
 * @throws FilemillError UNAVAILABLE with what is missing, or which attack succeeded.
 */
export async function openSandbox(settings: SandboxSettings): Promise<OpenSandbox> {
  const scratches = await openScratches(settings);
  try {
    const owner = ownerOf(settings);
    const files = settings.isOneOff === true ? undefined : copyHostFiles(settings.scratchDir);
    const launcher = createBubblewrapLauncher(seccompProgramOf(process.arch, "local"), files, markOf(owner));
    return await proven(createSandbox("full", { launcher, owner }, scratches, settings.memoryBytes), settings);
  } catch (error) {
    if (settings.mode === "required") throw error;
    settings.log.warn("sandbox.degraded", { reason: error instanceof Error ? error.message : String(error) });
    return openDegraded(scratches, settings);
  }
}

/**
 * The sandbox for hosts without namespaces, even if this host has them.
 *
 * @throws FilemillError UNAVAILABLE if the kernel has no Landlock, or too old a version.
 */
export async function openDegradedSandbox(settings: Omit<SandboxSettings, "mode">): Promise<OpenSandbox> {
  return openDegraded(await openScratches(settings), settings);
}

async function openDegraded(scratches: ScratchPool, settings: Omit<SandboxSettings, "mode">): Promise<OpenSandbox> {
  if (process.getuid?.() === 0) await checkPassable(settings.scratchDir, settings.firstUid);
  const owner = ownerOf(settings);
  const launcher = createLandlockLauncher(seccompProgramOf(process.arch, "mute"), markOf(owner));
  return proven(createSandbox("degraded", { launcher, owner }, scratches, settings.memoryBytes), settings);
}

function ownerOf({ owner = randomUUID() }: Pick<SandboxSettings, "owner">): string {
  return owner;
}

/** Without namespaces, a run's folder is reached by its path on the host, so the user of the run needs access to that path. */
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
  // Neither launcher closes descriptors that it does not know.
  closeInherited();
  return openScratchPool(scratchDir, process.getuid?.() === 0 ? firstUid : undefined);
}

const latelyMs = 10 * 60_000;

type ProofSettings = Pick<SandboxSettings, "scratchDir" | "provenFile" | "attacksAnyway" | "firstUid">;

async function proven(
  sandbox: Sandbox & AsyncDisposable,
  { scratchDir, provenFile, attacksAnyway = false, firstUid }: ProofSettings,
): Promise<OpenSandbox> {
  const memory: AttackMemory | undefined = provenFile === undefined ? undefined : openAttackMemory(provenFile, firstUid);
  let isOwed = !attacksAnyway && memory?.hasHeld(sandbox.mode) === true;
  const heldLately = isOwed && memory?.hasHeld(sandbox.mode, latelyMs) === true;
  const attack = async (): Promise<void> => {
    try {
      await attackSandbox(sandbox, scratchDir);
      memory?.held(sandbox.mode);
    } catch (error) {
      memory?.forget(sandbox.mode);
      throw error;
    }
  };
  try {
    if (!isOwed) await attack();
  } catch (error) {
    await sandbox[Symbol.asyncDispose]();
    throw error;
  }
  return {
    ...sandbox,
    heldLately,
    async attackIfOwed() {
      if (!isOwed) return;
      isOwed = false;
      await attack();
    },
  };
}

const defaults: Omit<SandboxLimits, "memoryBytes"> = {
  wallMs: 60_000,
  cpuSeconds: 60,
  addressSpace: true,
  processes: 64,
  openFiles: 256,
  fileBytes: 2 ** 30,
  folderBytes: 2 * 2 ** 30,
  tmpBytes: 256 * 2 ** 20,
  niceness: 0,
};

function recipeOf(command: SandboxCommand, identity: Identity, memoryBytes: number): Recipe {
  const { program, args, folder, env = {}, readOnly = {}, outputBytes = Number.POSITIVE_INFINITY } = command;
  const limits = { ...defaults, memoryBytes, ...command.limits };
  limits.fileBytes = Math.min(limits.fileBytes, outputBytes);
  limits.folderBytes = Math.min(limits.folderBytes, outputBytes);
  // A low priority of this service applies to its engines too. Besides, the kernel allows only root to return to a higher one.
  limits.niceness = Math.max(limits.niceness, getPriority());
  return { identity, limits, program, args, env, folder, readOnly };
}

function createSandbox(
  mode: Sandbox["mode"],
  { launcher: launchOf, owner }: { launcher(recipe: Recipe): Launch; readonly owner: string },
  scratches: ScratchPool,
  memoryBytes: number,
): Sandbox & AsyncDisposable {
  const runs = new Runs();
  const watch = keepWatchOver(owner, mode === "full" ? "KILL" : "TERM");

  async function runIn(command: SandboxCommand): Promise<SandboxEnd> {
    runs.assertOpen();
    if (command.folder === undefined && mode === "degraded") {
      await using scratch = await scratches.open();
      return await runIn({ ...command, folder: scratch.path });
    }
    const { folder } = command;
    const identity = folder === undefined ? await scratches.claim() : scratches.identityOf(folder);
    const recipe = recipeOf(command, identity, memoryBytes);
    const options = { limits: recipe.limits, folder, signal: runs.signalOf(command.signal), conversation: false };
    try {
      return await startTree(launchOf(recipe), { ...options, onLine: command.onLine?.bind(command) }).ended;
    } finally {
      if (folder === undefined) scratches.release(identity);
    }
  }

  async function startIn(command: Omit<SandboxCommand, "folder" | "onLine">): Promise<SandboxChild> {
    runs.assertOpen();
    const scratch = await scratches.open();
    try {
      runs.assertOpen();
      const recipe = recipeOf({ ...command, folder: scratch.path }, scratch.identity, memoryBytes);
      const child = startChild(launchOf(recipe), scratch, recipe.limits, runs.signalOf(command.signal));
      void runs.track(child.ended.catch(() => undefined));
      return child;
    } catch (error) {
      await scratch[Symbol.asyncDispose]();
      throw error;
    }
  }

  async function close(): Promise<void> {
    await runs.close();
    await scratches[Symbol.asyncDispose]();
    watch[Symbol.dispose]();
  }

  return {
    mode,
    run: (command) => runs.track(runIn(command)),
    spawn: (command) => runs.track(startIn(command)),
    openScratch: () => scratches.open(),
    [Symbol.asyncDispose]: close,
  };
}
