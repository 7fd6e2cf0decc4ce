import { FilemillError } from "#contract/errors.ts";

/** What is running in a sandbox, until it is closed. */
export class Runs {
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  assertOpen(): void {
    if (this.#closing.signal.aborted) throw new FilemillError("UNAVAILABLE", "The sandbox is closed.");
  }

  /** Fires with the given signal, and when the sandbox is closed. */
  signalOf(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
  }

  track<T>(ended: Promise<T>): Promise<T> {
    this.#running.add(ended);
    const forget = () => this.#running.delete(ended);
    ended.then(forget, forget);
    return ended;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    // Repeat until runs that were about to start during the closing are gone too.
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
