/** Starts one sandboxed tree, limits it, and reports how it ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { FilemillError } from "#contract/errors.ts";
import type { SandboxEnd, SandboxLimits } from "../domain/sandbox.ts";
import { beginNicely } from "./priority.ts";
import { startWatchdog } from "./watchdog.ts";

export type KillReason = NonNullable<SandboxEnd["killed"]>;

/** How to start a tree: a launcher (bubblewrap, or the Landlock helper) and what it reads from its descriptors. */
export type Launch = {
  readonly launcher: string;
  /** Used as argv[0] instead of the launcher's path. */
  readonly name?: string;
  readonly args: readonly string[];
  /** The launcher reads this from descriptor 3, to its end. */
  readonly settings: string;
  /** Opened as descriptor 4. */
  readonly seccompProgram: string;
  /** The launcher writes to descriptor 5 once the program runs, and again when it has ended. */
  startedBy(status: string): boolean;
  /** Ends the whole tree. */
  end(child: ChildProcess): void;
};

export type TreeOptions = {
  readonly limits: SandboxLimits;
  readonly folder: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** The program exchanges requests and answers, in lines of any length. */
  readonly conversation: boolean;
  onLine?: ((line: string) => void) | undefined;
};

export type Tree = {
  readonly pid: number;
  readonly stdin: Writable | undefined;
  /** Rejects with UNAVAILABLE if the sandbox could not be set up. */
  readonly ended: Promise<SandboxEnd>;
  kill(reason: KillReason | undefined): void;
  /** Whether a job is running in it. Initially true. */
  setBusy(isBusy: boolean): void;
};

export function startTree(launch: Launch, options: TreeOptions): Tree {
  const seccomp = openSync(launch.seccompProgram, "r");
  // No environment: the launcher stays inside as pid 1 and would expose this process's in /proc/1/environ.
  const child = spawn(launch.launcher, [...launch.args], {
    ...(launch.name === undefined ? {} : { argv0: launch.name }),
    env: {},
    cwd: "/",
    detached: true,
    stdio: [options.conversation ? "pipe" : "ignore", "pipe", "pipe", "pipe", seccomp, "pipe"],
  });
  closeSync(seccomp);
  // The launcher is still waiting for its settings. Whatever it starts inherits this priority until the watchdog's first check.
  if (child.pid !== undefined) beginNicely(child.pid, options.limits.niceness);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  let killed: KillReason | undefined;
  let killedByUs = false;
  const kill = (reason: KillReason | undefined) => {
    if (killedByUs || !isRunning()) return;
    killed = reason;
    killedByUs = true;
    launch.end(child);
  };
  const watching = watch(child, options, kill);
  const stdout = headOf(child.stdout, isRunning, options.onLine, options.conversation ? maxAnswerBytes : headBytes);
  const stderr = headOf(child.stderr, isRunning);
  const status = headOf(readableOf(Array.from<unknown>(child.stdio)[5]), isRunning);
  const settings = writableOf(child.stdio[3]);
  settings?.on("error", () => undefined);
  settings?.end(launch.settings);
  child.stdin?.on("error", () => undefined);

  const ended = new Promise<SandboxEnd>((resolve, reject) => {
    child.on("error", (cause) => {
      watching.stop();
      reject(new FilemillError("UNAVAILABLE", "The sandbox could not be started.", { cause }));
    });
    child.on("close", (code, signal) => {
      watching.stop();
      if (!killedByUs && signal === null && !launch.startedBy(status())) {
        const cause = new Error(stderr().trim().split("\n")[0] ?? "");
        reject(new FilemillError("UNAVAILABLE", "The sandbox could not be set up.", { cause }));
        return;
      }
      const processorMs = watching.processorMs();
      const outputBytes = Math.min(options.limits.fileBytes, options.limits.folderBytes);
      resolve({ killed, ...endOf(code, signal), stdout: stdout(), stderr: stderr(), processorMs, outputBytes });
    });
  });
  return { pid: child.pid ?? 0, stdin: child.stdin ?? undefined, ended, kill, setBusy: watching.setBusy };
}

/** The launchers report a signal as shells do, as 128 plus its number. */
function endOf(code: number | null, signal: string | null): Pick<SandboxEnd, "exitCode" | "signal"> {
  if (code === null) return { exitCode: undefined, signal: signal ?? undefined };
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return name === undefined ? { exitCode: code, signal: undefined } : { exitCode: undefined, signal: name };
}

function watch(child: ChildProcess, options: TreeOptions, kill: (reason: KillReason) => void) {
  const { limits, folder, signal } = options;
  const abort = () => kill("aborted");
  const wall = limits.wallMs > 0 ? setTimeout(() => kill("timeout"), limits.wallMs).unref() : undefined;
  const watchdog = child.pid === undefined ? undefined : startWatchdog(child.pid, folder, limits, kill);
  if (signal?.aborted === true) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return {
    setBusy: (isBusy: boolean) => watchdog?.setBusy(isBusy),
    processorMs: () => watchdog?.processorMs() ?? 0,
    stop() {
      clearTimeout(wall);
      watchdog?.stop();
      signal?.removeEventListener("abort", abort);
    },
  };
}

const headBytes = 64 * 1024;
/** A longer line of a persistent child is cut off, so it no longer counts as an answer. */
const maxAnswerBytes = 16 * 2 ** 20;

/** Pause after each 64 KiB beyond the head of a program's output. Without it, the program could keep this process busy. */
const drainPauseMs = 10;
/** Handling a write costs as much as handling this many bytes. */
const bytesPerWrite = 1024;

/** Keeps the first 64 KiB of a stream and drains the rest slowly, so that a chatty program neither blocks nor fills the memory. */
function headOf(
  stream: Readable | null,
  isRunning: () => boolean,
  onLine?: (line: string) => void,
  maxLineBytes = headBytes,
): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  let drained = 0;
  let parts: string[] = [];
  let partBytes = 0;
  stream?.on("error", () => undefined);
  stream?.on("data", (chunk: Buffer) => {
    if (length < headBytes) {
      const kept = chunk.subarray(0, headBytes - length);
      chunks.push(kept);
      length += kept.length;
    } else if (onLine === undefined && isRunning()) {
      drained += Math.max(chunk.length, bytesPerWrite);
      if (drained >= headBytes) {
        drained = 0;
        stream.pause();
        setTimeout(() => stream.resume(), drainPauseMs);
      }
    }
    if (onLine === undefined) return;
    const text = chunk.toString("latin1");
    if (partBytes < maxLineBytes) parts.push(text);
    partBytes += text.length;
    if (!text.includes("\n")) return;
    const lines = parts.join("").split("\n");
    const rest = lines.pop() ?? "";
    parts = [rest];
    partBytes = rest.length;
    for (const complete of lines) onLine(Buffer.from(complete, "latin1").toString());
  });
  return () => Buffer.concat(chunks).toString();
}

function readableOf(stream: unknown): Readable | null {
  return stream !== null && typeof stream === "object" && "on" in stream && "read" in stream ? (stream as Readable) : null;
}

function writableOf(stream: unknown): Writable | null {
  return stream !== null && typeof stream === "object" && "write" in stream && "end" in stream ? (stream as Writable) : null;
}
