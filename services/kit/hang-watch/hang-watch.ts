/** Ends this process if its main thread hangs. Whatever started it restarts it (decision 35). */
import process from "node:process";
import { Worker } from "node:worker_threads";
import type { Log } from "#kit/log.ts";

/** A thread that only waits needs little memory. Node's defaults are for threads that work. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8, stackSizeMb: 1 };
const longestTickMs = 1000;
const ticksPerLimit = 20;

export type HangWatchSettings = {
  /** How long one turn of the event loop may take; 0: no limit. */
  readonly WATCHDOG_MS: number;
};

/**
 * Watches from its own thread until it is disposed. A process that is stopped, suspended or without CPU time does not count as hanging: the
 * thread measures its own pauses and ignores any that was too long.
 *
 * @param keeper - Process id of the parent that would restart this process, as the keeper sets it in FILEMILL_KEEPER. When the keeper has
 *   died, this process gets a SIGTERM.
 */
export function startHangWatch({ WATCHDOG_MS }: HangWatchSettings, log: Log, keeper: string | undefined): Disposable {
  const parent = process.ppid === Number(keeper) ? process.ppid : undefined;
  if (WATCHDOG_MS === 0 && parent === undefined) return { [Symbol.dispose]: () => {} };
  const limitMs = WATCHDOG_MS === 0 ? Number.POSITIVE_INFINITY : WATCHDOG_MS;
  const tickMs = Math.min(longestTickMs, limitMs / ticksPerLimit);
  /** Turns of the event loop, and whether to stop. */
  const state = new Int32Array(new SharedArrayBuffer(8));
  const beat = setInterval(() => Atomics.add(state, 0, 1), tickMs / 2).unref();
  const worker = new Worker(new URL("./watch-thread.mjs", import.meta.url), {
    workerData: { state, tickMs, limitMs, keeper: parent },
    resourceLimits,
    // Modules preloaded into this process have no place in the thread.
    execArgv: [],
    env: {},
  });
  worker.unref();
  worker.on("error", (error) => log.error("process.unwatched", { error: error.message }));
  return {
    [Symbol.dispose]() {
      clearInterval(beat);
      Atomics.store(state, 1, 1);
      Atomics.notify(state, 1);
    },
  };
}
