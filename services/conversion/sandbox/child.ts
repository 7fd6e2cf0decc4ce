/** A persistent program in the sandbox that answers each line of JSON with another. */
import { FilemillError } from "#contract/errors.ts";
import { EngineFault, OutputTooLarge } from "../domain/failure.ts";
import { failureOfEnd, timeoutError, worksTooMuch } from "../domain/process-end.ts";
import type { RequestBounds, SandboxChild, SandboxEnd, SandboxLimits } from "../domain/sandbox.ts";
import { type Launch, startTree, type Tree } from "./process-tree.ts";
import type { Scratch } from "./scratch.ts";
import { createCpuMeter, folderBytesOf, memoryOf } from "./usage.ts";

type Pending = { resolve(answer: unknown): void; reject(error: FilemillError): void; release(): void };

/** Takes over the scratch folder, which is removed when the child has ended. */
export function startChild(launch: Launch, scratch: Scratch, limits: SandboxLimits, signal: AbortSignal | undefined): SandboxChild {
  return new Child(launch, scratch, limits, signal);
}

class Child implements SandboxChild {
  readonly folder: string;
  readonly ended: Promise<SandboxEnd>;
  readonly #tree: Tree;
  #pending: Pending | undefined;
  #alive = true;
  #isOurs = false;

  constructor(launch: Launch, scratch: Scratch, limits: SandboxLimits, signal: AbortSignal | undefined) {
    this.folder = scratch.path;
    const onLine = (line: string): void => this.#answered(line);
    this.#tree = startTree(launch, { limits, folder: scratch.path, signal, conversation: true, onLine });
    const finish = async (end: SandboxEnd | undefined): Promise<void> => {
      this.#alive = false;
      this.#settle((waiting) => waiting.reject(errorOf(end, this.#isOurs)));
      await scratch[Symbol.asyncDispose]();
    };
    this.ended = this.#tree.ended.then(
      (end) => finish(end).then(() => end),
      (error) => finish(undefined).then(() => Promise.reject(error)),
    );
    this.ended.catch(() => undefined);
  }

  get pid(): number {
    return this.#tree.pid;
  }

  get alive(): boolean {
    return this.#alive;
  }

  request(message: unknown, bounds: RequestBounds): Promise<unknown> {
    if (!this.#alive) return Promise.reject(new EngineFault("lost", "before it was asked"));
    if (this.#pending !== undefined) return Promise.reject(new FilemillError("INTERNAL", "A sandboxed child was asked twice at once."));
    return new Promise((resolve, reject) => {
      const stop = (error: FilemillError): void => {
        this.#settle((waiting) => waiting.reject(error));
        this.#tree.kill("timeout");
      };
      this.#pending = { resolve, reject, release: watchRequest(this.pid, this.folder, bounds, stop) };
      if (bounds.signal?.aborted === true) return stop(cancelled());
      this.#tree.setBusy(true);
      this.#tree.stdin?.write(`${JSON.stringify(message)}\n`);
    });
  }

  async memoryBytes(): Promise<number> {
    return memoryOf(this.pid);
  }

  kill(): void {
    this.#isOurs = true;
    this.#tree.kill(undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.ended.catch(() => undefined);
  }

  #answered(line: string): void {
    const answer = answerOf(line);
    // A program that prints anything but an answer cannot be trusted to answer the right question next time.
    if (answer === undefined || this.#pending === undefined) this.kill();
    else this.#settle((waiting) => waiting.resolve(answer.value));
  }

  #settle(use: (waiting: Pending) => void): void {
    const waiting = this.#pending;
    this.#pending = undefined;
    this.#tree.setBusy(false);
    if (waiting === undefined) return;
    waiting.release();
    use(waiting);
  }
}

/** Calls `stop` if the request reaches one of its limits or its answer is no longer wanted. Returns a function that ends this. */
function watchRequest(pid: number, folder: string, bounds: RequestBounds, stop: (error: FilemillError) => void): () => void {
  const late = () => stop(timeoutError());
  const timer = setTimeout(late, bounds.timeoutMs);
  const processor = watchProcessor(pid, bounds.cpuSeconds, () => stop(worksTooMuch()));
  const full = watchFolder(folder, bounds.outputBytes, (limitBytes) => stop(new OutputTooLarge(limitBytes)));
  const abort = () => stop(cancelled());
  bounds.signal?.addEventListener("abort", abort, { once: true });
  return () => {
    clearTimeout(timer);
    clearInterval(full);
    const spentMs = processor.stop();
    bounds.onSpent?.(spentMs);
    bounds.signal?.removeEventListener("abort", abort);
  };
}

function cancelled(): FilemillError {
  return new FilemillError("JOB_CANCELLED", "The job was cancelled.");
}

const lookMs = 1000;

/** Counts from its first check: most requests are answered before it and cost nothing. Unobserved time counts as one busy CPU. */
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
    /** CPU time in ms. */
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

/** A child that ended during a request without being stopped from here was lost, whatever its exit code. The next one may succeed. */
function errorOf(end: SandboxEnd | undefined, isOurs: boolean): FilemillError {
  if (isOurs && end?.killed === undefined) return new FilemillError("CONVERSION_FAILED", "The engine was stopped before it answered.");
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
