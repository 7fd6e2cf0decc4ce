import type { Record } from "./state.ts";

/** A new job on its way into the store. */
export type Arrival = {
  readonly record: Record;
  /** Resolves when the write has ended, one way or the other. */
  readonly written: Promise<void>;
  /** Lets a worker begin before the write: this is what is written. False when it is too late. */
  begin(record: Record): boolean;
  /** Lets the attempt that began so end in the same write, if `decide` makes an end of it. False when it does not, or it is too late. */
  end(decide: (begun: Record) => Record | undefined): boolean;
};

export type OpenArrival = Arrival & {
  /** After this turn of the event loop, what a worker that was woken in it began with; undefined when none did. Too late from then on. */
  begun(): Promise<Record | undefined>;
  /** The end of what has begun, if it comes within so many milliseconds. Too late from then on. */
  ended(graceMs: number): Promise<Record | undefined>;
  /** Nobody begins before the write: a worker that hears of it by the broker waits. */
  shut(): void;
  close(): void;
};

export function openArrival(record: Record): OpenArrival {
  const written = Promise.withResolvers<void>();
  let started: Record | undefined;
  let isOpen = true;
  const ending = Promise.withResolvers<Record | undefined>();
  let mayEnd = true;
  const settle = (end: Record | undefined): void => {
    mayEnd = false;
    ending.resolve(end);
  };
  return {
    record,
    written: written.promise,
    begin(next) {
      if (!isOpen) return false;
      isOpen = false;
      started = next;
      return true;
    },
    end(decide) {
      if (!mayEnd || started === undefined) return false;
      const next = decide(started);
      settle(next);
      return next !== undefined;
    },
    async begun() {
      // A call within the process comes before anything else does, and the engine is asked before time goes by with writing.
      await new Promise((resolve) => setImmediate(resolve));
      isOpen = false;
      return started;
    },
    async ended(graceMs) {
      const timer = setTimeout(settle, graceMs, undefined);
      const end = await ending.promise;
      clearTimeout(timer);
      return end;
    },
    shut() {
      isOpen = false;
    },
    close() {
      isOpen = false;
      settle(undefined);
      written.resolve();
    },
  };
}
