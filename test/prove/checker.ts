/**
 * Runs checks in a separate process: readers are native code that parses an engine's output, and a crash must not end thousands of proofs.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Case, Evidence } from "./evidence.ts";
import { messageOf } from "./message-of.ts";
import type { KnownFile } from "./samples.ts";

export type Given = Omit<Case, "readAs">;
export type Question = { readonly given: Given } | { readonly made: KnownFile | string };
/** A conversion that a reader needs: of the result, or of another file. */
export type Wanted = { readonly engine: string; readonly to: string; readonly of?: KnownFile };
export type Said = { readonly wanted: Wanted } | { readonly evidence: Evidence | string; readonly memoryBytes: number };

export type Checker = AsyncDisposable & {
  /**
   * Evidence, or what is wrong with the result. One at a time. A check that crashed its process
   * is repeated once in another one, and reported; the second time it counts as failed.
   */
  check(given: Given, make: Make): Promise<Evidence | string>;
};

/** The caller removes the file. */
export type Make = (wanted: Wanted) => Promise<KnownFile>;

export type CheckerOptions = {
  /** For files that readers unpack. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program; tests replace it. */
  readonly program?: string;
  readonly timeoutMs?: number;
  say(line: string): void;
};

/** Libraries and cached samples make a process grow; a new one starts in less than a second. */
const maxChecks = 500;
const maxBytes = 1e9;
const defaultTimeoutMs = 90_000;

export function openChecker(options: CheckerOptions): Checker {
  const { folder, say, timeoutMs = defaultTimeoutMs } = options;
  let child: ChildProcess | undefined;
  let checks = 0;
  let isClosed = false;

  async function started(): Promise<ChildProcess> {
    if (child !== undefined && hasEnded(child)) await end();
    if (child !== undefined) return child;
    checks = 0;
    await mkdir(folder, { recursive: true });
    child = fork(options.program ?? join(import.meta.dirname, "check-child.ts"), {
      // In its own process group, so that programs it started end with it.
      detached: true,
      serialization: "advanced",
      env: { ...options.env, TMPDIR: folder },
    });
    return child.on("error", onError);
  }

  async function end(): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending !== undefined) await endGroup(ending);
    // Programs started by a reader are ending and may still write.
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  async function attempt(given: Given, make: Make): Promise<Answer> {
    if (isClosed) return { evidence: closed, memoryBytes: 0 };
    const answer = await answerOf(await started(), given, make, timeoutMs);
    checks += 1;
    if ("died" in answer || checks >= maxChecks || answer.memoryBytes > maxBytes || answer.evidence === late) await end();
    return answer;
  }

  return {
    async check(given, make) {
      const first = await attempt(given, make);
      if ("evidence" in first) return first.evidence;
      const name = `${given.sample.format} > ${given.result.format} by ${given.writer}`;
      if (!isClosed) say(`  the check of ${name} died (${first.died}): once more`);
      const second = await attempt(given, make);
      if ("evidence" in second) return second.evidence;
      if (!isClosed) say(`  the check of ${name} died again (${second.died})`);
      return `the check died: ${second.died}`;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await end();
    },
  };
}

const closed = "the checker was closed";
const late = "the check took too long";

type Answer = { readonly evidence: Evidence | string; readonly memoryBytes: number } | { readonly died: string };

/** Never rejects. */
function answerOf(child: ChildProcess, given: Given, make: Make, timeoutMs: number): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const onExit = (code: number | null, signal: string | null) => resolve({ died: signal ?? `exit code ${code}` });
  const onMessage = (said: Said) => {
    if ("evidence" in said) resolve(said);
    else make(said.wanted).then(tell, (error: unknown) => tell(messageOf(error)));
  };
  const tell = (made: KnownFile | string) => send(child, { made });
  child.on("exit", onExit).on("message", onMessage);
  const timer = setTimeout(() => resolve({ evidence: late, memoryBytes: 0 }), timeoutMs);
  send(child, { given });
  return promise.finally(() => {
    clearTimeout(timer);
    child.off("exit", onExit).off("message", onMessage);
  });
}

/** A failed send shows up as the child's exit. */
function send(child: ChildProcess, question: Question): void {
  if (child.connected) child.send(question, () => undefined);
}

function onError(): void {
  // A process that could not be started or written to will exit.
}

async function endGroup(child: ChildProcess): Promise<void> {
  const exited = hasEnded(child) || child.pid === undefined ? undefined : once(child, "exit");
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group has already ended.
  }
  await exited;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
