/** Processes that stay warm: each serves one job at a time, and has a successor before it is worn. */
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import type { SandboxChild, SandboxEnd } from "#services/conversion/domain/sandbox.ts";

/**
 * Its start costs as much as a hundred small pictures; what a child that somebody took over may see of later jobs is bounded by this number
 * and by time.
 */
const jobsPerChild = 1000;
/** From its first job on. Each has a part of it, so that not all are replaced at once. */
const longestUseMs = 10 * 60_000;
const maxIdleBytes = 600 * 2 ** 20;
/** A look at memory costs as much as a tenth of a small picture. */
const lookJobs = 10;
const lookMs = 1000;
/** For one that hangs: with many beside it on a slow machine, an office takes half a minute. */
const startMs = 180_000;
/** A host on which children cannot start is asked again, but not without a pause, which grows. */
const restartPauseMs = 1000;
const longestPauseMs = 5000;
/** Of a child's last words. */
const saidLength = 500;

export type PoolOptions = {
  /** How many may be busy at once: so many there are while they are wanted, and until they are worn. */
  readonly size: number;
  /** How many are there before anybody asks, and at all times; 0 where work is rare. */
  readonly warm: number;
  /** After how long in use a child is replaced, in ms; ten minutes when it is not said. */
  readonly useMs?: number;
  /** After how many jobs it is; a thousand when it is not said. */
  readonly jobs?: number;
  /** Where this is said, a child that was used has a successor unless one waits already; it is ended when it has waited so many ms. */
  readonly successorMs?: number;
  start(): Promise<SandboxChild>;
  log(event: string, fields?: Readonly<Record<string, unknown>>): void;
};

export type Pool = AsyncDisposable & {
  /** Hands out a warm child; whoever got it returns it, `fit` false when something odd happened. */
  take(signal: AbortSignal): Promise<SandboxChild>;
  /** While that is being looked at, nobody has another one started in its place. */
  giveBack(child: SandboxChild, fit: boolean | Promise<boolean>): void;
};

type Waiter = { resolve(child: SandboxChild): void; reject(error: unknown): void };
type Past = { jobs: number; lookedAt: number };

/** Those that are to be warm begin to start at once. */
export function createPool(options: PoolOptions): Pool {
  return new WarmPool(options);
}

class WarmPool implements Pool {
  readonly #options: PoolOptions;
  readonly #all = new Set<SandboxChild>();
  /** Started and not worn. What is worn serves on only where there are fewer of these than are to be warm. */
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
    // One that has died is in there until its folder is gone.
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
    // Not before the next job: a look at memory must not delay anybody.
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

  /** One that is busy goes when it is given back, and one that is to be warm when its successor is there. */
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

/** With what it said last: before its first job it has seen no user's file. */
function logFailedStart(log: PoolOptions["log"], error: unknown, child: SandboxChild | undefined): void {
  const tell = (end?: SandboxEnd) => {
    const said = end === undefined ? {} : { exitCode: end.exitCode, signal: end.signal, stderr: end.stderr.trim().slice(-saidLength) };
    log("child.start-failed", { err: error, ...said });
  };
  if (child === undefined || child.alive) tell();
  else child.ended.then(tell, () => tell());
}

export type Wiping = {
  /** Names of what a job may leave in the child's folder, where others are the mark of a child that somebody took over. */
  readonly expected?: readonly string[];
  /** The name of what stays there for the next job. */
  readonly keeps?: string;
};

/** Nothing of a job is there for the next one. */
export async function isWiped(child: SandboxChild, { expected, keeps }: Wiping = {}): Promise<boolean> {
  if (!child.alive) return false;
  try {
    // Synchronous, since it is empty nearly always.
    const left = readdirSync(child.folder).filter((name) => name !== keeps);
    await Promise.all(left.map((name) => rm(join(child.folder, name), { recursive: true, force: true })));
    return expected === undefined || left.every((name) => expected.includes(name));
  } catch {
    return false;
  }
}
