import type { Record } from "./state.ts";

/** A new job on its way into the store, until who asked for it is answered. */
export type Arrival = {
  readonly record: Record;
  /** Resolves when the write has ended, one way or the other. */
  readonly written: Promise<void>;
  /** Lets a worker begin before the write: this is what is written. False when it is too late. */
  begin(record: Record): boolean;
  /** Tells who waits for the job how the attempt that began so has ended. Undefined when nobody waits, or `decide` makes no end of it. */
  end(decide: (begun: Record) => Record | undefined): Record | undefined;
};

export type OpenArrival = Arrival & {
  /** After this turn of the event loop, what a worker that was woken in it began with; undefined when none did. Too late from then on. */
  begun(): Promise<Record | undefined>;
  /** Resolves at the end of what has begun, or after so many milliseconds. */
  ended(graceMs: number): Promise<void>;
  /** Nobody begins before the write: a worker that hears of it by the broker waits. */
  shut(): void;
  /** The write has ended. */
  settle(): void;
  /** Nobody waits for it any more. */
  close(): void;
};

export function openArrival(record: Record): OpenArrival {
  const written = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  let started: Record | undefined;
  let mayBegin = true;
  let mayEnd = true;
  const leave = (): void => {
    mayEnd = false;
    ending.resolve();
  };
  return {
    record,
    written: written.promise,
    begin(next) {
      if (!mayBegin) return false;
      mayBegin = false;
      started = next;
      return true;
    },
    end(decide) {
      const ended = mayEnd && started !== undefined ? decide(started) : undefined;
      if (ended !== undefined) leave();
      return ended;
    },
    async begun() {
      // A call within the process comes before anything else does, and the engine is asked before time goes by with writing.
      await new Promise((resolve) => setImmediate(resolve));
      mayBegin = false;
      return started;
    },
    async ended(graceMs) {
      const timer = setTimeout(leave, graceMs);
      await ending.promise;
      clearTimeout(timer);
    },
    shut() {
      mayBegin = false;
    },
    settle: written.resolve,
    close() {
      mayBegin = false;
      leave();
      written.resolve();
    },
  };
}
