import type { Log } from "#kit/log.ts";

/** Background writes that nobody waits for, such as a time of last use. */
export type QuietWrites = AsyncDisposable & {
  /** Starts the write unless one with the same key is in progress. Never throws and never waits. */
  begin(key: string, write: () => Promise<unknown>): void;
};

/** Disposing waits for writes in progress. @param event - Logged when a write fails. */
export function createQuietWrites(log: Log, event: string): QuietWrites {
  const writing = new Map<string, Promise<void>>();
  return {
    begin(key, write) {
      if (writing.has(key)) return;
      const done = write()
        .then(
          () => undefined,
          (error: unknown) => log.warn(event, { error: String(error) }),
        )
        .finally(() => writing.delete(key));
      writing.set(key, done);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(writing.values());
    },
  };
}
