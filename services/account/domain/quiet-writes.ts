import type { Log } from "#kit/log.ts";

/** Writes that nobody waits for, such as when something was last used. */
export type QuietWrites = AsyncDisposable & {
  /** Begins the write unless one of the same key is under way; never throws and never waits. */
  begin(key: string, write: () => Promise<unknown>): void;
};

/** Disposing waits for the writes that are under way. @param event - Logged when one fails. */
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
