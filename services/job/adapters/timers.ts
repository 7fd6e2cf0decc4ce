import type { Log } from "#kit/log.ts";

export type Timers = AsyncDisposable & {
  /** Runs `work` now and then `periodMs` after each end of it, never twice at once. A rejection is logged and does not stop it. */
  every(name: string, periodMs: number, work: () => Promise<unknown>): void;
};

/** Disposing stops them and waits for what runs. */
export function openTimers(log: Log, signal: AbortSignal): Timers {
  const stop = new AbortController();
  const stopped = AbortSignal.any([stop.signal, signal]);
  const loops: Promise<void>[] = [];
  const pause = (periodMs: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        stopped.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, periodMs);
      timer.unref();
      stopped.addEventListener("abort", end);
    });
  const loop = async (name: string, periodMs: number, work: () => Promise<unknown>): Promise<void> => {
    while (!stopped.aborted) {
      await work().catch((error: unknown) => log.warn(`${name}_failed`, { error: String(error) }));
      if (!stopped.aborted) await pause(periodMs);
    }
  };
  return {
    every: (name, periodMs, work) => void loops.push(loop(name, periodMs, work)),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(loops);
    },
  };
}
