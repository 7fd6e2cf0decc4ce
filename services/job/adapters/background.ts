import type { Log } from "#kit/log.ts";
import type { Background } from "../domain/ports.ts";

/** Disposing fires the signal and waits for work in progress. */
export function openBackground(log: Log): Background & AsyncDisposable & { settled(): Promise<void> } {
  const running = new Set<Promise<void>>();
  const ending = new AbortController();
  const settled = async (): Promise<void> => {
    while (running.size > 0) await Promise.all(running);
  };
  return {
    signal: ending.signal,
    settled,
    run(event, work) {
      const task = work().then(
        () => undefined,
        (error: unknown) => log.warn(event, { error: String(error) }),
      );
      running.add(task);
      void task.finally(() => running.delete(task));
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await settled();
    },
  };
}
