/** What every command-line engine needs around a run: a private folder, the deadline, typed failures, a checked result. */
import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";
import { copyFile, lstat, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import type { Engine, FileRef, HopTask } from "#services/conversion/domain/engine.ts";
import { OutputTooLarge } from "#services/conversion/domain/failure.ts";
import { failureOfEnd, failureOfStop } from "#services/conversion/domain/process-end.ts";
import type { Sandbox, SandboxCommand, SandboxEnd } from "#services/conversion/domain/sandbox.ts";

/** Path of the input inside the sandbox, whatever its name outside. */
export const inputInside = "/input/document";

export type ToolCommand = Pick<SandboxCommand, "program" | "args" | "env" | "limits" | "readOnly" | "onLine">;

export type ToolSession = AsyncDisposable & {
  /** Host path of a file that tools see as `/job/<name>`. */
  pathOf(name: string): string;
  /** Runs a tool within the task's remaining time. Rejects if it was killed or crashed, never because of its exit code. */
  run(command: ToolCommand): Promise<SandboxEnd>;
  /**
   * Moves `/job/<name>` to the task's output path, or to another path outside the
   * sandbox. Call it after the last run: nothing may write to the file afterwards.
   */
  adopt(name: string, to?: string): Promise<void>;
};

type ToolTask = Pick<HopTask, "input" | "outputPath" | "timeoutMs" | "cpuSeconds" | "signal" | "outputBytes" | "onSpent">;

/**
 * One private folder for the runs of one hop. The input is bound read-only at
 * {@link inputInside}, or elsewhere for a tool that depends on file names.
 */
export async function openToolSession(sandbox: Sandbox, task: ToolTask, inside = inputInside): Promise<ToolSession> {
  const deadline = performance.now() + task.timeoutMs;
  const scratch = await sandbox.openScratch();
  return {
    pathOf: (name) => join(scratch.path, name),
    async run(command) {
      task.signal.throwIfAborted();
      const wallMs = Math.max(1, deadline - performance.now());
      const end = await sandbox.run({
        ...command,
        folder: scratch.path,
        readOnly: { ...command.readOnly, [task.input.path]: inside },
        limits: { cpuSeconds: Math.min(Math.ceil((wallMs / 1000) * 4), task.cpuSeconds ?? Infinity), ...command.limits, wallMs },
        ...(task.outputBytes === undefined ? {} : { outputBytes: task.outputBytes }),
        signal: task.signal,
      });
      task.onSpent?.(end.processorMs);
      // Not every tool dies from the kernel's signal: some treat the refused write as an ordinary error.
      const hasFailed = end.killed === undefined && end.exitCode !== 0;
      if (hasFailed && (await hasFileOf(scratch.path, end.outputBytes))) throw new OutputTooLarge(end.outputBytes);
      throwIfKilled(end, task.signal);
      const stopped = failureOfStop(command.program, end);
      if (stopped !== undefined) throw stopped;
      return end;
    },
    adopt: (name, to = task.outputPath) => adoptOutput(join(scratch.path, name), to),
    [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
  };
}

/**
 * @throws FilemillError CONVERSION_TIMEOUT, INPUT_TOO_COMPLEX (memory, disk,
 * CPU or file size used up), JOB_CANCELLED, or an EngineFault for a crash.
 */
export function throwIfKilled(end: SandboxEnd, signal: AbortSignal): void {
  if (end.killed === "aborted") {
    signal.throwIfAborted();
    throw new FilemillError("JOB_CANCELLED", "The job was cancelled.");
  }
  const failure = failureOfEnd(end);
  if (failure !== undefined) throw failure;
}

/** Whether a file in the folder has reached the size limit. */
async function hasFileOf(folder: string, sizeBytes: number): Promise<boolean> {
  for (const name of await readdir(folder)) {
    const found = await lstat(join(folder, name)).catch(() => undefined);
    if (found?.isFile() === true && found.size >= sizeBytes) return true;
  }
  return false;
}

/**
 * Opens what a sandboxed program left, which may be a malicious link, pipe or folder.
 *
 * @throws FilemillError CONVERSION_FAILED unless it is a regular, non-empty file with a single link.
 */
export async function openOutput(path: string) {
  const handle = await open(path, outputFlags).catch(() => undefined);
  const found = await handle?.stat();
  if (handle === undefined || found === undefined || !isWholeFile(found)) {
    await handle?.close();
    throw noResult();
  }
  return handle;
}

/** The synchronous variant, for checking both ends of a file. The caller closes the descriptor. */
export function openOutputNow(path: string): { readonly descriptor: number; readonly sizeBytes: number } {
  let descriptor: number;
  try {
    descriptor = openSync(path, outputFlags);
  } catch {
    throw noResult();
  }
  const found = fstatSync(descriptor);
  if (isWholeFile(found)) return { descriptor, sizeBytes: found.size };
  closeSync(descriptor);
  throw noResult();
}

const outputFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function isWholeFile(found: Stats): boolean {
  return found.isFile() && found.nlink === 1 && found.size > 0;
}

function noResult(): FilemillError {
  return new FilemillError("CONVERSION_FAILED", "The conversion gave no result; the file may contain nothing that the format can store.");
}

async function adoptOutput(from: string, to: string): Promise<void> {
  const handle = await openOutput(from);
  await handle.close();
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

/** A file beside the result for a step on the way to it. It is removed when it is disposed. */
export function stepFile({ outputPath }: Pick<HopTask, "outputPath">, name: string) {
  const path = `${outputPath}.${name}`;
  return {
    path,
    as: async (format: string): Promise<FileRef> => ({ path, format, sizeBytes: (await stat(path)).size }),
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  };
}

/**
 * When a hanging probe is given up. A working probe may take many seconds: startup probes dozens
 * of tools at once, on any machine, and an engine that is too slow is absent until the next start.
 */
export const probeMs = 60_000;

/** Finds the version in the first line that a program prints. */
export function probeOf(program: string, args: readonly string[], version: RegExp): Engine["probe"] {
  return async (sandbox) => version.exec((await versionLineOf(sandbox, program, args)) ?? "")?.[1];
}

/** For a program that prints its version further down, or fails although it prints it. */
export function probeInOutput(program: string, args: readonly string[], version: RegExp): Engine["probe"] {
  return async (sandbox) => {
    const end = await sandbox.run({ program, args, limits: { wallMs: probeMs } }).catch(() => undefined);
    return version.exec(`${end?.stdout}${end?.stderr}`)?.[1];
  };
}

/** First line of a program's output, or undefined if it does not run in the sandbox. */
export async function versionLineOf(sandbox: Sandbox, program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const end = await sandbox.run({ program, args, limits: { wallMs: probeMs } });
    const line = `${end.stdout}\n${end.stderr}`.trim().split("\n")[0];
    return end.killed === undefined && end.exitCode === 0 && line !== "" ? line : undefined;
  } catch {
    return undefined;
  }
}
