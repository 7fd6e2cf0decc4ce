import { FilemillError } from "#contract/errors.ts";

export type Pace = {
  /** Total time spent waiting for the sender until it must have sent enough. */
  readonly windowMs: number;
  readonly bytesPerWindow: number;
  /** Limit for the whole stream, including the time that this process takes. */
  readonly wholeMs: number;
};

/** The same as the gateway's: 512 bytes per second over ten seconds. */
export const uploadPace: Pace = { windowMs: 10_000, bytesPerWindow: 5120, wholeMs: 3_600_000 };

/**
 * Passes items on as long as they arrive fast enough.
 *
 * @throws FilemillError REQUEST_TIMEOUT if the sender merely keeps the stream open.
 */
export async function* paced<T>(items: AsyncIterable<T>, bytesOf: (item: T) => number, pace: Pace = uploadPace): AsyncGenerator<T> {
  const beganAt = performance.now();
  const iterator = items[Symbol.asyncIterator]();
  let waitedMs = 0;
  let bytes = 0;
  for (let pending = iterator.next(); ; ) {
    const askedAt = performance.now();
    const next = await within(pending, pace.windowMs - waitedMs);
    waitedMs += performance.now() - askedAt;
    if (performance.now() - beganAt > pace.wholeMs) throw tooSlow();
    if (next !== "late") bytes += next.done === true ? 0 : bytesOf(next.value);
    if (next === "late" || waitedMs >= pace.windowMs) {
      if (bytes < pace.bytesPerWindow && !(next !== "late" && next.done === true)) throw tooSlow();
      waitedMs = 0;
      bytes = 0;
    }
    if (next === "late") continue;
    if (next.done === true) return;
    yield next.value;
    pending = iterator.next();
  }
}

async function within<T>(result: Promise<T>, limitMs: number): Promise<T | "late"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), Math.max(0, limitMs));
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(): FilemillError {
  return new FilemillError("REQUEST_TIMEOUT", "The stream arrived too slowly; send it again on a faster connection.");
}
