/** Long-running work that yields often, so that the page stays responsive. */
export type Steps<T> = Generator<void, T, void>;

/** Less than a frame, so that typing and scrolling stay smooth. */
const SLICE_MS = 10;

/** Runs the work and resolves with its result. Rejects with the signal's reason at the next slice. */
export async function inSlices<T>(steps: Steps<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const endMs = performance.now() + SLICE_MS;
    do {
      const { done, value } = steps.next();
      if (done === true) return value;
    } while (performance.now() < endMs);
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  }
}
