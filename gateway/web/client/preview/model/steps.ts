/** Long work that lets the page breathe: it yields often, and goes on when the page has had its turn. */
export type Steps<T> = Generator<void, T, void>;

/** Less than a frame, so that typing and scrolling stay smooth. */
const SLICE_MS = 10;

/** What the work results in; rejects with the reason of the signal, at the next slice. */
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
