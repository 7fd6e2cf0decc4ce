import type { Record } from "./state.ts";

/** A new job on its way into the store. */
export type Arrival = {
  readonly record: Record;
  /** Resolves when the write has ended, one way or the other. */
  readonly written: Promise<void>;
  /** Lets a worker begin before the write: this is what is written. False when it is too late. */
  begin(record: Record): boolean;
};

export type OpenArrival = Arrival & {
  /** What a worker that was woken in this turn of the event loop began with; undefined when none did. Too late from then on. */
  begun(): Promise<Record | undefined>;
  close(): void;
};

export function openArrival(record: Record): OpenArrival {
  const written = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<Record | undefined>();
  let isOpen = true;
  const end = (started: Record | undefined): void => {
    isOpen = false;
    begun.resolve(started);
  };
  return {
    record,
    written: written.promise,
    begin(started) {
      if (!isOpen) return false;
      end(started);
      return true;
    },
    begun() {
      // A call within the process comes before anything else does; one that has to wait for something is not worth waiting for.
      if (isOpen) setImmediate(() => end(undefined));
      return begun.promise;
    },
    close() {
      end(undefined);
      written.resolve();
    },
  };
}
