/** Runs tasks when they are due, a few at a time. */
import type { Log } from "#kit/log.ts";

const maxRunning = 32;
/** A slow receiver does not block the others. */
const maxRunningPerHost = 4;
const maxTimerMs = 60_000;
/** Delay after an attempt that changed nothing: another process has claimed it, or this one saw the record late. */
const lookAgainMs = 2000;

export type Task = {
  readonly atMs: number;
  host(): string;
  /** Changes the record behind the task, so that another task, or none, takes its place. */
  run(signal: AbortSignal): Promise<unknown>;
};

export type Agenda = AsyncDisposable & {
  /** Undefined: nothing is left to do. */
  put(key: string, task: Task | undefined): void;
  /** Background work. Only disposing the agenda waits for it. */
  track(name: string, work: Promise<unknown>): void;
};

export function openAgenda({ log, now }: { readonly log: Log; now(): number }): Agenda {
  const due = new Map<string, Task>();
  const running = new Map<string, string>();
  const work = new Set<Promise<void>>();
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  const track = (name: string, task: Promise<unknown>): void => {
    const settledTask = task
      .then(() => undefined)
      .catch((error: unknown) => log.warn(`webhook.${name}_failed`, { error: String(error) }))
      .finally(() => work.delete(settledTask));
    work.add(settledTask);
  };
  const wake = (): void => {
    clearTimeout(timer);
    if (stop.signal.aborted) return;
    let nextMs = maxTimerMs;
    for (const [key, task] of due) {
      const waitMs = task.atMs - now();
      if (waitMs > 0) nextMs = Math.min(nextMs, waitMs);
      else if (running.size < maxRunning && !running.has(key)) begin(key, task);
    }
    timer = setTimeout(wake, nextMs);
  };
  const begin = (key: string, task: Task): void => {
    const host = task.host();
    if ([...running.values()].filter((each) => each === host).length >= maxRunningPerHost) return;
    running.set(key, host);
    const attempt = task.run(stop.signal).finally(() => {
      running.delete(key);
      if (due.get(key) === task) due.set(key, { ...task, atMs: now() + lookAgainMs });
      wake();
    });
    track("attempt", attempt);
  };

  return {
    put(key, task) {
      if (task === undefined) due.delete(key);
      else due.set(key, task);
      wake();
    },
    track,
    async [Symbol.asyncDispose]() {
      stop.abort();
      clearTimeout(timer);
      await Promise.all(work);
    },
  };
}

/** Expects an address that has been checked. */
export function hostOf(address: string): string {
  return URL.parse(address)?.host ?? "";
}
