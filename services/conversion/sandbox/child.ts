/** A persistent program in the sandbox that answers one line of JSON with another. */
import { FilemillError } from "#kit/errors.ts";
import { OutputTooLarge } from "../domain/failure.ts";
import type { RequestBounds, SandboxChild, SandboxEnd, SandboxLimits } from "../domain/sandbox.ts";
import { type Launch, startTree } from "./process-tree.ts";
import type { Scratch } from "./scratch.ts";
import { createCpuMeter, folderBytesOf, memoryOf } from "./usage.ts";

type Pending = { resolve(answer: unknown): void; reject(error: FilemillError): void };

/** Takes the scratch over: it is removed when the child has ended. */
export function startChild(launch: Launch, scratch: Scratch, limits: SandboxLimits, signal: AbortSignal | undefined): SandboxChild {
  let pending: Pending | undefined;
  let alive = true;

  function settle(use: (waiting: Pending) => void): void {
    const waiting = pending;
    pending = undefined;
    tree.setBusy(false);
    if (waiting !== undefined) use(waiting);
  }

  const tree = startTree(launch, {
    limits,
    folder: scratch.path,
    signal,
    conversation: true,
    onLine: (line) => {
      const answer = answerOf(line);
      // A program that says something else than an answer cannot be trusted to answer the right question next time.
      if (answer === undefined || pending === undefined) tree.kill(undefined);
      else settle((waiting) => waiting.resolve(answer.value));
    },
  });

  async function finish(end: SandboxEnd | undefined): Promise<void> {
    alive = false;
    settle((waiting) => waiting.reject(errorOf(end)));
    await scratch[Symbol.asyncDispose]();
  }

  const ended = tree.ended.then(
    (end) => finish(end).then(() => end),
    (error) => finish(undefined).then(() => Promise.reject(error)),
  );
  ended.catch(() => undefined);

  function request(message: unknown, options: RequestBounds): Promise<unknown> {
    if (!alive) return Promise.reject(new FilemillError("CONVERSION_FAILED", "The engine has ended."));
    if (pending !== undefined) return Promise.reject(new FilemillError("INTERNAL", "A sandboxed child was asked twice at once."));
    return new Promise((resolve, reject) => {
      const stop = (error: FilemillError) => {
        settle((waiting) => waiting.reject(error));
        tree.kill("timeout");
      };
      const timer = setTimeout(
        () => stop(new FilemillError("CONVERSION_TIMEOUT", "The engine ran past its time limit.")),
        options.timeoutMs,
      );
      const processor = watchProcessor(tree.pid, options.cpuSeconds, () => stop(tooMuchWork()));
      const folder = watchFolder(scratch.path, options.outputBytes, (limitBytes) => stop(new OutputTooLarge(limitBytes)));
      const abort = () => stop(new FilemillError("JOB_CANCELLED", "The job was cancelled."));
      const finish = () => {
        clearTimeout(timer);
        clearInterval(folder);
        options.onSpent?.(processor.stop());
        options.signal?.removeEventListener("abort", abort);
      };
      pending = {
        resolve: (answer) => {
          finish();
          resolve(answer);
        },
        reject: (error) => {
          finish();
          reject(error);
        },
      };
      if (options.signal?.aborted === true) return abort();
      options.signal?.addEventListener("abort", abort, { once: true });
      tree.setBusy(true);
      tree.stdin?.write(`${JSON.stringify(message)}\n`);
    });
  }

  async function dispose(): Promise<void> {
    tree.kill(undefined);
    await ended.catch(() => undefined);
  }

  return {
    pid: tree.pid,
    folder: scratch.path,
    request,
    ended,
    get alive() {
      return alive;
    },
    memoryBytes: async () => memoryOf(tree.pid),
    kill: () => tree.kill(undefined),
    [Symbol.asyncDispose]: dispose,
  };
}

const lookMs = 1000;

/** Counts from its first look on: most requests are answered before it, and cost nothing. What is not looked at is one processor's. */
function watchProcessor(pid: number, limitSeconds = Number.POSITIVE_INFINITY, onUsedUp: () => void) {
  const cpuSecondsNow = createCpuMeter(pid);
  let beganWith: number | undefined;
  let seenMs = 0;
  let unseenMs = 0;
  let lookedAtMs = performance.now();
  const timer = setInterval(() => {
    const used = cpuSecondsNow();
    if (beganWith === undefined) unseenMs = performance.now() - lookedAtMs;
    beganWith ??= used;
    seenMs = (used - beganWith) * 1000;
    lookedAtMs = performance.now();
    if (seenMs / 1000 > limitSeconds) onUsedUp();
  }, lookMs).unref();
  return {
    /** Processor time in ms. */
    stop(): number {
      clearInterval(timer);
      return seenMs + unseenMs + performance.now() - lookedAtMs;
    },
  };
}

function watchFolder(folder: string, limitBytes: number | undefined, onFull: (limitBytes: number) => void): NodeJS.Timeout | undefined {
  if (limitBytes === undefined) return undefined;
  return setInterval(async () => {
    if ((await folderBytesOf(folder)) > limitBytes) onFull(limitBytes);
  }, lookMs).unref();
}

function errorOf(end: SandboxEnd | undefined): FilemillError {
  if (end === undefined) return new FilemillError("CONVERSION_FAILED", "The engine ended unexpectedly.");
  const { killed } = end;
  switch (killed) {
    case "memory":
      return new FilemillError("INPUT_TOO_COMPLEX", "The file needs more memory than a conversion may use.");
    case "folder":
      return new OutputTooLarge(end.outputBytes);
    case "aborted":
      return new FilemillError("UNAVAILABLE", "The engine was stopped.");
    case "processor":
      return tooMuchWork();
    case "timeout":
      return new FilemillError("CONVERSION_TIMEOUT", "The engine ran past its time limit.");
    case undefined:
      return new FilemillError("CONVERSION_FAILED", "The engine ended unexpectedly.");
    default:
      return killed satisfies never;
  }
}

function tooMuchWork(): FilemillError {
  return new FilemillError("CONVERSION_TIMEOUT", "The conversion needs far more work than files of this size do.");
}

function answerOf(line: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(line) };
  } catch {
    return undefined;
  }
}
