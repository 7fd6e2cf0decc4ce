/** Warm converters: sandboxed processes that each serve one job at a time and are replaced before they age. */
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
/** For one that hangs: with many beside it on a slow machine, a start takes many seconds. */
const startMs = 120_000;
/** A host on which children cannot start is asked again, but not without a pause. */
const restartPauseMs = 1000;
/** Of a child's last words. */
const saidLength = 500;

export type PoolOptions = {
  /** How many may be busy at once. */
  readonly size: number;
  /**
   * How many are started before anybody asks and kept ready: `size + 1` where the first wait matters, so that the successor
   * of a worn one is warm when it is needed; 0 where work is rare.
   */
  readonly warm: number;
  /** After how long in use a child is replaced at the latest, in ms; ten minutes when it is not said. */
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

export function createPool(options: PoolOptions): Pool {
  const idle: SandboxChild[] = [];
  const waiting: Waiter[] = [];
  const served = new WeakMap<SandboxChild, number>();
  const all = new Set<SandboxChild>();
  const ready = new Set<SandboxChild>();
  const worn = new WeakSet<SandboxChild>();
  let starting = 0;
  let returning = 0;
  let closed = false;

  function offer(child: SandboxChild): void {
    const waiter = waiting.shift();
    if (waiter !== undefined) {
      waiter.resolve(child);
      return;
    }
    idle.push(child);
    if (options.successorMs !== undefined) setTimeout(() => retire(child), options.successorMs).unref();
  }

  function fill(): void {
    const lacking = Math.max(0, waiting.length - returning);
    const wanted = Math.max(options.warm, Math.min(options.size, ready.size - idle.length + lacking));
    while (!closed && ready.size + starting < wanted) start();
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
      if (child.alive) ready.add(child);
      if (closed) child.kill();
      else offer(child);
    } catch (error) {
      logFailedStart(error, child);
      for (const waiter of waiting.splice(0))
        waiter.reject(new FilemillError("UNAVAILABLE", "The engine does not start.", { cause: error }));
      setTimeout(() => {
        starting -= 1;
        fill();
      }, restartPauseMs).unref();
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
    ready.delete(child);
    const place = idle.indexOf(child);
    if (place >= 0) idle.splice(place, 1);
    if (options.successorMs !== undefined && served.has(child) && idle.length + starting === 0) start();
    fill();
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
    const jobs = (served.get(child) ?? 0) + 1;
    served.set(child, jobs);
    if (!child.alive) return fill();
    if (jobs === 1) wearOut(child);
    if (!fit || jobs >= (options.jobs ?? jobsPerChild) || worn.has(child) || closed) {
      child.kill();
      return;
    }
    offer(child);
    // Not before the next job: a look at memory must not delay anybody.
    if (jobs % 10 === 0) void retireWhenLarge(child);
  }

  function wearOut(child: SandboxChild): void {
    const timer = setTimeout(() => retire(child), (options.useMs ?? longestUseMs) * (0.5 + Math.random() / 2)).unref();
    child.ended.catch(() => undefined).finally(() => clearTimeout(timer));
  }

  async function retireWhenLarge(child: SandboxChild): Promise<void> {
    if ((await child.memoryBytes()) >= maxIdleBytes) retire(child);
  }

  /** One that is busy goes when it is given back. */
  function retire(child: SandboxChild): void {
    worn.add(child);
    const place = idle.indexOf(child);
    if (place < 0) return;
    idle.splice(place, 1);
    child.kill();
  }

  async function close(): Promise<void> {
    closed = true;
    for (const waiter of waiting.splice(0)) waiter.reject(new FilemillError("UNAVAILABLE", "The engine is closing."));
    await Promise.all([...all].map((child) => child[Symbol.asyncDispose]()));
  }

  fill();
  return { take, giveBack: (child, fit) => void giveBack(child, fit), [Symbol.asyncDispose]: close };
}
