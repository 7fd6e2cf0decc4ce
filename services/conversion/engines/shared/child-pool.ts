/** Warm processes: each serves one job at a time and is replaced before it is worn out. */
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import type { SandboxChild, SandboxEnd } from "#services/conversion/domain/sandbox.ts";

/**
 * A start costs as much as a hundred small pictures. This limit and the time limit bound what a compromised child can see of later jobs.
 */
const jobsPerChild = 1000;
/** Measured from its first job. Each child gets a random part of it, so that they are not all replaced at once. */
const longestUseMs = 10 * 60_000;
const maxIdleBytes = 600 * 2 ** 20;
/** Measuring memory costs a tenth of a small picture. */
const lookJobs = 10;
const lookMs = 1000;
/** For a child that hangs: on a slow machine with many starting at once, an office takes half a minute. */
const startMs = 180_000;
/** On a host where children cannot start, a start is retried after a growing pause. */
const restartPauseMs = 1000;
const longestPauseMs = 5000;
/** Characters of a child's last output to log. */
const saidLength = 500;

export type PoolOptions = {
  /** How many may be busy at once. The pool grows up to this number on demand and shrinks as children wear out. */
  readonly size: number;
  /** How many are kept ready at all times, even before the first job; 0 if jobs are rare. */
  readonly warm: number;
  /** How long a child is used before it is replaced, in ms; ten minutes by default. */
  readonly useMs?: number;
  /** How many jobs a child serves before it is replaced; a thousand by default. */
  readonly jobs?: number;
  /** If set, a used child gets a successor unless one is already idle. A child that has been idle for this many ms is ended. */
  readonly successorMs?: number;
  start(): Promise<SandboxChild>;
  log(event: string, fields?: Readonly<Record<string, unknown>>): void;
};

export type Pool = AsyncDisposable & {
  /** Hands out a warm child. The caller returns it, with `fit` false if anything odd happened. */
  take(signal: AbortSignal): Promise<SandboxChild>;
  /** While `fit` is pending, no replacement is started for it. */
  giveBack(child: SandboxChild, fit: boolean | Promise<boolean>): void;
};

type Waiter = { resolve(child: SandboxChild): void; reject(error: unknown): void };
type Past = { jobs: number; lookedAt: number };

/** Starts the warm children at once. */
export function createPool(options: PoolOptions): Pool {
  return new WarmPool(options);
}

