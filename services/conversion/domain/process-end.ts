/** What the end of a sandboxed process means, before its exit code is considered: what ended it, and whose fault that is. */
import { FilemillError } from "#contract/errors.ts";
import { EngineFault, OutputTooLarge } from "./failure.ts";
import type { SandboxEnd } from "./sandbox.ts";

/** Signals that a process causes itself. Every other signal comes from outside. */
const ownSignals: ReadonlySet<string> = new Set(["SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGSYS", "SIGTRAP"]);

/** Messages of programs that ran out of memory, in C++, Node, C, Haskell and Python. */
const outOfMemory = /std::bad_alloc|heap out of memory|heap exhausted|out of memory|cannot allocate memory|^MemoryError/im;

/**
 * The failure of a process that was killed at one of its limits, by its own signal or from outside; undefined if it exited by itself,
 * with any exit code.
 */
export function failureOfEnd(end: SandboxEnd, isWarm = false): FilemillError | undefined {
  switch (end.killed) {
    case undefined:
      return end.signal === undefined ? undefined : failureOfSignal(end.signal, end, isWarm);
    case "timeout":
      return timeoutError();
    case "memory":
      return needsMemory();
    case "folder":
      return new OutputTooLarge(end.outputBytes);
    case "processor":
      return worksTooMuch();
    case "aborted":
      return new FilemillError("UNAVAILABLE", "The engine was stopped.");
    default:
      return end.killed satisfies never;
  }
}

export function timeoutError(): FilemillError {
  return new FilemillError(
    "CONVERSION_TIMEOUT",
    "The conversion reached its time limit; try a smaller file, or ask the operator for more time.",
  );
}

function failureOfSignal(signal: string, end: SandboxEnd, isWarm: boolean): FilemillError {
  if (signal === "SIGXCPU") return worksTooMuch();
  if (signal === "SIGXFSZ") return new OutputTooLarge(end.outputBytes);
  if (ownSignals.has(signal) && saysOutOfMemory(end)) return needsMemory();
  return new EngineFault(isWarm || !ownSignals.has(signal) ? "lost" : "crashed", signal);
}

/**
 * Exit codes of programs that handle SIGTERM themselves and then exit properly. systemd sends it to every process of a unit that it stops.
 */
const codesOfTheStopped: Readonly<Record<string, number>> = {
  "/usr/bin/ffmpeg": 255,
  "/usr/bin/convert-im6.q16": 15,
  "/usr/bin/magick-im7.q16": 15,
};

/** The failure of a program that was stopped from outside; undefined for every other exit code. */
export function failureOfStop(program: string, { exitCode }: Pick<SandboxEnd, "exitCode">): EngineFault | undefined {
  const wasStopped = exitCode !== undefined && exitCode === codesOfTheStopped[program];
  return wasStopped ? new EngineFault("lost", `exit code ${exitCode} of a program that was told to stop`) : undefined;
}

/** Whether a failed program reports that it ran out of memory. */
export function saysOutOfMemory({ stderr }: Pick<SandboxEnd, "stderr">): boolean {
  return outOfMemory.test(stderr);
}

export function needsMemory(): FilemillError {
  return new FilemillError("INPUT_TOO_COMPLEX", "The file needs more memory than a conversion is allowed to use.");
}

export function worksTooMuch(): FilemillError {
  return new FilemillError("CONVERSION_TIMEOUT", "The conversion needs far more work than is normal for files of this size.");
}
