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

export function createPool(options: PoolOptions): Pool {
  const idle: SandboxChild[] = [];
  const waiting: Waiter[] = [];
  const pasts = new WeakMap<SandboxChild, Past>();
  const all = new Set<SandboxChild>();
  /** Started and not worn. What is worn serves on only where there are fewer of these than are to be warm. */
  const able = new Set<SandboxChild>();
  let starting = 0;
  let returning = 0;
  let failures = 0;
  let closed = false;

  function offer(child: SandboxChild): void {
    const waiter = waiting.shift();
    if (waiter !== undefined) {
      waiter.resolve(child);
      return;
    }
    idle.push(child);
    if (options.successorMs !== undefined) setTimeout(() => wear(child), options.successorMs).unref();
  }

  function fill(): void {
    const lacking = Math.max(0, waiting.length - returning);
    const busy = able.size - idle.filter((child) => able.has(child)).length;
    const wanted = Math.max(options.warm, Math.min(options.size, busy + lacking));
    while (!closed && able.size + starting < wanted) start();
  }

  function start(): void {
    if (closed) return;
    starting += 1;
    void add();
  }

  async function add(): Promise<void> {
    let child: SandboxChild | undefined;
    try {
      child = await options.start();
      all.add(child);
      const started = child;
      child.ended.catch(() => undefined).finally(() => forget(started));
      await child.request({ ready: true }, { timeoutMs: startMs });
      starting -= 1;
      failures = 0;
      if (closed) return child.kill();
      if (child.alive) able.add(child);
      offer(child);
      endSpent();
    } catch (error) {
      logFailedStart(error, child);
      for (const waiter of waiting.splice(0))
        waiter.reject(new FilemillError("UNAVAILABLE", "The engine does not start.", { cause: error }));
      failures += 1;
      setTimeout(
        () => {
          starting -= 1;
          fill();
        },
        Math.min(longestPauseMs, restartPauseMs * failures),
      ).unref();
    }
  }

  /** With what it said last: before its first job it has seen no user's file. */
  function logFailedStart(error: unknown, child: SandboxChild | undefined): void {
    const log = (end?: SandboxEnd) => {
      const said = end === undefined ? {} : { exitCode: end.exitCode, signal: end.signal, stderr: end.stderr.trim().slice(-saidLength) };
      options.log("child.start-failed", { err: error, ...said });
    };
    if (child === undefined || child.alive) log();
    else child.ended.then(log, () => log());
  }

  function forget(child: SandboxChild): void {
    all.delete(child);
    able.delete(child);
    leave(child);
    if (options.successorMs !== undefined && pasts.has(child) && idle.length + starting === 0) start();
    fill();
  }

  function leave(child: SandboxChild): void {
    const place = idle.indexOf(child);
    if (place >= 0) idle.splice(place, 1);
  }

  async function take(signal: AbortSignal): Promise<SandboxChild> {
    signal.throwIfAborted();
    // One that has died is in there until its folder is gone.
    for (let child = idle.pop(); child !== undefined; child = idle.pop()) if (child.alive) return child;
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      waiting.push(waiter);
      signal.addEventListener("abort", () => {
        const place = waiting.indexOf(waiter);
        if (place >= 0) waiting.splice(place, 1);
        reject(signal.reason);
      });
      fill();
    });
  }

  async function giveBack(child: SandboxChild, looking: boolean | Promise<boolean>): Promise<void> {
    returning += 1;
    const fit = await looking;
    returning -= 1;
    const past = pastOf(child);
    past.jobs += 1;
    if (!child.alive) return fill();
    if (past.jobs >= (options.jobs ?? jobsPerChild)) able.delete(child);
    if (!fit || closed || isSpent(child)) return child.kill();
    offer(child);
    fill();
    // Not before the next job: a look at memory must not delay anybody.
    const now = performance.now();
    if (past.jobs % lookJobs !== 0 && now - past.lookedAt < lookMs) return;
    past.lookedAt = now;
    if ((await child.memoryBytes()) >= maxIdleBytes) wear(child);
  }

  function pastOf(child: SandboxChild): Past {
    const known = pasts.get(child);
    if (known !== undefined) return known;
    const past = { jobs: 0, lookedAt: Number.NEGATIVE_INFINITY };
    pasts.set(child, past);
    const timer = setTimeout(() => wear(child), (options.useMs ?? longestUseMs) * (0.5 + Math.random() / 2)).unref();
    child.ended.catch(() => undefined).finally(() => clearTimeout(timer));
    return past;
  }

  /** One that is busy goes when it is given back, and one that is to be warm when its successor is there. */
  function wear(child: SandboxChild): void {
    able.delete(child);
    fill();
    endSpent();
  }

  function isSpent(child: SandboxChild): boolean {
    return !able.has(child) && able.size >= options.warm;
  }

  function endSpent(): void {
    for (const child of idle.filter(isSpent)) {
      leave(child);
      child.kill();
    }
  }

  async function close(): Promise<void> {
    closed = true;
    for (const waiter of waiting.splice(0)) waiter.reject(new FilemillError("UNAVAILABLE", "The engine is closing."));
    await Promise.all([...all].map((child) => child[Symbol.asyncDispose]()));
  }

  fill();
  return { take, giveBack: (child, fit) => void giveBack(child, fit), [Symbol.asyncDispose]: close };
}

/**
 * Nothing of a job is there for the next one. `expected`: names of what a job may leave in the child's folder, where others are the mark of a
 * child that somebody took over.
 */
export async function isWiped(child: SandboxChild, expected?: readonly string[]): Promise<boolean> {
  if (!child.alive) return false;
  try {
    // Synchronous, since it is empty nearly always.
    const left = readdirSync(child.folder);
    await Promise.all(left.map((name) => rm(join(child.folder, name), { recursive: true, force: true })));
    return expected === undefined || left.every((name) => expected.includes(name));
  } catch {
    return false;
  }
}