class WarmPool implements Pool {
  readonly #options: PoolOptions;
  readonly #all = new Set<SandboxChild>();
  /** Started and not worn. A worn child keeps serving only while there are fewer of these than `warm`. */
  readonly #able = new Set<SandboxChild>();
  readonly #idle: SandboxChild[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #pasts = new WeakMap<SandboxChild, Past>();
  #starting = 0;
  #returning = 0;
  #failures = 0;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#fill();
  }

  async take(signal: AbortSignal): Promise<SandboxChild> {
    signal.throwIfAborted();
    // A dead child stays in the list until its folder is gone.
    for (let child = this.#idle.pop(); child !== undefined; child = this.#idle.pop()) if (child.alive) return child;
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      this.#waiting.push(waiter);
      signal.addEventListener("abort", () => {
        remove(this.#waiting, waiter);
        reject(signal.reason);
      });
      this.#fill();
    });
  }

  giveBack(child: SandboxChild, fit: boolean | Promise<boolean>): void {
    void this.#takeBack(child, fit);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#waiting.splice(0)) waiter.reject(new FilemillError("UNAVAILABLE", "The engine is closing."));
    await Promise.all([...this.#all].map((child) => child[Symbol.asyncDispose]()));
  }

  #offer(child: SandboxChild): void {
    const waiter = this.#waiting.shift();
    if (waiter !== undefined) {
      waiter.resolve(child);
      return;
    }
    this.#idle.push(child);
    const { successorMs } = this.#options;
    if (successorMs !== undefined) setTimeout(() => this.#wear(child), successorMs).unref();
  }

  #fill(): void {
    const { warm, size } = this.#options;
    const lacking = Math.max(0, this.#waiting.length - this.#returning);
    const busy = this.#able.size - this.#idle.filter((child) => this.#able.has(child)).length;
    const wanted = Math.max(warm, Math.min(size, busy + lacking));
    while (!this.#closed && this.#able.size + this.#starting < wanted) this.#start();
  }

  #start(): void {
    if (this.#closed) return;
    this.#starting += 1;
    void this.#add();
  }

  async #add(): Promise<void> {
    let child: SandboxChild | undefined;
    try {
      child = await this.#options.start();
      this.#all.add(child);
      const started = child;
      child.ended.catch(() => undefined).finally(() => this.#forget(started));
      await child.request({ ready: true }, { timeoutMs: startMs });
      this.#starting -= 1;
      this.#failures = 0;
      if (this.#closed) return child.kill();
      if (child.alive) this.#able.add(child);
      this.#offer(child);
      this.#endSpent();
    } catch (error) {
      logFailedStart(this.#options.log, error, child);
      this.#startFailed(error);
    }
  }

  #startFailed(error: unknown): void {
    for (const waiter of this.#waiting.splice(0))
      waiter.reject(new FilemillError("UNAVAILABLE", "The engine does not start.", { cause: error }));
    this.#failures += 1;
    const goOn = (): void => {
      this.#starting -= 1;
      this.#fill();
    };
    setTimeout(goOn, Math.min(longestPauseMs, restartPauseMs * this.#failures)).unref();
  }

  #forget(child: SandboxChild): void {
    this.#all.delete(child);
    this.#able.delete(child);
    remove(this.#idle, child);
    if (this.#options.successorMs !== undefined && this.#pasts.has(child) && this.#idle.length + this.#starting === 0) this.#start();
    this.#fill();
  }

  async #takeBack(child: SandboxChild, looking: boolean | Promise<boolean>): Promise<void> {
    this.#returning += 1;
    const fit = await looking;
    this.#returning -= 1;
    const past = this.#pastOf(child);
    past.jobs += 1;
    if (!child.alive) return this.#fill();
    if (past.jobs >= (this.#options.jobs ?? jobsPerChild)) this.#able.delete(child);
    if (!fit || this.#closed || this.#isSpent(child)) return child.kill();
    this.#offer(child);
    this.#fill();
    // After the child is offered: measuring memory must not delay a job.
    const now = performance.now();
    if (past.jobs % lookJobs !== 0 && now - past.lookedAt < lookMs) return;
    past.lookedAt = now;
    if ((await child.memoryBytes()) >= maxIdleBytes) this.#wear(child);
  }

  #pastOf(child: SandboxChild): Past {
    const known = this.#pasts.get(child);
    if (known !== undefined) return known;
    const past = { jobs: 0, lookedAt: Number.NEGATIVE_INFINITY };
    this.#pasts.set(child, past);
    const useMs = (this.#options.useMs ?? longestUseMs) * (0.5 + Math.random() / 2);
    const timer = setTimeout(() => this.#wear(child), useMs).unref();
    child.ended.catch(() => undefined).finally(() => clearTimeout(timer));
    return past;
  }

  /** A busy child goes when it is given back, a warm one once its successor is ready. */
  #wear(child: SandboxChild): void {
    this.#able.delete(child);
    this.#fill();
    this.#endSpent();
  }

  #isSpent(child: SandboxChild): boolean {
    return !this.#able.has(child) && this.#able.size >= this.#options.warm;
  }

  #endSpent(): void {
    for (const child of this.#idle.filter((each) => this.#isSpent(each))) {
      remove(this.#idle, child);
      child.kill();
    }
  }
}

function remove<T>(list: T[], item: T): void {
  const place = list.indexOf(item);
  if (place >= 0) list.splice(place, 1);
}

/** Logs the child's last output, which is safe: before its first job it has seen no user's file. */
function logFailedStart(log: PoolOptions["log"], error: unknown, child: SandboxChild | undefined): void {
  const tell = (end?: SandboxEnd) => {
    const said = end === undefined ? {} : { exitCode: end.exitCode, signal: end.signal, stderr: end.stderr.trim().slice(-saidLength) };
    log("child.start-failed", { err: error, ...said });
  };
  if (child === undefined || child.alive) tell();
  else child.ended.then(tell, () => tell());
}

export type Wiping = {
  /** Names that a job may leave in the child's folder. Any other name marks a compromised child. */
  readonly expected?: readonly string[];
  /** A name that stays for the next job. */
  readonly keeps?: string;
};

/** Removes everything that a job left behind. Returns whether the child is fit for the next one. */
export async function isWiped(child: SandboxChild, { expected, keeps }: Wiping = {}): Promise<boolean> {
  if (!child.alive) return false;
  try {
    // Synchronous because the folder is nearly always empty.
    const left = readdirSync(child.folder).filter((name) => name !== keeps);
    await Promise.all(left.map((name) => rm(join(child.folder, name), { recursive: true, force: true })));
    return expected === undefined || left.every((name) => expected.includes(name));
  } catch {
    return false;
  }
}
