/** Ends this process when its main thread hangs: whoever started it starts it again (decision 35). */
import process from "node:process";
import { Worker } from "node:worker_threads";
import type { Log } from "#kit/log.ts";

/** A thread that only waits needs little; Node's own bounds are for threads that work. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8, stackSizeMb: 1 };
const longestTickMs = 1000;
const ticksPerLimit = 20;

export type HangWatchSettings = {
  /** How long the event loop may take for one turn; 0: for ever. */
  readonly WATCHDOG_MS: number;
};

/**
 * Watches from a thread of its own until it is disposed. A process that is stopped, suspended or has no processor does not count as hanging:
 * the thread measures its own pauses, and one that was longer than it should be counts for nothing.
 *
 * @param keeper - Process number of who started this process and would start it again, as the keeper says it in FILEMILL_KEEPER: when
 *   it has died, this process is told to end (SIGTERM).
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
    // What was loaded before this process has no business in there.
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
