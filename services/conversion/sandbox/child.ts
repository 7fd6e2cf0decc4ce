/** A persistent program in the sandbox that answers one line of JSON with another. */
import { FilemillError } from "#contract/errors.ts";
import { EngineFault, OutputTooLarge } from "../domain/failure.ts";
import { failureOfEnd, worksTooMuch } from "../domain/process-end.ts";
import type { RequestBounds, SandboxChild, SandboxEnd, SandboxLimits } from "../domain/sandbox.ts";
import { type Launch, startTree } from "./process-tree.ts";
import type { Scratch } from "./scratch.ts";
import { createCpuMeter, folderBytesOf, memoryOf } from "./usage.ts";

type Pending = { resolve(answer: unknown): void; reject(error: FilemillError): void };

/** Takes the scratch over: it is removed when the child has ended. */
export function startChild(launch: Launch, scratch: Scratch, limits: SandboxLimits, signal: AbortSignal | undefined): SandboxChild {
  let pending: Pending | undefined;
  let alive = true;
  let isOurs = false;

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
      if (answer === undefined || pending === undefined) end();
      else settle((waiting) => waiting.resolve(answer.value));
    },
  });

  async function finish(end: SandboxEnd | undefined): Promise<void> {
    alive = false;
    settle((waiting) => waiting.reject(errorOf(end, isOurs)));
    await scratch[Symbol.asyncDispose]();
  }

  const ended = tree.ended.then(
    (end) => finish(end).then(() => end),
    (error) => finish(undefined).then(() => Promise.reject(error)),
  );
  ended.catch(() => undefined);

  function request(message: unknown, options: RequestBounds): Promise<unknown> {
    if (!alive) return Promise.reject(new EngineFault("lost", "before it was asked"));
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
      const processor = watchProcessor(tree.pid, options.cpuSeconds, () => stop(worksTooMuch()));
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

  function end(): void {
    isOurs = true;
    tree.kill(undefined);
  }

  async function dispose(): Promise<void> {
    end();
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
    kill: end,
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

/** A child that ended while it was asked, and that nobody here ended, was lost, whatever its exit code: the next one may do better. */
function errorOf(end: SandboxEnd | undefined, isOurs: boolean): FilemillError {
  if (isOurs && end?.killed === undefined) return new FilemillError("CONVERSION_FAILED", "The engine was ended before it had answered.");
  const failure = end === undefined ? undefined : failureOfEnd(end, true);
  return failure ?? new EngineFault("lost", end === undefined ? "no sandbox" : `exit code ${end.exitCode}`);
}

function answerOf(line: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(line) };
  } catch {
    return undefined;
  }
}
