import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "#kit/log.ts";

export type Timers = AsyncDisposable & {
  /**
   * Runs `work` immediately, and again `periodMs` after each run ends, so that runs never overlap. A rejection is logged and does not stop
   * the timer. Disposing fires the signal.
   */
  every(name: string, periodMs: number, work: (signal: AbortSignal) => Promise<unknown>): void;
};

/** Disposing stops the timers and waits for work in progress. */
export function openTimers(log: Log): Timers {
  const stop = new AbortController();
  const { signal } = stop;
  const loops: Promise<void>[] = [];
  const loop = async (name: string, periodMs: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    while (!signal.aborted) {
      await work(signal).catch((error: unknown) => log.warn(`${name}_failed`, { error: String(error) }));
      await sleep(periodMs, undefined, { signal, ref: false }).catch(() => undefined);
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
