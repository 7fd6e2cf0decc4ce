/** Yields the same chunks, but waiting for a chunk ends with the signal's reason as soon as it fires. The source is closed. */
export function abortable<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncIterable<T> {
  return signal === undefined ? source : until(source, signal);
}

async function* until<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  // Promise.race with one promise for the whole stream would keep every chunk alive.
  let interrupt: (reason: unknown) => void = () => undefined;
  const onAbort = (): void => interrupt(signal.reason);
  const next = (): Promise<IteratorResult<T>> =>
    new Promise((resolve, reject) => {
      interrupt = reject;
      iterator.next().then(resolve, reject);
    });
  signal.addEventListener("abort", onAbort, { once: true });
  let ended = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const result = await next();
      if (result.done === true) {
        ended = true;
        return;
      }
      yield result.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Not awaited: a hanging source would delay the abort too.
    if (!ended) iterator.return?.().catch(() => undefined);
  }
}
